package evaluate

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
)

// TestAnEvaluationOfEarlierRules: a store of the version before opens, its verdicts stay
// what they were and bear their rules; evaluated again, they follow ours.
func TestAnEvaluationOfEarlierRules(t *testing.T) {
	r, _ := fakeRig(t, makeRelease(t), allPass, schema.Prediction{Patches: patches("o/lib", goldLib)})
	file := filepath.Join(r.Out, "evaluation.duckdb")
	open := func() *store.DB {
		db, err := store.Open(t.Context(), file, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		r.DB, r.db = db, db
		return db
	}
	db := open()
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		for _, q := range []string{"ALTER TABLE evaluation_states DROP COLUMN rules",
			"ALTER TABLE evaluation_states DROP COLUMN as_submitted", "ALTER TABLE evaluation_runs DROP COLUMN unbuilt",
			"DELETE FROM migrations WHERE name = '0028_two_counts.sql'", "UPDATE outcomes SET version = '5'"} {
			if err := tx.Exec(ctx, q); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open()
	const query = "SELECT status || ' ' || resolved || ' ' || coalesce(as_submitted::VARCHAR, 'unknown') || ' ' || " +
		"rules AS x FROM evaluation_tasks WHERE task_id = 't1'"
	if got := ask(t, db, query); got != "resolved true unknown 5" {
		t.Errorf("opened: %s", got)
	}
	if c, err := r.run(t); err != nil || c.Done != 1 {
		t.Errorf("evaluated again: %+v %v", c, err)
	}
	if got := ask(t, db, query); got != "resolved true true "+r.Version() {
		t.Errorf("evaluated again: %s", got)
	}
}
