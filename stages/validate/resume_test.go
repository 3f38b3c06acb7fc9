package validate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
)

// counting counts runs and interrupts before one of them.
type counting struct {
	sandbox.Backend
	runs      atomic.Int32
	interrupt int32
	cancel    context.CancelFunc
}

func (c *counting) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if n := c.runs.Add(1); n == c.interrupt {
		c.cancel()
		return sandbox.Result{}, context.Canceled
	}
	return c.Backend.Run(ctx, s)
}

const journaled = "SELECT count(*) FROM run_journal"

func TestValidateGoesOnAtTheRunThatWasInterrupted(t *testing.T) {
	tr, changes := fixture()
	whole := open(t, changes)
	s := stage(t, whole, tr)
	all := &counting{Backend: s.Runner.Backend}
	s.Runner.Backend = all
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: whole}); err != nil {
		t.Fatal(err)
	}
	db := open(t, changes)
	s.DB, s.Logs = db, t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cut := &counting{Backend: all.Backend, interrupt: 6, cancel: cancel}
	s.Runner.Backend = cut
	if err := pipeline.Execute(ctx, s, &pipeline.Run{Ledger: db}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	// Nothing of the task is told before its end; what ended is kept.
	if d := cmp.Diff([]string{"5 0 0"}, query(t, db, "SELECT ("+journaled+
		") || ' ' || (SELECT count(*) FROM test_runs) || ' ' || (SELECT count(*) FROM outcomes)")); d != "" {
		t.Fatal(d)
	}
	cut.interrupt = 0
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	if got, want := cut.runs.Load()-6, all.runs.Load()-5; got != want {
		t.Errorf("%d runs after the interrupt, want %d of %d", got, want, all.runs.Load())
	}
	for _, q := range []string{transitions, "SELECT run_id || ' ' || status || ' ' || exit_code || ' ' || detail FROM " +
		"test_runs ORDER BY 1",
		"SELECT run_id || ' ' || test_id || ' ' || outcome || ' ' || message FROM test_outcomes ORDER BY 1", journaled} {
		if d := cmp.Diff(query(t, whole, q), query(t, db, q)); d != "" {
			t.Errorf("%s: %s", q, d)
		}
	}
	for _, log := range query(t, db, "SELECT log FROM test_runs") {
		if b, err := os.ReadFile(s.Logs + "/" + log); err != nil || !strings.HasPrefix(string(b), "status ") {
			t.Errorf("the log of %s is lost: %v", log, err)
		}
	}
	// A redo makes every run again.
	before := cut.runs.Load()
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db, Redo: true}); err != nil {
		t.Fatal(err)
	}
	if got := cut.runs.Load() - before; got != all.runs.Load() {
		t.Errorf("the redo made %d runs of %d", got, all.runs.Load())
	}
}

// pinned is a backend whose base image has a digest that moves.
type pinned struct {
	sandbox.Backend
	digest string
}

func (p *pinned) Pin(context.Context, string, bool) (string, error) { return "sha256:" + p.digest, nil }

func TestValidateRunsAgainOnAnotherBaseImage(t *testing.T) {
	tr, changes := fixture()
	db := open(t, changes)
	s := stage(t, db, tr)
	s.Repeats = 1
	b := &pinned{s.Runner.Backend, "1"}
	s.Runner.Backend = b
	lock := t.TempDir() + "/images.lock"
	done := func() int {
		t.Helper()
		run := &pipeline.Run{Ledger: db}
		if err := pipeline.Execute(t.Context(), s, run); err != nil {
			t.Fatal(err)
		}
		return run.Counts.Done
	}
	again := func(renew bool) { s.Runner.Lock = testrun.OpenImageLock(lock); s.Runner.Lock.Renew = renew }
	for _, c := range []struct {
		name   string
		change func()
		want   int
	}{
		{"first", func() { again(false) }, 1},
		{"nothing", func() { again(false) }, 0},
		{"another image under the name", func() { b.digest = "2"; again(false) }, 0},
		{"renewed", func() { again(true) }, 1},
		{"after it", func() { again(false) }, 0},
		{"the line is deleted, the image the same", func() { _ = os.Remove(lock); again(false) }, 0},
		{"the line is deleted, the image another", func() { b.digest = "3"; _ = os.Remove(lock); again(false) }, 1},
		{"after that", func() { again(false) }, 0},
	} {
		c.change()
		if got := done(); got != c.want {
			t.Errorf("%s: %d tasks validated, want %d", c.name, got, c.want)
		}
	}
	if refs, err := s.Plan(t.Context()); err != nil || len(refs) != 1 {
		t.Error(refs, err)
	}
}

// Stress that is asked for after a task was validated runs stress, and none of the
// repeats again; what they came to stays as it was.
func TestStressAfterwardsRunsNoRepeatAgain(t *testing.T) {
	tr, changes := fixture()
	db := open(t, changes)
	s := stage(t, db, tr)
	count := &counting{Backend: s.Runner.Backend}
	s.Runner.Backend = count
	plain := "SELECT run_id || ' ' || status || ' ' || seconds || ' ' || started_at FROM test_runs ORDER BY 1"
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	before, runs := query(t, db, plain), int(count.runs.Load())
	if kept := query(t, db, journaled); kept[0] != fmt.Sprint(runs) {
		t.Errorf("%s of %d runs are kept", kept[0], runs)
	}
	s.Stress = true
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, query(t, db, plain)); d != "" {
		t.Errorf("the repeats ran again: %s", d)
	}
	stressed := query(t, db, "SELECT variant FROM stress_runs WHERE started_at IS NOT NULL")
	if got := int(count.runs.Load()) - runs; got == 0 || got != len(stressed) {
		t.Errorf("%d runs for %d of stress", got, len(stressed))
	}
	if kept := query(t, db, journaled); kept[0] != "0" {
		t.Errorf("%s runs are kept after stress", kept[0])
	}
}
