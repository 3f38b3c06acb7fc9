package evaluate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
)

// TestTheTimeLimitIsGoldsOwn: so many times gold's time and never less than the
// floor, by the release's rule or the default one, unless a person says otherwise.
func TestTheTimeLimitIsGoldsOwn(t *testing.T) {
	rule := &schema.TimeLimit{Factor: 3, Floor: 60}
	for _, c := range []struct {
		name       string
		rule       *schema.TimeLimit
		gold       float64
		validation int
		person     time.Duration
		want       time.Duration
	}{
		{"the release's factor", rule, 100, 1800, 0, 300 * time.Second},
		{"the release's floor", rule, 2, 1800, 0, 60 * time.Second},
		{"a release that says nothing", nil, 100, 1800, 0, 500 * time.Second},
		{"no measure of gold: as in validation", rule, 0, 1800, 0, 1800 * time.Second},
		{"a person's word", rule, 100, 1800, 7 * time.Second, 7 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := settings{release: &release.Release{Release: schema.Release{TimeLimit: c.rule}},
				limits: sandbox.Limits{Timeout: c.person}}
			x := release.Target{TaskTarget: schema.TaskTarget{GoldSeconds: c.gold,
				Limits: schema.RunLimits{Seconds: c.validation, Memory: 1 << 30, CPUs: 1.5, Pids: 77}}}
			l := s.limitsOf(x)
			if l.Timeout != c.want || l.Memory != 1<<30 || l.CPUs != 1.5 || l.Pids != 77 {
				t.Errorf("%+v, want %s", l, c.want)
			}
		})
	}
}

// TestATimeoutCountsOnlyAlone: what met its limit beside others is run again with
// nothing beside it, and that run is the verdict.
func TestATimeoutCountsOnlyAlone(t *testing.T) {
	hang := &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.Timeout, Detail: "no end", TimedOut: true,
		Hung: true, Duration: 60 * time.Second}}}
	for _, c := range []struct {
		name      string
		alone     func(q testrun.Request) (*testrun.Report, error)
		want      string
		goldToo   bool
		variants  []string
		wantAlone int
	}{
		{name: "ends when alone", alone: allPass, want: schema.StatusResolved,
			variants: []string{"submitted_timeout", "submitted"}, wantAlone: 1},
		{name: "hangs alone, too", alone: func(testrun.Request) (*testrun.Report, error) { return hang, nil },
			want:     schema.StatusTimeout,
			variants: []string{"submitted_timeout", "submitted"}, wantAlone: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			alone := 0
			r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
				if q.Alone {
					alone++
				}
				switch {
				case q.Repository == "o/tool" || strings.HasSuffix(q.Workspace, "/gold"):
					return allPass(q)
				case q.Alone:
					return c.alone(q)
				}
				return hang, nil
			}, schema.Prediction{Patches: patches("o/lib", goldLib)})
			if _, err := r.run(t); err != nil {
				t.Fatal(err)
			}
			got := r.report(t).Tasks["t1"].Targets["o/lib"]
			if got.Status != c.want || alone != c.wantAlone {
				t.Errorf("%+v, %d runs alone", got, alone)
			}
			if !slices.ContainsFunc(got.Deviations,
				func(d schema.Deviation) bool { return d.Kind == schema.DeviationAlone && d.Detail != "" }) ||
				!slices.ContainsFunc(got.Flags,
					func(f string) bool { return strings.HasPrefix(f, "run again alone: o/lib: no end within 1m0s") }) {
				t.Errorf("not said: %+v %q", got.Deviations, got.Flags)
			}
			if d := cmp.Diff(c.variants,
				storetest.Strings(t, r.db,
					"SELECT variant FROM evaluation_runs WHERE target = 'o/lib' ORDER BY variant DESC")); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestACrashThatDoesNotComeAgainCountsOnlyAlone: a runner that comes down beside others,
