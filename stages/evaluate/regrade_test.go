package evaluate

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// storedRun makes a stored run: F2P u::a and u::b, P2P u::c and u::d, and what is reported
// of them and of others, "id=outcome" (in a rerun "id@2=outcome").
func storedRun(status string, exit int, reported string, edit ...func(*stored)) *stored {
	s := &stored{Status: status, Exit: exit, TimedOut: status == "timeout"}
	merged := map[string]schema.TestOutcome{}
	for _, r := range strings.Fields(reported) {
		id, o, _ := strings.Cut(r, "=")
		run := 1
		if name, ok := strings.CutSuffix(id, "@2"); ok {
			id, run = name, 2
		}
		id = "u::" + strings.ReplaceAll(id, "_", " ")
		s.Outcomes = append(s.Outcomes, outcome{ID: id, Run: run, Outcome: schema.TestOutcome(o)})
		merged[id] = schema.TestOutcome(o)
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		class := schema.F2P
		if id > "b" {
			class = schema.P2P
		}
		s.Tests = append(s.Tests, scored{ID: "u::" + id, Class: class, Outcome: merged["u::"+id]})
	}
	for _, e := range edit {
		e(s)
	}
	return s
}

func onlyP2P(s *stored) { s.Tests = s.Tests[2:] }

