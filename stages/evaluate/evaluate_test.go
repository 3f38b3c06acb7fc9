package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

func TestTroubleOfOursIsInfraAndARerunCompletes(t *testing.T) {
	rel := makeRelease(t)
	down := true
	calls := 0
	r, _ := fakeRig(t, rel, func(q testrun.Request) (*testrun.Report, error) {
		calls++
		if down && calls > 1 {
			return nil, &sandbox.InfraError{Op: "running", Err: errors.New("gone"), Need: "Docker does not answer"}
		}
		return allPass(q)
	}, schema.Prediction{Task: "t1", Patches: patches()}, schema.Prediction{Task: "t2", Patches: patches()})
	_, err := r.run(t)
	var failed *pipeline.FailedItems
	if !errors.As(err, &failed) || failed.Count != 2 {
		t.Fatalf("got %v, want two failed items", err)
	}
	var need *pipeline.NeedError
	if !errors.As(r.Down(), &need) {
		t.Errorf("got %v, which does not say what is needed", r.Down())
	}
	rep := r.report(t)
	if rep.Tasks["t1"].Status != schema.StatusInfra || rep.Tasks["t2"].Status != schema.StatusInfra ||
		!rep.Summary.Incomplete {
		t.Errorf("%+v", rep.Summary)
	}
	if !strings.Contains(rep.Tasks["t1"].Reason, "Docker does not answer") {
		t.Errorf("reason %q", rep.Tasks["t1"].Reason)
	}
	// The second task did not try again what the first had found out.
	if calls != 2 {
		t.Errorf("%d runs, want 2", calls)
	}
	down = false
	if c, err := r.run(t); err != nil || c.Done != 2 {
		t.Fatal(c, err)
	}
	if err := r.Down(); err != nil {
		t.Errorf("still down: %v", err)
	}
	if rep := r.report(t); rep.Summary.TasksResolved != 2 || rep.Summary.Incomplete {
		t.Errorf("%+v", rep.Summary)
	}
	if c, err := r.run(t); err != nil || c.Unchanged != 2 {
		t.Errorf("a third run did something: %v %v", c, err)
	}
}

func TestPassingTroubleIsTriedAgain(t *testing.T) {
	calls := 0
	r, images := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
		if calls++; calls == 1 {
			return nil, &sandbox.InfraError{Op: "copying", Err: errors.New("reset")}
		}
		return allPass(q)
	}, schema.Prediction{Patches: patches()})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if rep := r.report(t); rep.Tasks["t1"].Status != schema.StatusResolved || *images != 2 {
		t.Errorf("%+v, %d images made", rep.Tasks["t1"], *images)
	}
}

func TestChangedPredictionIsJudgedAnew(t *testing.T) {
	rel := makeRelease(t)
	calls := 0
	r, _ := fakeRig(t, rel, func(q testrun.Request) (*testrun.Report, error) { calls++; return allPass(q) },
		schema.Prediction{Task: "t1", Patches: patches()}, schema.Prediction{Task: "t2", Patches: patches()})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	calls = 0
	r.Predictions[1].Patches = patches("o/lib", goldLib)
	if c, err := r.run(t); err != nil || c.Done != 1 || c.Unchanged != 1 || calls != 2 {
		t.Errorf("%+v, %v, %d runs", c, err, calls)
	}
	// A prediction that is gone takes its rows with it.
	r.Predictions = r.Predictions[:1]
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if rep := r.report(t); rep.Tasks["t2"].Status != schema.StatusMissing {
		t.Errorf("%+v", rep.Tasks["t2"])
	}
	rows, err := r.db.Query(t.Context(), "SELECT DISTINCT task_id FROM evaluation_verdicts ORDER BY task_id")
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pipeline.Scan[string](rows, nil)
	if d := cmp.Diff([]string{"t1"}, ids); d != "" || err != nil {
		t.Error(d, err)
	}
}

