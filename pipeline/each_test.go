package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// ledger is a ledger in memory.
type ledger struct{ all []schema.Outcome }

func (l *ledger) Latest(context.Context, string) (map[string]schema.Outcome, error) {
	m := map[string]schema.Outcome{}
	for _, o := range l.all {
		m[o.Item] = o
	}
	return m, nil
}

func (l *ledger) Record(ctx context.Context, w pipeline.Write, os ...schema.Outcome) error {
	if w != nil {
		if err := w(ctx, nil); err != nil {
			return err
		}
	}
	l.all = append(l.all, os...)
	return nil
}

func (l *ledger) RecordRun(context.Context, string, string, time.Time, time.Time, pipeline.Counts) error {
	return nil
}

type stage struct {
	version string
	items   []pipeline.Item[string]
	work    pipeline.Work[string]
	gone    func(string) pipeline.Write
}

func (s stage) Name() string    { return "s" }
func (s stage) Version() string { return s.version }
func (s stage) Run(ctx context.Context, run *pipeline.Run) error {
	return pipeline.Each(ctx, run, s, s.items, s.work, s.gone)
}

func items(ids ...string) (out []pipeline.Item[string]) {
	for _, id := range ids {
		out = append(out, pipeline.Item[string]{ID: id, Hash: "h", Value: id})
	}
	return out
}

func TestEachEndsItemsThreeWays(t *testing.T) {
	l := &ledger{}
	var wrote []string
	s := stage{"1", items("good", "odd", "broken"), func(_ context.Context, id string) (pipeline.Write, error) {
		w := func(context.Context, pipeline.Tx) error { wrote = append(wrote, id); return nil }
		switch id {
		case "odd":
			return w, pipeline.Skip("not merged")
		case "broken":
			return w, errors.New("disk on fire")
		}
		return w, nil
	}, nil}
	run := &pipeline.Run{Ledger: l}
	err := pipeline.Execute(t.Context(), s, run)
	var failed *pipeline.FailedItems
	if !errors.As(err, &failed) || failed.Count != 1 {
		t.Errorf("got %v, want one failed item", err)
	}
	// A failed item stores nothing; a skipped one keeps its evidence.
	if d := cmp.Diff([]string{"good", "odd"}, wrote); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(pipeline.Counts{Done: 1, Skipped: 1, Failed: 1}, run.Counts); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]int{"not merged": 1}, run.Skips); d != "" {
		t.Error(d)
	}
}

func TestEachPassesOverWhatStandsAndRedoesWhatChanged(t *testing.T) {
	l := &ledger{}
	var worked []string
	s := stage{"1", items("a", "b"), func(_ context.Context, id string) (pipeline.Write, error) {
		worked = append(worked, id)
		return nil, nil
	}, nil}
	runOnce := func(want ...string) {
		t.Helper()
		worked = nil
		if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: l}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, worked); d != "" {
			t.Error(d)
		}
	}
	runOnce("a", "b")
	runOnce()
	s.items[1].Hash = "changed input"
	runOnce("b")
	s.version = "2"
	runOnce("a", "b")
}

func TestEachRemovesWhatLeftTheInputOnce(t *testing.T) {
	l := &ledger{}
	var removed []string
	s := stage{"1", items("a", "b"), func(context.Context, string) (pipeline.Write, error) { return nil, nil },
		func(id string) pipeline.Write {
			return func(context.Context, pipeline.Tx) error { removed = append(removed, id); return nil }
		}}
	for range 3 {
		if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: l}); err != nil {
			t.Fatal(err)
		}
		s.items = s.items[:1]
	}
	if d := cmp.Diff([]string{"b"}, removed); d != "" {
		t.Error(d)
	}
}

func TestEachInterruptedRecordsNothingHalf(t *testing.T) {
	l := &ledger{}
	ctx, cancel := context.WithCancel(t.Context())
	s := stage{"1", items("a", "b", "c"), func(ctx context.Context, id string) (pipeline.Write, error) {
		if id == "b" {
			cancel()
			return nil, ctx.Err()
		}
		return nil, nil
	}, nil}
	err := pipeline.Execute(ctx, s, &pipeline.Run{Ledger: l})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if len(l.all) != 1 || l.all[0].Item != "a" {
		t.Errorf("got %v, want the outcome of a alone", l.all)
	}
}

func TestEachStopsWhenSomethingNeededIsMissing(t *testing.T) {
	l := &ledger{}
	n := 0
	s := stage{"1", items("a", "b", "c"), func(context.Context, string) (pipeline.Write, error) {
		n++
		return nil, pipeline.Need("Docker is not running")
	}, nil}
	err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: l})
	var need *pipeline.NeedError
	if !errors.As(err, &need) || n != 1 || len(l.all) != 0 {
		t.Errorf("got %v after %d items and %d outcomes", err, n, len(l.all))
	}
}

func TestEachOfLeavesOtherPhasesAlone(t *testing.T) {
	l := &ledger{}
	var worked, removed []string
	phase := func(prefix string, ids ...string) {
		t.Helper()
		work := func(_ context.Context, id string) (pipeline.Write, error) {
			worked = append(worked, id)
			return nil, nil
		}
		gone := func(id string) pipeline.Write {
			return func(context.Context, pipeline.Tx) error { removed = append(removed, id); return nil }
		}
		if err := pipeline.EachOf(t.Context(), &pipeline.Run{Ledger: l, Workers: 1, Now: time.Now}, stage{version: "1"},
			prefix, items(ids...), work, gone); err != nil {
			t.Fatal(err)
		}
	}
	phase("a:", "a:1", "a:2")
	phase("b:", "b:1")
	phase("a:", "a:1")
	if d := cmp.Diff([]string{"a:1", "a:2", "b:1"}, worked); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"a:2"}, removed); d != "" {
		t.Error(d)
	}
}
