package evaluate

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/regrade"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// TestRegradeOfAnEvaluation: our rule over what was stored gives the verdicts again,
// nothing is run, and another rule gives others.
func TestRegradeOfAnEvaluation(t *testing.T) {
	testscope.NotShort(t, "it runs go test and sh a dozen times")
	rel := makeRelease(t)
	exits := diff("main_test.go", "",
		"package lib\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n")
	helper := diff("tests/lib.sh", tapLib,
		"n=0\nplan() { echo \"1..$1\"; }\ncheck() { n=$((n+1)); echo \"ok $n - $1\"; }\n")
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
	rep, err := results.ReadReport(r.Out)
	if err != nil {
		t.Fatal(err)
	}
	base, err := regrade.BaseOutcomes(t.Context(), rep, r.db)
	if err != nil {
		t.Fatal(err)
	}
	if got := base[results.Place{Task: "t1", Target: "o/lib"}]["example.com/lib::TestAdd"]; got != schema.Fail {
		t.Errorf("on base TestAdd is %q", got)
	}
	regraded := map[string]regrade.Evaluation{}
	for _, rule := range regrade.Rules() {
		if regraded[rule.Name], err = regrade.ByRule(t.Context(), rule, rep, r.db, base); err != nil {
			t.Fatal(err)
		}
	}
	for i, run := range results.Runs(rep) {
		ours := regraded["ours"].Runs[i]
		for id, task := range run.Tasks {
			if ours.ByTask[id].Status != task.Status || ours.ByTask[id].Resolved != task.Resolved {
				t.Errorf("%s %s is %s, regraded %s", run.Model, id, task.Status, ours.ByTask[id].Status)
			}
			for target, x := range task.Targets {
				if d := cmp.Diff(regrade.Grade{Resolved: x.Resolved, Status: x.Status, F2P: x.F2P, P2P: x.P2P},
					withoutReason(ours.ByTask[id].Targets[target].Grade)); d != "" {
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
		"exits":     "inconsistent unresolved unresolved unresolved unresolved",
		"forges":    "disputed resolved resolved resolved resolved",
		"of no use": "patch_failed not_scored patch_failed patch_failed patch_failed",
		"alone":     "missing missing missing missing missing",
	}
	for i, run := range results.Runs(rep) {
		var got []string
		for _, rule := range regrade.Rules() {
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
	if _, err := regrade.ByRule(t.Context(), regrade.Rules()[1], rep, r.db, base); err == nil ||
		!strings.Contains(err.Error(), "was not stored") {
		t.Errorf("what was never stored is judged: %v", err)
	}
	// Tests that decide nothing are stored, too, with a deciding one's outcome beside.
	rows, err := r.db.Query(t.Context(),
		"SELECT count(*) FROM evaluation_outcomes WHERE model = 'gold' AND run = 1 AND outcome = 'pass'")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := pipeline.Scan[int](rows, nil); err != nil || n[0] != 4 {
		t.Errorf("%v outcomes of gold: %v", n, err)
	}
}

func withoutReason(g regrade.Grade) regrade.Grade { g.Reason = ""; return g }