// by tests that pass by themselves, is run again with nothing beside it.
func TestACrashThatDoesNotComeAgainCountsOnlyAlone(t *testing.T) {
	crash := func(fell schema.TestOutcome, again testrun.Status) func(testrun.Request) (*testrun.Report, error) {
		return func(q testrun.Request) (*testrun.Report, error) {
			rep, err := allPass(q)
			if err != nil {
				return nil, err
			}
			one := rep.Results[0].ID
			rep.Attempts = []testrun.Attempt{
				{Status: testrun.Crashed, Detail: "crashed in lib", Parsed: testreport.Report{Running: []string{one}}},
				{Status: again, Only: []string{one}},
			}
			rep.Results[0].Outcome, rep.Results[1].Outcome = fell, schema.Error // the second is what it hid
			return rep, nil
		}
	}
	for name, c := range map[string]struct {
		first     func(testrun.Request) (*testrun.Report, error)
		want      string
		wantAlone int
	}{
		"chance":       {crash(schema.Pass, testrun.OK), schema.StatusResolved, 1},
		"comes again":  {crash(schema.Error, testrun.Crashed), schema.StatusUnresolved, 0},
		"fails then":   {crash(schema.Fail, testrun.OK), schema.StatusUnresolved, 0},
		"contradicted": {crash(schema.Pass, testrun.Inconsistent), schema.StatusUnresolved, 0},
	} {
		t.Run(name, func(t *testing.T) {
			alone := 0
			r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
				switch {
				case q.Repository == "o/tool":
					return allPass(q)
				case q.Alone:
					alone++
					return allPass(q)
				}
				return c.first(q)
			}, schema.Prediction{Patches: patches("o/lib", goldLib)})
			if _, err := r.run(t); err != nil {
				t.Fatal(err)
			}
			got := r.report(t).Tasks["t1"].Targets["o/lib"]
			if got.Status != c.want || alone != c.wantAlone {
				t.Errorf("%+v, %d runs alone", got, alone)
			}
			said := slices.ContainsFunc(got.Flags, func(f string) bool {
				return strings.HasPrefix(f,
					"run again alone: o/lib: the first run crashed in lib; what ran then passes by itself; alone: ok")
			})
			if said != (c.wantAlone == 1) {
				t.Errorf("flags: %q", got.Flags)
			}
		})
	}
}

// TestGoldsImageThatIsRemovedIsLookedForAgain: also where it is only gold's run, which
// says whose a hang is, that finds it gone.
func TestGoldsImageThatIsRemovedIsLookedForAgain(t *testing.T) {
	hang := &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.Timeout, Detail: "no end", TimedOut: true,
		Hung: true, Duration: time.Minute}}}
	golds := 0
	r, images := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
		switch gold := strings.HasSuffix(q.Workspace, "/gold"); {
		case gold:
			if golds++; golds == 1 {
				return nil, &sandbox.MissingImageError{Name: "sha256:gone"}
			}
		case q.Repository == "o/lib":
			return hang, nil
		}
		return allPass(q)
	}, schema.Prediction{Patches: patches("o/lib", goldLib)})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if got := r.report(t).Tasks["t1"].Targets["o/lib"]; got.Status != schema.StatusTimeout || golds != 2 ||
		*images != 3 {
		t.Errorf("%+v, gold ran %d times, %d images", got, golds, *images)
	}
}