// TestRulesByHand is worked out by hand from each grader's own text: R resolved, u
// unresolved, - not scored, and other states in words.
func TestRulesByHand(t *testing.T) {
	all := "a=pass b=pass c=pass d=pass"
	base := map[string]schema.TestOutcome{"u::x": schema.Pass, "u::y": schema.Fail}
	tests := map[string]struct {
		e    evidence
		want string // ours authors swe-bench swe-bench-live multi-swe-bench
	}{
		"everything passes":            {evidence{run: storedRun("ok", 0, all)}, "R R R R R"},
		"an F2P is missing":            {evidence{run: storedRun("ok", 0, "a=pass c=pass d=pass")}, "u u u R u"},
		"every F2P is missing":         {evidence{run: storedRun("ok", 0, "c=pass d=pass")}, "u u u u u"},
		"an F2P is skipped":            {evidence{run: storedRun("ok", 0, "a=pass b=skip c=pass d=pass")}, "u u u R u"},
		"an F2P fails":                 {evidence{run: storedRun("ok", 1, "a=pass b=fail c=pass d=pass")}, "u u u u u"},
		"an F2P is in error":           {evidence{run: storedRun("ok", 1, "a=pass b=error c=pass d=pass")}, "u u u u u"},
		"a P2P is missing":             {evidence{run: storedRun("ok", 0, "a=pass b=pass c=pass")}, "u u u R u"},
		"a P2P is skipped":             {evidence{run: storedRun("ok", 0, "a=pass b=pass c=pass d=skip")}, "u u R R u"},
		"a P2P fails":                  {evidence{run: storedRun("ok", 1, "a=pass b=pass c=pass d=fail")}, "u u u u u"},
		"exit and report disagree":     {evidence{run: storedRun("inconsistent", 3, all)}, "inconsistent R R R R"},
		"no end, after all had passed": {evidence{run: storedRun("timeout", 137, all)}, "timeout R u R R"},
		"no end, and one unheard of":   {evidence{run: storedRun("timeout", 137, "a=pass c=pass d=pass")}, "timeout - u R u"},
		"no end, and a failure":        {evidence{run: storedRun("timeout", 137, "a=pass b=fail c=pass")}, "timeout u u u u"},
		"a crash hid one that passes":  {evidence{run: storedRun("crashed", 1, "a=pass b=not_run c=pass d=pass b@2=pass")}, "R u u R u"},
		"killed, with a whole report":  {evidence{run: storedRun("ok", 137, all)}, "R - R R R"},
		"the runner is not there":      {evidence{run: storedRun("build_failed", 127, "")}, "u - u u u"},
		"the build failed":             {evidence{run: storedRun("build_failed", 1, "")}, "u u u u u"},
		"all is well, says no report":  {evidence{run: storedRun("no_report", 0, "")}, "inconsistent u u u u"},
		"nothing changed, all passes":  {evidence{run: storedRun("ok", 0, all), blank: true}, "R R empty empty R"},
		"nothing changed":              {evidence{run: storedRun("ok", 1, "a=fail c=pass d=pass"), blank: true}, "empty u empty empty u"},
		"another test broke":           {evidence{run: storedRun("ok", 1, all+" x=fail y=fail"), base: base}, "R R R R u"},
		"another test failed before":   {evidence{run: storedRun("ok", 1, all+" x=skip y=fail"), base: base}, "R R R R R"},
		"no F2P in the list":           {evidence{run: storedRun("ok", 0, all, onlyP2P)}, "u u R u u"},
		"only its twins are reported":  {evidence{run: storedRun("ok", 0, "a=pass b_#2=pass c=pass d=pass")}, "u R u R u"},
		"a twin fails":                 {evidence{run: storedRun("ok", 1, "a=pass b_#2=pass b_#3=fail c=pass d=pass")}, "u u u R u"},
		"resolved by configuration": {evidence{run: storedRun("ok", 0, all), guarded: storedRun("ok", 1, "a=pass b=fail c=pass d=pass")},
			"disputed R R R R"},
		"the guard agrees": {evidence{run: storedRun("ok", 0, all), guarded: storedRun("ok", 0, all)}, "R R R R R"},
	}
	short := map[string]string{schema.StatusResolved: "R", schema.StatusUnresolved: "u", NotScored: "-"}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range Rules() {
				g := r.grade(tc.e)
				if g.Resolved != (g.Status == schema.StatusResolved) {
					t.Errorf("%s: %+v", r.Name, g)
				}
				word := g.Status
				if s, ok := short[g.Status]; ok {
					word = s
				}
				got = append(got, word)
			}
			if d := cmp.Diff(tc.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRegradeOfAnEvaluation: our rule over what was stored gives the verdicts again,
// nothing is run, and another rule gives others.
func TestRegradeOfAnEvaluation(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test and sh a dozen times")
	}
	rel := makeRelease(t)
	exits := diff("main_test.go", "", "package lib\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n")
	helper := diff("tests/lib.sh", tapLib, "n=0\nplan() { echo \"1..$1\"; }\ncheck() { n=$((n+1)); echo \"ok $n - $1\"; }\n")
	predictions := map[string]schema.Prediction{
		"gold":        {Patches: patches("o/lib", goldLib, "o/tool", goldTool)},
		"nothing":     {Patches: patches()},
		"half":        {Patches: patches("o/lib", goldLib)},
		"exits":       {Patches: patches("o/lib", goldLib+exits, "o/tool", goldTool)},
		"forges":      {Patches: patches("o/lib", goldLib, "o/tool", helper)},
		"of no use":   {Patches: patches("o/lib", "nonsense")},
		"alone":       {Mode: schema.Independent, Target: "o/lib", Patches: patches("o/lib", goldLib)},
		"nothing yet": {Task: "t2", Patches: patches()},
	}
	var list []schema.Prediction
	for _, name := range slices.Sorted(maps.Keys(predictions)) {
		list = append(list, predictions[name])
	}
	r := newRig(t, rel, list...)
	for i, name := range slices.Sorted(maps.Keys(predictions)) {
		r.Predictions[i].Model = name
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	rep, err := ReadReport(r.Out)
	if err != nil {
		t.Fatal(err)
	}
	base, err := BaseOutcomes(t.Context(), rep, r.db)
	if err != nil {
		t.Fatal(err)
	}
	if got := base[place{Task: "t1", Target: "o/lib"}]["example.com/lib::TestAdd"]; got != schema.Fail {
		t.Errorf("on base TestAdd is %q", got)
	}
	regraded := map[string]Regraded{}
	for _, rule := range Rules() {
		if regraded[rule.Name], err = Regrade(t.Context(), rule, rep, r.db, base); err != nil {
			t.Fatal(err)
		}
	}
	for i, run := range RunsOf(rep) {
		ours := regraded["ours"].Runs[i]
		for id, task := range run.Tasks {
			if ours.ByTask[id].Status != task.Status || ours.ByTask[id].Resolved != task.Resolved {
				t.Errorf("%s %s is %s, regraded %s", run.Model, id, task.Status, ours.ByTask[id].Status)
			}
			for target, x := range task.Targets {
				if d := cmp.Diff(Grade{x.Resolved, x.Status, "", x.F2P, x.P2P}, withoutReason(ours.ByTask[id].Targets[target].Grade)); d != "" {
					t.Errorf("%s %s %s: %s", run.Model, id, target, d)
				}
			}
		}
		if ours.TasksResolved != ours.TasksWereResolved || ours.TargetsResolved != run.Summary.TargetsResolved {
			t.Errorf("%s: %+v", run.Model, ours)
		}
	}
	want := map[string]string{ // t1 under each of the rules
		"gold":      "resolved resolved resolved resolved resolved",
		"nothing":   "empty unresolved empty empty unresolved",
		"half":      "unresolved unresolved unresolved unresolved unresolved",
		"exits":     "disputed unresolved unresolved unresolved unresolved",
		"forges":    "disputed resolved resolved resolved resolved",
		"of no use": "patch_failed not_scored patch_failed patch_failed patch_failed",
		"alone":     "missing missing missing missing missing",
	}
	for i, run := range RunsOf(rep) {
		var got []string
		for _, rule := range Rules() {
			got = append(got, regraded[rule.Name].Runs[i].ByTask["t1"].Status)
		}
		if w, ok := want[run.Model]; ok && w != strings.Join(got, " ") {
			t.Errorf("%s: %v, want %s", run.Model, got, w)
		}
	}
	if err := r.db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "DELETE FROM evaluation_outcomes WHERE model = 'half'")
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := Regrade(t.Context(), Rules()[1], rep, r.db, base); err == nil || !strings.Contains(err.Error(), "was not stored") {
		t.Errorf("what was never stored is judged: %v", err)
	}
	// Tests that decide nothing are stored, too, with a deciding one's outcome beside.
	rows, err := r.db.Query(t.Context(), "SELECT count(*) FROM evaluation_outcomes WHERE model = 'gold' AND run = 1 AND outcome = 'pass'")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := pipeline.Scan[int](rows, nil); err != nil || n[0] != 4 {
		t.Errorf("%v outcomes of gold: %v", n, err)
	}
}

func withoutReason(g Grade) Grade { g.Reason = ""; return g }

func TestOutcomesOfReruns(t *testing.T) {
	rep := &testrun.Report{Attempts: []testrun.Attempt{
		{Taken: []schema.TestResult{{ID: "u::a", Outcome: schema.Pass, Seconds: 1}, {ID: "u::b", Outcome: schema.NotRun}}},
		{Taken: []schema.TestResult{{ID: "u::b", Outcome: schema.Fail, Message: "m"}}},
	}, Results: []schema.TestResult{{ID: "u::a", Outcome: schema.Pass}, {ID: "u::b", Outcome: schema.Fail}, {ID: "u::c", Outcome: schema.Skip}, {ID: "u::d"}}}
	want := []outcome{{"u::a", 1, schema.Pass, 1, ""}, {"u::b", 1, schema.NotRun, 0, ""}, {"u::b", 2, schema.Fail, 0, "m"}, {"u::c", 1, schema.Skip, 0, ""}}
	if d := cmp.Diff(want, outcomes(rep)); d != "" {
		t.Error(d)
	}
}
