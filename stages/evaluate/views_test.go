package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
)

// ask gives the one column of a query, a row a line.
func ask(t *testing.T, db *store.DB, q string) string {
	t.Helper()
	rows, err := db.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

// TestAttemptsByHand: three attempts on four tasks, worked out by hand. t0 is resolved
// by all, t1 by two, t2 by one, t3 by none; one attempt at t2 is infra.
func TestAttemptsByHand(t *testing.T) {
	db, err := store.Open(t.Context(), "", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &Stage{DB: db, Release: &release.Release{}}
	for i := range 4 {
		s.Release.Tasks = append(s.Release.Tasks, schema.ReleaseTask{ID: fmt.Sprintf("t%d", i), Ecosystem: "o", Kind: schema.Bugfix})
	}
	rep := schema.Report{}
	for n, states := range []string{"RRRu", "RRuu", "Ruiu"} {
		r := schema.ReportRun{Model: "m", Mode: schema.Joint, Attempt: n + 1, Tasks: map[string]schema.TaskReport{}}
		for i, letter := range states {
			status := map[rune]string{'R': schema.StatusResolved, 'u': schema.StatusUnresolved, 'i': schema.StatusInfra}[letter]
			x := schema.TargetReport{Status: status, Resolved: letter == 'R', F2P: schema.Tally{Passed: number(letter == 'R'), Total: 1}}
			r.Tasks[fmt.Sprintf("t%d", i)] = schema.TaskReport{Status: status, Resolved: letter == 'R', Targets: map[string]schema.TargetReport{"o/a": x, "o/b": x}}
		}
		rep.Runs = append(rep.Runs, r)
	}
	for range 2 { // a second report replaces the first
		if err := s.writeStates(t.Context(), rep); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct{ query, want string }{
		"attempts": {"SELECT task_id || ' ' || attempts || ' ' || resolved || ' ' || infra AS x FROM evaluation_attempts ORDER BY task_id",
			"t0 3 3 0\nt1 3 2 0\nt2 2 1 1\nt3 3 0 0"},
		// k = 1: (1 + 2/3 + 1/2 + 0) / 4; k = 2: t0 1, t1 1, t2 1, t3 0; k = 3: t0 1, t1 1, t3 0.
		"at least one of k": {"SELECT k || ' ' || tasks || ' ' || round(pass_at_k, 6) AS x FROM evaluation_pass_at ORDER BY k",
			"1 4 0.541667\n2 4 0.75\n3 3 0.666667"},
		// k = 2: t0 1, t1 C(2,2)/C(3,2) = 1/3, t2 0, t3 0; k = 3: t0 1, t1 0, t3 0.
		"all of k": {"SELECT k || ' ' || round(pass_all_k, 6) AS x FROM evaluation_pass_at ORDER BY k", "1 0.541667\n2 0.333333\n3 0.333333"},
		// Shares 3/4, 2/4, 1/4: mean 1/2, sample variance 1/16.
		"variance": {"SELECT attempts || ' ' || tasks || ' ' || targets || ' ' || tasks_resolved_mean || ' ' || tasks_resolved_variance || ' ' || targets_resolved_mean || ' ' || incomplete AS x FROM evaluation_configurations",
			"3 4 8 0.5 0.0625 0.5 true"},
		"tasks": {"SELECT configuration || ' ' || status || ' ' || targets_resolved || ' ' || f2p_passed AS x FROM evaluation_tasks WHERE task_id = 't1' ORDER BY attempt",
			"m joint resolved 2 2\nm joint, attempt 2 resolved 2 2\nm joint, attempt 3 unresolved 0 0"},
		"targets": {"SELECT count(*)::VARCHAR || ' ' || count(*) FILTER (f2p_complete) || ' ' || count(p2p_preserved) AS x FROM evaluation_targets", "24 12 0"},
	} {
		if d := cmp.Diff(tc.want, ask(t, db, tc.query)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestResultsOfAnEvaluation: what the views count is what the report counts.
func TestResultsOfAnEvaluation(t *testing.T) {
	r, _ := fakeRig(t, makeRelease(t), allPass, schema.Prediction{Patches: patches("o/lib", goldLib)}, schema.Prediction{Task: "t2", Mode: schema.Independent, Target: "o/lib", Patches: patches()})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	outcomes := func() string {
		return ask(t, r.db, "SELECT count(*) || ' of ' || count(DISTINCT model || mode || task_id || target || test_id) AS x FROM evaluation_outcomes")
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
		if twice := ask(t, r.db, fmt.Sprintf("SELECT count(*)::VARCHAR FROM (SELECT %s FROM %s GROUP BY ALL HAVING count(*) > 1)", strings.Join(v.Key, ", "), v.Name)); twice != "0" {
			t.Errorf("%s: its key is that of several rows, %s times", v.Name, twice)
		}
		if n := ask(t, r.db, "SELECT count(*)::VARCHAR FROM ("+v.Example.SQL+")"); n == "0" && v.Name != "evaluation_attempts" {
			t.Errorf("%s: its example answers nothing", v.Name)
		}
	}
	want := "m independent t2 o/lib 2 2\nm joint t1 o/lib 2 2\nm joint t1 o/tool 2 2"
	got := ask(t, r.db, "SELECT configuration || ' ' || task_id || ' ' || repository || ' ' || count(*) || ' ' || count(*) FILTER (passed) AS x FROM evaluation_results GROUP BY configuration, task_id, repository ORDER BY 1")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	want = "m independent t1 missing\nm independent t2 missing\nm joint t1 resolved\nm joint t2 missing"
	if d := cmp.Diff(want, ask(t, r.db, "SELECT configuration || ' ' || task_id || ' ' || status AS x FROM evaluation_tasks ORDER BY 1")); d != "" {
		t.Error(d)
	}
}
