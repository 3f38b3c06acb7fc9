package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
)

// ask gives the one column of a query, a row a line.
func ask(t *testing.T, db *store.DB, q string) string {
	t.Helper()
	return strings.Join(storetest.Strings(t, db, q), "\n")
}

// TestResultsOfAnEvaluation: what the views count is what the report counts.
func TestResultsOfAnEvaluation(t *testing.T) {
	r, _ := fakeRig(t, makeRelease(t), allPass, schema.Prediction{Patches: patches("o/lib", goldLib)},
		schema.Prediction{Task: "t2", Mode: schema.Independent, Target: "o/lib", Patches: patches()})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	outcomes := func() string {
		return ask(t, r.db, "SELECT count(*) || ' of ' || count(DISTINCT model || mode || task_id || target || "+
			"test_id) AS x FROM evaluation_outcomes")
	}
	if got := outcomes(); got != "6 of 6" {
		t.Errorf("outcomes: %s", got)
	}
	// Another model's prediction of the same bytes has its own rows, and judged again
	// they are no more.
	twin := r.Predictions[0]
	twin.Model = "twin"
	r.Predictions = append(r.Predictions, twin)
	for range 2 {
		run := &pipeline.Run{Ledger: r.db, Workers: 1, Redo: true}
		if err := pipeline.Execute(t.Context(), r.Stage, run); err != nil {
			t.Fatal(err)
		}
	}
	if got := outcomes(); got != "10 of 10" {
		t.Errorf("outcomes: %s", got)
	}
	r.Predictions = r.Predictions[:2]
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if got := outcomes(); got != "6 of 6" {
		t.Errorf("outcomes of a prediction that is gone: %s", got)
	}
	views, err := schema.Views()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		if !strings.HasPrefix(v.Name, "evaluation_") {
			continue
		}
		if twice := ask(t, r.db,
			fmt.Sprintf("SELECT count(*)::VARCHAR FROM (SELECT %s FROM %s GROUP BY ALL HAVING count(*) > 1)",
				strings.Join(v.Key, ", "), v.Name)); twice != "0" {
			t.Errorf("%s: its key is that of several rows, %s times", v.Name, twice)
		}
		if n := ask(t, r.db, "SELECT count(*)::VARCHAR FROM ("+v.Example.SQL+")"); n == "0" &&
			v.Name != "evaluation_attempts" {
			t.Errorf("%s: its example answers nothing", v.Name)
		}
	}
	want := "m independent t2 o/lib 2 2\nm joint t1 o/lib 2 2\nm joint t1 o/tool 2 2"
	got := ask(t, r.db, "SELECT configuration || ' ' || task_id || ' ' || repository || ' ' || count(*) || ' ' || "+
		"count(*) FILTER (passed) AS x FROM evaluation_results GROUP BY configuration, task_id, repository ORDER BY 1")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	want = "m independent t1 missing\nm independent t2 missing\nm joint t1 resolved\nm joint t2 missing"
	if d := cmp.Diff(want, ask(t, r.db,
		"SELECT configuration || ' ' || task_id || ' ' || status AS x FROM evaluation_tasks ORDER BY 1")); d != "" {
		t.Error(d)
	}
}
