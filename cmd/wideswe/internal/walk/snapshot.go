package walk

import (
	"context"
	"os"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline/store"
)

// How old the snapshot that other commands read may get in a long stage: the
// dearer it is to make, for it keeps writers out, the rarer it is made.
const (
	snapshotSoonest = 10 * time.Second
	snapshotShare   = 20 // at most one part in 20 of the time goes into snapshots
)

// snapshots makes the first snapshot at once, where there is none yet, and renews
// it while stages write.
func renewSnapshots(ctx context.Context, a *env.Env, cur *env.Curator, db *store.DB) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var wait time.Duration
		if _, err := os.Stat(cur.Snapshot()); err == nil {
			wait = snapshotSoonest // a run that has nothing to do makes none
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			start := time.Now()
			TakeSnapshot(ctx, a, cur, db)
			wait = max(snapshotSoonest, snapshotShare*time.Since(start))
		}
	}()
	return func() { cancel(); <-done }
}

func TakeSnapshot(ctx context.Context, a *env.Env, cur *env.Curator, db *store.DB) {
	if ctx.Err() != nil {
		return
	}
	if err := db.Snapshot(ctx, cur.Snapshot()); err != nil {
		a.Log().Info("no new snapshot", "err", err)
		_ = os.Remove(cur.Snapshot() + ".part")
	}
}
