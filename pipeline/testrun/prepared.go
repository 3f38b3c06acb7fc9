package testrun

import (
	"context"
	"fmt"
	"sync"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Workspace is a request's trees, laid once, when the first run needs them, so that
// its repeats and reruns begin without copying them.
type Workspace struct {
	// Lazy copies the trees in for the first run and lays them when a second comes:
	// laying costs more than copying once.
	Lazy bool

	r    *Runner
	q    Request
	mu   sync.Mutex
	used bool
	laid *sandbox.Prepared
	done func()
}

// Workspace gives the workspace that requests with the same trees and image share.
// It must be closed after the last run.
func (r *Runner) Workspace(q Request) *Workspace { return &Workspace{r: r, q: q} }

// lay lays the trees, where the backend can do that once for many runs.
func (w *Workspace) lay(ctx context.Context) (sandbox.Prepared, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.laid != nil {
		return *w.laid, nil
	}
	p := sandbox.Prepared{Image: w.q.Image, In: w.q.sources()}
	if w.Lazy && !w.used {
		w.used = true
		return p, nil
	}
	if preparer, ok := w.r.Backend.Abilities().Preparer(); ok {
		var err error
		if p, w.done, err = preparer.Prepare(ctx, p.Image, p.In, w.q.Labels); err != nil {
			return p, fmt.Errorf("laying the workspace of %s: %w", w.q.Repository, err)
		}
	}
	w.laid = &p
	return p, nil
}

// Close removes what was laid.
func (w *Workspace) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done != nil {
		w.done()
	}
	w.laid, w.done = nil, nil
}

// Journal keeps the runs of a request as they end, so that an interrupt costs one
// run and not all of them.
type Journal interface {
	// Kept gives a run that ended before: the n-th, with these tests left out or
	// alone. What it printed and its raw reports are not there.
	Kept(ctx context.Context, n int, skip, only []string) (Attempt, bool, error)
	// Keep keeps a run that just ended.
	Keep(ctx context.Context, n int, a Attempt) error
}

// ended gives the n-th run of a request: the one the journal kept, or a new one.
func (r *Runner) ended(ctx context.Context, q Request, n int, skip, only []string, run func() (Attempt,
	error)) (Attempt, error) {
	if q.Journal != nil {
		if a, found, err := q.Journal.Kept(ctx, n, skip, only); err != nil || found {
			return a, err
		}
	}
	a, err := run()
	if err != nil {
		return a, err
	}
	a.Skip, a.Only = skip, only
	if q.Journal != nil {
		err = q.Journal.Keep(ctx, n, a)
	}
	return a, err
}
