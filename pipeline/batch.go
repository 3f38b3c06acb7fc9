package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/wideswe/wideswe/schema"
)

// EachBatch is [Each] for a stage of many small items, whose transactions would
// cost more than the work: split makes batches of the items that are to be worked
// on, and the rows and outcomes of a batch are stored together. A batch whose work
// fails is worked item by item, so that one bad item fails alone. work gives the
// rows of all its values; it skips none.
func EachBatch[T any](ctx context.Context, run *Run, s Stage, items []Item[T], split func([]Item[T]) [][]Item[T],
	work func(ctx context.Context, values []T) (Write, error), gone func(id string) Write) error {
	todo, err := prepare(ctx, run, s, "", items, gone)
	if err != nil {
		return err
	}
	return onWorkers(ctx, run, s, len(todo), split(todo), func(ctx context.Context, batch []Item[T]) ([]ended, error) {
		return together(ctx, run, s, batch, work)
	})
}

func together[T any](ctx context.Context, run *Run, s Stage, batch []Item[T], work func(context.Context, []T) (Write,
	error)) ([]ended, error) {
	values := make([]T, len(batch))
	outcomes := make([]schema.Outcome, len(batch))
	for i, it := range batch {
		values[i] = it.Value
		outcomes[i] = schema.Outcome{Stage: s.Name(), Item: it.ID, Version: s.Version(), InputHash: it.Hash,
			Status: schema.Done}
	}
	write, err := work(ctx, values)
	var need *NeedError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &need):
		return nil, err
	default:
		return apart(ctx, run, s, batch, work)
	}
	at := run.Now().UTC()
	for i := range outcomes {
		outcomes[i].RecordedAt = at
	}
	if err := run.Ledger.Record(ctx, write, outcomes...); err != nil {
		return nil, fmt.Errorf("recording %s and %d more: %w", batch[0].ID, len(batch)-1, err)
	}
	all := make([]ended, len(batch))
	for i := range all {
		all[i].status = schema.Done
	}
	return all, nil
}

// apart works the items of a batch one by one.
func apart[T any](ctx context.Context, run *Run, s Stage, batch []Item[T], work func(context.Context, []T) (Write,
	error)) ([]ended, error) {
	var all []ended
	for _, it := range batch {
		status, reason, err := one(ctx, run, s, it, func(ctx context.Context, v T) (Write, error) {
			return work(ctx,
				[]T{v})
		})
		if err != nil {
			return nil, err
		}
		all = append(all, ended{status, reason})
	}
	return all, nil
}
