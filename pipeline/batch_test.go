package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
)

// batched works its items in batches of two.
type batched struct {
	stage
	work func(ids []string) error
}

func (b batched) Run(ctx context.Context, run *pipeline.Run) error {
	split := func(todo []pipeline.Item[string]) [][]pipeline.Item[string] {
		return slices.Collect(slices.Chunk(todo, 2))
	}
	return pipeline.EachBatch(ctx, run, b, b.items, split, func(_ context.Context, ids []string) (pipeline.Write, error) {
		return func(context.Context, pipeline.Tx) error { return nil }, b.work(ids)
	}, b.gone)
}

func TestEachBatchRecordsEveryItemAndABadOneAlone(t *testing.T) {
	l := &ledger{}
	var worked [][]string
	s := batched{stage{version: "1", items: items("a", "b", "bad", "c", "d")}, func(ids []string) error {
		worked = append(worked, ids)
		if slices.Contains(ids, "bad") {
			return errors.New("broken")
		}
		return nil
	}}
	run := &pipeline.Run{Ledger: l}
	var failed *pipeline.FailedItems
	if err := pipeline.Execute(t.Context(), s, run); !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]string{{"a", "b"}, {"bad", "c"}, {"bad"}, {"c"}, {"d"}}, worked); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(pipeline.Counts{Done: 4, Failed: 1}, run.Counts); d != "" {
		t.Error(d)
	}
	worked = nil
	_ = pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: l})
	if d := cmp.Diff([][]string{{"bad"}, {"bad"}}, worked); d != "" {
		t.Error(d)
	}
}

func TestEachBatchStopsWhenSomethingNeededIsMissing(t *testing.T) {
	l := &ledger{}
	s := batched{stage{version: "1", items: items("a", "b", "c")},
		func([]string) error { return pipeline.Need("Docker is not running") }}
	var need *pipeline.NeedError
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: l}); !errors.As(err, &need) || len(l.all) != 0 {
		t.Errorf("got %v and %d outcomes", err, len(l.all))
	}
}
