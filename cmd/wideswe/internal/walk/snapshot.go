package walk

import (
	"context"
	"os"
	"time"

	"github.com/wideswe/wideswe/pipeline/store"
)

// How old the snapshot that other commands read may get in a long stage. Making one keeps writers out: the longer it
// takes, the rarer it is made.
const (
	snapshotSoonest = 10 * time.Second
	snapshotShare   = 20 // at most one part in 20 of the time goes into snapshots
)

// renewSnapshots takes the first snapshot at once, where there is none yet, and renews it while stages write.
func (s *Session) renewSnapshots(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var wait time.Duration
		if _, err := os.Stat(s.Snapshot()); err == nil {
			wait = snapshotSoonest // a run that has nothing to do makes none
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			start := time.Now()
			s.TakeSnapshot(ctx)
			wait = max(snapshotSoonest, snapshotShare*time.Since(start))
		}
	}()
	return func() { cancel(); <-done }
}

// TakeSnapshot replaces the snapshot that other commands read while this one writes. Trouble is logged: the old one
// stays.
func (s *Session) TakeSnapshot(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	if err := s.DB.Snapshot(ctx, s.Snapshot()); err != nil {
		s.env.Log().Info("no new snapshot", "err", err)
		_ = os.Remove(store.SnapshotPart(s.Snapshot()))
	}
}
