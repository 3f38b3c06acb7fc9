package evaluate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// TestHiddenTestsLieElsewhere: the hidden test is installed at a path of its own under
// other names, and what the prediction made of the public one stays beside it.
func TestHiddenTestsLieElsewhere(t *testing.T) {
	testscope.NotShort(t, "it runs go test")
	rel := makeReleaseWith(t, "", func(r *schema.Recipe, tests *schema.TestsFile) {
		r.Relocate = []schema.Relocation{{From: "lib_test.go", To: "lib_hidden_test.go",
			Rename: map[string]string{"TestZero": "TestZeroHidden"}}}
		tests.P2P = []string{"example.com/lib::TestZeroHidden"}
	})
	own := diff("lib_test.go", libTest, libTest+"\nfunc TestOwn(t *testing.T) {}\n")
	r := newRig(t, rel, schema.Prediction{Patches: patches("o/lib", goldLib+own, "o/tool", goldTool)},
		schema.Prediction{Task: "t2", Patches: patches("o/lib", own)})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	rep := r.report(t)
	got := rep.Tasks["t1"].Targets["o/lib"]
	if got.Status != schema.StatusResolved || len(got.Replaced) > 0 {
		t.Errorf("%+v", got)
	}
	want := []schema.Deviation{{Kind: schema.DeviationRelocated, Repository: "o/lib",
		Files: []string{"lib_hidden_test.go"}, Detail: "of lib_test.go"},
		{Kind: schema.DeviationGuarded, Detail: "resolved (F2P 1/1, P2P 1/1)"}}
	if d := cmp.Diff(want, got.Deviations); d != "" {
		t.Error(d)
	}
	if got := rep.Tasks["t2"].Targets["o/lib"]; got.F2P.Passed != 0 || got.P2P.Passed != 1 {
		t.Errorf("without gold: %+v", got)
	}
}

// TestARelocationThatCantBeDoneIsNoSuccess: the source is not there.
func TestARelocationThatCantBeDoneIsNoSuccess(t *testing.T) {
	rel := makeReleaseWith(t, "", func(r *schema.Recipe, _ *schema.TestsFile) {
		r.Relocate = []schema.Relocation{{From: "gone_test.go", To: "lib_hidden_test.go"}}
	})
	r, _ := fakeRig(t, rel, allPass, schema.Prediction{Patches: patches("o/lib", goldLib)})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if got := r.report(t).Tasks["t1"]; got.Status != schema.StatusInjectionFailed {
		t.Errorf("%+v", got)
	}
}
