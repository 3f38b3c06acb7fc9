package evaluate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// allFail is a run in which every expected test fails.
func allFail(q testrun.Request) (*testrun.Report, error) {
	rep, err := allPass(q)
	for i := range rep.Results {
		rep.Results[i].Outcome = schema.Fail
	}
	rep.Attempts[0].ExitCode = 1
	return rep, err
}

// doesNotBuild is a run in which no test began, since a file does not build.
func doesNotBuild(errors string) *testrun.Report {
	return &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.BuildFailed, Detail: errors, ExitCode: 1,
		Parsed: testreport.Report{Problems: []testreport.Problem{
			{Unit: "example.com/lib", Kind: testreport.BuildFailed, Message: errors}}}}}}
}

// inSecondRun tells whether a request is a second run's.
func inSecondRun(q testrun.Request) bool { return strings.Contains(q.Workspace, "restored-") }

// takesOver is a change that the guard puts back.
var takesOver = diff("main_test.go", "",
	"package lib\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n")

// TestTwoCounts: resolved is strict, as submitted is the first run alone, and what the
// first run does not resolve has no second one.
func TestTwoCounts(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second func(testrun.Request) (*testrun.Report, error)
		status        string
		runs          int
		asSubmitted   bool
	}{
		"resolves in both":        {allPass, allPass, schema.StatusResolved, 2, true},
		"resolves as submitted":   {allPass, allFail, schema.StatusDisputed, 2, true},
		"resolves only with base": {allFail, allPass, schema.StatusUnresolved, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
				if q.Repository != "o/lib" {
					return allPass(q)
				}
				runs++
				if inSecondRun(q) {
					return tc.second(q)
				}
				return tc.first(q)
			}, schema.Prediction{Patches: patches("o/lib", goldLib+takesOver)})
			if _, err := r.run(t); err != nil {
				t.Fatal(err)
			}
			rep := r.report(t)
			got := rep.Tasks["t1"]
			strict := tc.status == schema.StatusResolved
			if got.Status != tc.status || got.Resolved != strict || got.AsSubmitted != tc.asSubmitted || runs != tc.runs {
				t.Errorf("after %d runs: %+v", runs, got)
			}
			if d := cmp.Diff(map[string][]string{"o/lib": {"main_test.go"}}, got.PutBack); d != "" {
				t.Error(d)
			}
			x := got.Targets["o/lib"]
			if x.Resolved != strict || x.AsSubmitted != tc.asSubmitted || x.Status != tc.status {
				t.Errorf("%+v", x)
			}
			s := rep.Summary
			if s.TasksAsSubmitted != count(tc.asSubmitted) || s.TasksResolved != count(strict) ||
				s.TargetsAsSubmitted != 1+count(tc.asSubmitted) || rep.Rules != r.Version() {
				t.Errorf("rules %q: %+v", rep.Rules, s)
			}
			followsSchema(t, filepath.Join(r.Out, "report.json"))
			want := strings.Join([]string{"t1", trueFalse(strict), trueFalse(tc.asSubmitted), r.Version()}, " ")
			if got := ask(t, r.db, "SELECT task_id || ' ' || resolved || ' ' || as_submitted || ' ' || rules "+
				"FROM evaluation_tasks WHERE task_id = 't1'"); got != want {
				t.Errorf("the view says %q, want %q", got, want)
			}
		})
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func trueFalse(b bool) string { return map[bool]string{true: "true", false: "false"}[b] }

// TestATreeThatDoesNotBuild: test files that the errors name and nobody needs are left
// out of a further run; if the tree does not build then, the target is unbuilt.
func TestATreeThatDoesNotBuild(t *testing.T) {
	const old = "old/old_test.go:1:1: undefined: gone"
	for name, tc := range map[string]struct {
		errors   string
		builds   bool // without old/old_test.go
		want     string
		variants []string
		reason   string
	}{
		"a file that nobody needs": {old, true, schema.StatusResolved,
			[]string{"base_config", "base_config_unbuilt", "submitted"}, ""},
		"further errors": {old, false, schema.StatusUnbuilt,
			[]string{"base_config", "base_config_unbuilt", "submitted"}, "lib.go does not build"},
		"a file of the code": {"./lib.go:3:1: undefined: gone", false, schema.StatusUnbuilt,
			[]string{"base_config", "submitted"}, "lib.go does not build"},
		"a hidden file": {"lib_test.go:3:1: undefined: gone", false, schema.StatusUnbuilt,
			[]string{"base_config", "submitted"}, "lib_test.go does not build"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
				if q.Repository != "o/lib" || !inSecondRun(q) {
					return allPass(q)
				}
				_, err := os.Stat(filepath.Join(q.Workspace, "o", "lib", "old", "old_test.go"))
				switch {
				case err == nil:
					return doesNotBuild(tc.errors), nil
				case tc.builds:
					return allPass(q)
				}
				return doesNotBuild("lib.go:1:1: undefined: gone"), nil
			}, schema.Prediction{Patches: patches("o/lib", goldLib+takesOver)})
			if _, err := r.run(t); err != nil {
				t.Fatal(err)
			}
			rep := r.report(t)
			x := rep.Tasks["t1"].Targets["o/lib"]
			if x.Status != tc.want || !x.AsSubmitted || !strings.Contains(x.Reason, tc.reason) {
				t.Errorf("%+v", x)
			}
			if hasDeviation(x.Deviations, schema.DeviationLeftOut) != (len(tc.variants) == 3) {
				t.Errorf("left out: %+v", x.Deviations)
			}
			if rep.Summary.ByStatus[tc.want] != 1 {
				t.Errorf("%+v", rep.Summary)
			}
			if d := cmp.Diff(tc.variants, storetest.Strings(t, r.db,
				"SELECT variant FROM evaluation_runs WHERE target = 'o/lib' ORDER BY variant")); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestAFailingTestIsNoBuildError: where a listed test fails, the target is disputed,
// whatever else does not build.
func TestAFailingTestIsNoBuildError(t *testing.T) {
	r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
		if q.Repository != "o/lib" || !inSecondRun(q) {
			return allPass(q)
		}
		rep := doesNotBuild("lib.go:1:1: undefined: gone")
		rep.Attempts[0].Status = testrun.OK
		rep.Results = []schema.TestResult{{ID: "example.com/lib::TestZero", Outcome: schema.Fail}}
		return rep, nil
	}, schema.Prediction{Patches: patches("o/lib", goldLib+takesOver)})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if x := r.report(t).Tasks["t1"].Targets["o/lib"]; x.Status != schema.StatusDisputed {
		t.Errorf("%+v", x)
	}
}