// TestTheGuard: the same prediction under each guard.
func TestTheGuard(t *testing.T) {
	takesOver := diff("main_test.go", "", "package lib\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n")
	for mode, want := range map[string]struct {
		status string
		runs   int
		flag   string
	}{
		guard.Off:    {schema.StatusResolved, 2, "runner configuration: o/lib: main_test.go"},
		guard.On:     {schema.StatusDisputed, 4, "runner configuration: o/lib: main_test.go"},
		guard.Reject: {schema.StatusRejected, 0, "runner configuration: o/lib: main_test.go"},
	} {
		t.Run(mode, func(t *testing.T) {
			runs := 0
			r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
				if runs++; strings.Contains(q.Workspace, "restored-") {
					return &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.OK, ExitCode: 1}}}, nil
				}
				return allPass(q)
			}, schema.Prediction{Patches: patches("o/lib", goldLib+takesOver, "o/tool", goldTool)})
			r.Guard = mode
			if _, err := r.run(t); err != nil {
				t.Fatal(err)
			}
			rep := r.report(t)
			got := rep.Tasks["t1"]
			if got.Status != want.status || runs != want.runs || !slices.Contains(got.Flags, want.flag) {
				t.Errorf("%s after %d runs, flags %q", got.Status, runs, got.Flags)
			}
			if mode == guard.Reject &&
				(!strings.Contains(got.Reason, "o/lib/main_test.go") ||
					got.Targets["o/tool"].Status != schema.StatusRejected) {
				t.Errorf("%+v", got)
			}
			if rep.Summary.ByStatus[want.status] != 1 {
				t.Errorf("%+v", rep.Summary)
			}
			// Another guard is another verdict.
			r.Guard = map[string]string{guard.Off: guard.On, guard.On: guard.Reject, guard.Reject: guard.Off}[mode]
			if c, err := r.run(t); err != nil || c.Done != 1 {
				t.Errorf("under another guard: %+v %v", c, err)
			}
		})
	}
}

// TestDataOfTestsUnderTheGuard: what tests hold results against goes back with the
// runner configuration, and is no reason to reject a patch.
func TestDataOfTestsUnderTheGuard(t *testing.T) {
	moved := diff("testdata/wanted.txt", "5\n", "-1\n") + diff("testdata/more.txt", "", "x\n")
	for mode, want := range map[string]string{guard.Off: schema.StatusResolved, guard.On: schema.StatusDisputed,
		guard.Reject: schema.StatusDisputed} {
		r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
			b, err := os.ReadFile(filepath.Join(q.Workspace, "o", "lib", "testdata", "wanted.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if string(b) == "5\n" {
				return &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.OK, ExitCode: 1}}}, nil
			}
			return allPass(q)
		}, schema.Prediction{Patches: patches("o/lib", goldLib+moved, "o/tool", goldTool)})
		r.Guard = mode
		if _, err := r.run(t); err != nil {
			t.Fatal(err)
		}
		got := r.report(t).Tasks["t1"]
		if got.Status != want || !slices.Contains(got.Flags, "data of tests: o/lib: testdata/wanted.txt") ||
			strings.Contains(strings.Join(got.Flags, " "), "more.txt") {
			t.Errorf("%s: %s (%s), flags %q", mode, got.Status, got.Reason, got.Flags)
		}
	}
}

// TestANamesakeThatDoesNotPass: which of two tests of a name is the hidden one nobody
// can tell, so that one that validation did not know and that fails decides.
func TestANamesakeThatDoesNotPass(t *testing.T) {
	for outcome, want := range map[schema.TestOutcome]string{schema.Fail: schema.StatusUnresolved,
		schema.Pass: schema.StatusResolved, schema.Skip: schema.StatusResolved} {
		r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
			rep, err := allPass(q)
			if q.Repository == "o/tool" { // a shell's
				rep.Results = append(rep.Results, schema.TestResult{ID: q.Expected[0] + " #2", Outcome: outcome})
			}
			return rep, err
		}, schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool", goldTool)})
		if _, err := r.run(t); err != nil {
			t.Fatal(err)
		}
		if got := r.report(t).Tasks["t1"]; got.Status != want {
			t.Errorf("%s: %s (%s)", outcome, got.Status, got.Reason)
		}
	}
}

// TestTargetsOfOneImageShareALayer and those of another don't.
func TestTargetsOfOneImageShareALayer(t *testing.T) {
	w := newSharedWorkspace(&testrun.Runner{}, t.TempDir(), nil)
	a, b, c := w.layer(testrun.Request{Repository: "o/a", Image: "1"}),
		w.layer(testrun.Request{Repository: "o/b", Image: "1"}), w.layer(testrun.Request{Repository: "o/c", Image: "2"})
	if a != b || a == c || !a.Lazy {
		t.Errorf("%p %p %p, lazy %t", a, b, c, a.Lazy)
	}
}
