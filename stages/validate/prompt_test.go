package validate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
)

// What a prompt may say depends on the names that the runs found. A prompt that is
// mended, or that comes to name a hidden test, is looked at again; no run is made again
// for it, and words that are no test's name cost nothing at all.
func TestPromptsAreLookedAtAgain(t *testing.T) {
	tr, changes := fixture()
	changes[1].test = strings.ReplaceAll(changes[1].test, "TestAdd(", "TestAddsNumbers(")
	db := open(t, changes)
	s := stage(t, db, tr)
	count := &counting{Backend: s.Runner.Backend}
	s.Runner.Backend = count
	outcome := "SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'"
	leak := "skipped leak: prompt: names TestAddsNumbers, the name of a hidden test of o/lib"
	for i, step := range []struct {
		prompt, want string
		worked       int
	}{
		{"Adding nothing fails TestAddsNumbers.", leak, 1},
		{"Adding nothing at all fails TestAddsNumbers.", leak, 0},
		{"Adding nothing fails.", "done ", 1},
		{"Adding nothing at all fails. aWord some_word", "done ", 0},
		{"Adding nothing fails TestAddsNumbers.", leak, 1},
	} {
		prompt(t, db, step.prompt)
		before := count.runs.Load()
		run := &pipeline.Run{Ledger: db}
		if err := pipeline.Execute(t.Context(), s, run); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{step.want}, query(t, db, outcome)); d != "" {
			t.Errorf("step %d: %s", i, d)
		}
		if worked := run.Counts.Done + run.Counts.Skipped; worked != step.worked {
			t.Errorf("step %d: %d tasks were looked at, want %d", i, worked, step.worked)
		}
		if ran := count.runs.Load() - before; i > 0 && ran > 0 {
			t.Errorf("step %d: %d runs were made again", i, ran)
		}
	}
}

func prompt(t *testing.T, db *store.DB, text string) {
	t.Helper()
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "UPDATE task_list SET prompt = ?", text)
	})
	if err != nil {
		t.Fatal(fmt.Errorf("writing the prompt: %w", err))
	}
}