// TestWhatDecidesTheVerdictRunsItAnew: another base image or time limit does, and
// the limit reaches the runner before the recipe's own.
func TestWhatDecidesTheVerdictRunsItAnew(t *testing.T) {
	seconds := map[int]bool{}
	r, _ := fakeRig(t, makeRelease(t),
		func(q testrun.Request) (*testrun.Report, error) { seconds[q.Recipe.Timeout] = true; return allPass(q) },
		schema.Prediction{Patches: patches("o/lib", goldLib)})
	for i, change := range []func(){func() {}, func() { r.BaseImages = map[string]string{"debian:trixie": "mine"} },
		func() { r.Limits.Timeout = 90 * time.Second }} {
		change()
		if c, err := r.run(t); err != nil || c.Done != 1 {
			t.Errorf("change %d: %+v %v", i, c, err)
		}
	}
	if c, err := r.run(t); err != nil || c.Unchanged != 1 {
		t.Errorf("no change: %+v %v", c, err)
	}
	if !seconds[90] || len(seconds) != 2 {
		t.Errorf("limits of the runs: %v", seconds)
	}
}

func TestTimeoutIsThePatchsOnlyIfGoldEnds(t *testing.T) {
	whole := testrun.Attempt{Status: testrun.Timeout, Detail: "no end", TimedOut: true, Hung: true}
	inside := testrun.Attempt{Status: testrun.Crashed, Detail: "panic: test timed out after 10m0s", ExitCode: 1,
		Hung: true}
	for name, tc := range map[string]struct {
		how       testrun.Attempt
		goldHangs bool
		want      string
	}{"gold ends": {whole, false, schema.StatusTimeout}, "gold hangs too": {whole, true, schema.StatusInfra},
		"gold ends before the runner's own limit": {inside, false, schema.StatusUnresolved},
		"gold meets it too":                       {inside, true, schema.StatusInfra}} {
		t.Run(name, func(t *testing.T) {
			hang := &testrun.Report{Attempts: []testrun.Attempt{tc.how}}
			r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
				if !strings.HasSuffix(q.Workspace, "/gold") || tc.goldHangs {
					return hang, nil
				}
				return allPass(q)
			}, schema.Prediction{Patches: patches("o/lib", goldLib)})
			_, _ = r.run(t)
			if got := r.report(t).Tasks["t1"]; got.Status != tc.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestRunsOfSeveralModelsAreReportedEach(t *testing.T) {
	rel := makeRelease(t)
	r, _ := fakeRig(t, rel, allPass)
	r.Predictions = []schema.Prediction{
		{Task: "t1", Model: "a/b", Mode: "joint", Attempt: 1, Patches: patches("o/lib", goldLib)},
		{Task: "t1", Model: "a/b", Mode: "joint", Attempt: 2, Patches: patches("o/lib", goldLib)},
		{Task: "t2", Model: "a/b", Mode: "independent", Target: "o/lib", Attempt: 1,
			Patches: patches("o/lib", goldLib)},
		{Task: "t2", Model: "a/b", Mode: "independent", Target: "o/tool", Attempt: 1, Patches: patches()},
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	rep := r.report(t)
	var got []string
	for _, x := range rep.Runs {
		got = append(got, fmt.Sprintf("%s %d: t1 %s, t2 %s", x.Mode, x.Attempt, x.Tasks["t1"].Status,
			x.Tasks["t2"].Status))
	}
	want := []string{"joint 1: t1 resolved, t2 missing", "joint 2: t1 resolved, t2 missing",
		"independent 1: t1 missing, t2 resolved"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(rep.Runs[0].Tasks, rep.Tasks); d != "" {
		t.Error(d)
	}
	followsSchema(t, filepath.Join(r.Out, "report.json"))
}

func TestMissingSourcesAreSaidBeforeAnythingRuns(t *testing.T) {
	rel := makeRelease(t)
	r, _ := fakeRig(t, rel, allPass, schema.Prediction{Patches: patches()})
	if err := os.Remove(filepath.Join(rel.Dir, filepath.FromSlash(rel.Sources[0].File()))); err != nil {
		t.Fatal(err)
	}
	_, err := r.run(t)
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !strings.Contains(err.Error(), "release fetch") {
		t.Errorf("got %v", err)
	}
}

func followsSchema(t *testing.T, file string) {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "schema", "json", "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Error(err)
	}
}
