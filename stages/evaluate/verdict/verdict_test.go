package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

func TestStatusOfARun(t *testing.T) {
	x := release.Target{Tests: schema.TestsFile{F2P: []string{"u::a"}, P2P: []string{"u::b"}}}
	pass := []schema.TestResult{{ID: "u::a", Outcome: schema.Pass}, {ID: "u::b", Outcome: schema.Pass}}
	tests := map[string]struct {
		attempt testrun.Attempt
		results []schema.TestResult
		want    string
		f2p     int
	}{
		"all pass":    {testrun.Attempt{Status: testrun.OK}, pass, schema.StatusResolved, 1},
		"one missing": {testrun.Attempt{Status: testrun.OK}, pass[:1], schema.StatusUnresolved, 1},
		"one skipped": {testrun.Attempt{Status: testrun.OK},
			[]schema.TestResult{pass[0], {ID: "u::b", Outcome: schema.Skip}}, schema.StatusUnresolved, 1},
		"passes in a bad run": {testrun.Attempt{Status: testrun.Inconsistent}, pass, schema.StatusInconsistent, 0},
		"passes, then hangs":  {testrun.Attempt{Status: testrun.Timeout}, pass, schema.StatusTimeout, 0},
		"quits with success":  {testrun.Attempt{Status: testrun.NoReport}, nil, schema.StatusInconsistent, 0},
		"quits with an error": {testrun.Attempt{Status: testrun.NoReport, ExitCode: 1}, nil, schema.StatusUnresolved,
			0},
		"crash, all else there": {testrun.Attempt{Status: testrun.Crashed, ExitCode: 2}, pass, schema.StatusResolved,
			1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, _ := Score(&testrun.Report{Attempts: []testrun.Attempt{tc.attempt}, Results: tc.results}, x)
			if r.Status != tc.want || r.F2P.Passed != tc.f2p || r.Resolved != (tc.want == schema.StatusResolved) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestATestOfTheSameNameTakesNoOnesPlace(t *testing.T) {
	x := release.Target{Recipe: schema.Recipe{Toolchain: "go"},
		Tests: schema.TestsFile{F2P: []string{"u::a"}, P2P: []string{"u::b", "u::b #2"}, Unstable: []string{"u::b #3"}}}
	results := []schema.TestResult{{ID: "u::a", Outcome: schema.Pass}, {ID: "u::b", Outcome: schema.Pass},
		{ID: "u::b #2", Outcome: schema.Pass}, {ID: "u::b #3", Outcome: schema.Fail}}
	rep := &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.OK, ExitCode: 1}}, Results: results}
	if r, _ := Score(rep, x); !r.Resolved {
		t.Errorf("what validation knew twice: %+v", r)
	}
	rep.Results = slices.Insert(slices.Clone(results), 1, schema.TestResult{ID: "u::a #2", Outcome: schema.Fail})
	if r, _ := Score(rep, x); r.Resolved || r.F2P.Passed != 0 || len(r.Failing) != 1 {
		t.Errorf("a stub took the name: %+v", r)
	}
}

// TestAFailureOfOnesOwnExplainsNoExitCode: a report in which all that decides passes,
// and a test that validation never saw accounts for the runner's exit code.
func TestAFailureOfOnesOwnExplainsNoExitCode(t *testing.T) {
	x := func(others []string) release.Target {
		return release.Target{Tests: schema.TestsFile{F2P: []string{"u::a"}, P2P: []string{"u::b"},
			Unstable: []string{"u::c"}, Others: others}}
	}
	fails := func(ids ...string) []schema.TestResult {
		list := []schema.TestResult{{ID: "u::a", Outcome: schema.Pass}, {ID: "u::b", Outcome: schema.Pass}}
		for _, id := range ids {
			list = append(list, schema.TestResult{ID: id, Outcome: schema.Fail})
		}
		return list
	}
	for _, c := range []struct {
		name    string
		exit    int
		others  []string
		results []schema.TestResult
		want    string
		said    bool
	}{
		{"one of its own", 1, []string{}, fails("u::z"), schema.StatusInconsistent, true},
		{"ends well", 0, []string{}, fails(), schema.StatusResolved, false},
		{"an unstable one", 1, []string{}, fails("u::c", "u::z"), schema.StatusResolved, false},
		{"one that fails on gold, too", 1, []string{"u::d"}, fails("u::d"), schema.StatusResolved, false},
		{"a release that does not say", 1, nil, fails("u::z"), schema.StatusResolved, true},
		{"unresolved anyway", 1, []string{}, fails("u::z")[1:], schema.StatusUnresolved, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := Score(&testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.OK, ExitCode: c.exit}},
				Results: c.results}, x(c.others))
			if r.Status != c.want || said(r) != c.said || r.Resolved != (r.F2P.Passed == 1 && r.P2P.Passed == 1) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestTheStatesAreCompleteAndExclusive: every state has its place among the others, once.
func TestTheStatesAreCompleteAndExclusive(t *testing.T) {
	want := strings.Fields("resolved unresolved disputed unbuilt empty missing patch_failed patch_unsafe rejected " +
		"injection_failed timeout inconsistent infra")
	got := slices.Sorted(slices.Values(BySeverity()))
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, s := range BySeverity() {
		both := map[string]schema.TargetReport{"o/a": {Status: schema.StatusResolved}, "o/b": {Status: s}}
		if status, _ := TaskState(both); status != s {
			t.Errorf("a target that is %s beside a resolved one makes a task that is %s", s, status)
		}
	}
}

func TestOutcomesOfReruns(t *testing.T) {
	rep := &testrun.Report{Attempts: []testrun.Attempt{
		{Taken: []schema.TestResult{{ID: "u::a", Outcome: schema.Pass, Seconds: 1},
			{ID: "u::b", Outcome: schema.NotRun}}},
		{Taken: []schema.TestResult{{ID: "u::b", Outcome: schema.Fail, Message: "m"}}},
	}, Results: []schema.TestResult{{ID: "u::a", Outcome: schema.Pass}, {ID: "u::b", Outcome: schema.Fail},
		{ID: "u::c", Outcome: schema.Skip}, {ID: "u::d"}}}
	want := []Outcome{{"u::a", 1, schema.Pass, 1, ""}, {"u::b", 1, schema.NotRun, 0, ""},
		{"u::b", 2, schema.Fail, 0, "m"}, {"u::c", 1, schema.Skip, 0, ""}}
	if d := cmp.Diff(want, Outcomes(rep)); d != "" {
		t.Error(d)
	}
}

// said tells whether a report notes tests that validation does not know.
func said(r schema.TargetReport) bool {
	return slices.ContainsFunc(r.Deviations,
		func(d schema.Deviation) bool { return d.Kind == schema.DeviationUnknownTests })
}

// A sum of which a part is not known is not known.
func TestRequestsOfIndependentRuns(t *testing.T) {
	for _, tt := range []struct{ lib, tool, want int64 }{{3, 4, 7}, {3, 0, 0}, {0, 4, 0}, {0, 0, 0}} {
		list := []schema.Prediction{{Target: "o/lib", Run: &schema.PredictionRun{APIRequests: tt.lib}},
			{Target: "o/tool"}}
		if tt.tool > 0 {
			list[1].Run = &schema.PredictionRun{APIRequests: tt.tool}
		}
		v := New()
		v.SetIdentity(schema.RunKey{}, list)
		if got := v.Report.APIRequests; got != tt.want {
			t.Errorf("%d and %d: %d, want %d", tt.lib, tt.tool, got, tt.want)
		}
	}
}
