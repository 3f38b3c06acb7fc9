package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wideswe/wideswe/schema"
)

// Item is one unit of a stage's work. Hash covers everything that decides its
// result beside the stage's version.
type Item[T any] struct {
	ID, Hash string
	Value    T
	// Settle gives the hash once the item was worked on, where the work itself finds
	// out what its result depends on; nil keeps Hash. The next listing must give the
	// same hash of the same state.
	Settle func() string
}

// Refs lists the items for [Planner].
func Refs[T any](items []Item[T]) []Ref {
	refs := make([]Ref, len(items))
	for i, it := range items {
		refs[i] = Ref{it.ID, it.Hash}
	}
	return refs
}

// Work finds out what there is to say of one item and returns how to store it.
// An error made by [Skip] records the item as skipped and stores the rows
// returned beside it; any other error records it as failed and stores nothing.
// A [NeedError] stops the stage.
type Work[T any] func(ctx context.Context, value T) (Write, error)

// Each works through items: those whose outcome stands are passed over, the rest
// run on bounded workers, in the order given. gone, which may be nil, returns how
// to remove the rows of an item that is no longer among the items.
func Each[T any](ctx context.Context, run *Run, s Stage, items []Item[T], work Work[T],
	gone func(id string) Write) error {
	return EachOf(ctx, run, s, "", items, work, gone)
}

// EachOf is [Each] for a stage whose later items depend on what its earlier ones
// found, so that it lists and works them in phases. The ids of a phase begin with
// prefix; the outcomes of other phases are left alone.
func EachOf[T any](ctx context.Context, run *Run, s Stage, prefix string, items []Item[T], work Work[T],
	gone func(id string) Write) error {
	todo, err := prepare(ctx, run, s, prefix, items, gone)
	if err != nil {
		return err
	}
	return onWorkers(ctx, run, s, len(todo), todo, func(ctx context.Context, it Item[T]) ([]ended, error) {
		status, reason, err := one(ctx, run, s, it, work)
		return []ended{{status, reason}}, err
	})
}

// prepare gives the items that are to be worked on, and removes what is gone.
func prepare[T any](ctx context.Context, run *Run, s Stage, prefix string, items []Item[T],
	gone func(id string) Write) ([]Item[T], error) {
	latest, err := run.Ledger.Latest(ctx, s.Name())
	if err != nil {
		return nil, fmt.Errorf("reading outcomes: %w", err)
	}
	for id := range latest {
		if !strings.HasPrefix(id, prefix) {
			delete(latest, id)
		}
	}
	todo, err := pending(run, s, items, latest)
	if err != nil {
		return nil, err
	}
	return todo, removeGone(ctx, run, s, items, latest, gone)
}

// onWorkers runs units of work, which hold so many items in all, on bounded workers.
func onWorkers[U any](ctx context.Context, run *Run, s Stage, items int, units []U, do func(context.Context,
	U) ([]ended, error)) error {
	var bar Progress = noProgress{}
	if run.Progress != nil && items > 0 {
		bar = run.Progress(s.Name(), items)
		defer bar.Close()
		run.bar = bar
		defer func() { run.bar = nil }()
	}
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(run.Workers)
	for _, u := range units {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error {
			if gctx.Err() != nil {
				return nil // interrupted before it began: not begun, not recorded
			}
			all, err := do(gctx, u)
			if err != nil {
				return err
			}
			mu.Lock()
			run.note(all)
			mu.Unlock()
			bar.Add(len(all))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// ended is how an item ended.
type ended struct {
	status schema.Status
	reason string
}

func (run *Run) note(all []ended) {
	for _, e := range all {
		run.Counts.add(e.status)
		if e.status == schema.Skipped && run.Skips != nil {
			run.Skips[e.reason]++
		}
	}
}

func pending[T any](run *Run, s Stage, items []Item[T], latest map[string]schema.Outcome) ([]Item[T], error) {
	seen := make(map[string]bool, len(items))
	var todo []Item[T]
	for _, it := range items {
		if seen[it.ID] {
			return nil, fmt.Errorf("item %q is listed twice", it.ID)
		}
		seen[it.ID] = true
		if o, ok := latest[it.ID]; ok && !run.Redo && Stands(o, s.Version(), it.Hash) {
			run.Counts.Unchanged++
			continue
		}
		todo = append(todo, it)
	}
	return todo, nil
}

// Stands says whether an outcome still answers for an item.
func Stands(o schema.Outcome, version, hash string) bool {
	return (o.Status == schema.Done || o.Status == schema.Skipped) && o.Version == version && o.InputHash == hash
}

func removeGone[T any](ctx context.Context, run *Run, s Stage, items []Item[T], latest map[string]schema.Outcome,
	gone func(string) Write) error {
	here := make(map[string]bool, len(items))
	for _, it := range items {
		here[it.ID] = true
	}
	var ids []string
	for id, o := range latest {
		if !here[id] && o.Status != schema.Gone {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	for _, id := range ids {
		var write Write
		if gone != nil {
			write = gone(id)
		}
		o := schema.Outcome{Stage: s.Name(), Item: id, Version: s.Version(), Status: schema.Gone,
			Reason: "no longer in the stage's input", RecordedAt: run.Now().UTC()}
		if err := run.Ledger.Record(ctx, write, o); err != nil {
			return fmt.Errorf("removing %s: %w", id, err)
		}
	}
	return nil
}

func one[T any](ctx context.Context, run *Run, s Stage, it Item[T], work Work[T]) (schema.Status, string, error) {
	write, err := work(ctx, it.Value)
	o := schema.Outcome{Stage: s.Name(), Item: it.ID, Version: s.Version(), InputHash: it.Hash, Status: schema.Done}
	var need *NeedError
	switch reason, skip := SkipReason(err); {
	case err == nil:
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case errors.As(err, &need):
		return "", "", err
	case skip:
		o.Status, o.Reason = schema.Skipped, reason
	default:
		run.Log.Error("item failed", "stage", s.Name(), "item", it.ID, "err", err)
		o.Status, o.Reason, write = schema.Failed, err.Error(), nil
	}
	if it.Settle != nil {
		o.InputHash = it.Settle()
	}
	o.RecordedAt = run.Now().UTC()
	if err := run.Ledger.Record(ctx, write, o); err != nil {
		return "", "", fmt.Errorf("recording %s: %w", it.ID, err)
	}
	return o.Status, o.Reason, nil
}

func (c *Counts) add(s schema.Status) {
	switch s {
	case schema.Done:
		c.Done++
	case schema.Skipped:
		c.Skipped++
	case schema.Failed:
		c.Failed++
	}
}

type noProgress struct{}

func (noProgress) Add(int)         {}
func (noProgress) Describe(string) {}
func (noProgress) Close()          {}
