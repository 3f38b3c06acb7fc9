package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
)

// TestOnePatchIsJudgedOnce: by whomever and however often it is predicted, also with
// two workers at once, and in another folder that has the same cache.
func TestOnePatchIsJudgedOnce(t *testing.T) {
	rel := makeRelease(t)
	var mu sync.Mutex
	runs := 0
	count := func(q testrun.Request) (*testrun.Report, error) {
		mu.Lock()
		defer mu.Unlock()
		runs++
		rep, err := allPass(q)
		rep.Attempts[0].Output = []byte("printed by " + q.Repository)
		return rep, err
	}
	r, _ := fakeRig(t, rel, count)
	good := patches("o/lib", goldLib)
	r.Predictions = []schema.Prediction{
		{Task: "t1", Model: "a", Mode: "joint", Attempt: 1, Patches: good, Run: &schema.PredictionRun{APIRequests: 7}},
		{Task: "t1", Model: "a", Mode: "joint", Attempt: 2, Patches: good},
		{Task: "t1", Model: "b", Mode: "joint", Attempt: 1, Patches: good, Run: &schema.PredictionRun{APIRequests: 9}},
	}
	run := &pipeline.Run{Ledger: r.db, Workers: 3}
	if err := pipeline.Execute(t.Context(), r.Stage, run); err != nil {
		t.Fatal(err)
	}
	if runs != 2 { // one a target
		t.Errorf("%d runs", runs)
	}
	reused := 0
	for _, x := range r.report(t).Runs {
		got := x.Tasks["t1"]
		if got.Status != schema.StatusResolved || got.Model != x.Model || got.Attempt != x.Attempt ||
			got.APIRequests != map[string]int64{"a1": 7, "b1": 9}[fmt.Sprint(x.Model, x.Attempt)] {
			t.Errorf("%s %d: %+v", x.Model, x.Attempt, got)
		}
		if got.Reused {
			reused++
		}
		log, err := os.ReadFile(filepath.Join(r.Out, filepath.FromSlash(got.Targets["o/lib"].Log)))
		if err != nil || !strings.Contains(string(log), "printed by o/lib") ||
			!strings.Contains(got.Targets["o/lib"].Log, x.Model+"-") {
			t.Errorf("log %q: %v\n%s", got.Targets["o/lib"].Log, err, log)
		}
	}
	if reused != 2 {
		t.Errorf("%d verdicts are called reused", reused)
	}
	if d := cmp.Diff([]string{"3"},
		storetest.Strings(t, r.db,
			"SELECT count(*)::VARCHAR FROM evaluation_tests WHERE target = 'o/lib' AND class = 'F2P' AND outcome "+
				"= 'pass'")); d != "" {
		t.Error(d)
	}
	other, _ := fakeRig(t, rel, count, schema.Prediction{Patches: good})
	other.Cache = filepath.Join(r.Out, "cache")
	if _, err := other.run(t); err != nil || runs != 2 || other.report(t).Tasks["t1"].Status != schema.StatusResolved {
		t.Errorf("in another folder: %d runs, %v", runs, err)
	}
}

// TestNothingStaleIsReused: whatever decides a verdict is in its key, and a file of
// the cache that is not what it says is judged anew.
func TestNothingStaleIsReused(t *testing.T) {
	rel := makeRelease(t)
	dir := t.TempDir()
	runs := 0
	evaluate := func(name string, want int, change func(r rig)) {
		t.Helper()
		r, _ := fakeRig(t, rel, func(q testrun.Request) (*testrun.Report, error) { runs++; return allPass(q) },
			schema.Prediction{Patches: patches("o/lib", goldLib)})
		r.Cache = dir
		if change != nil {
			change(r)
		}
		runs = 0
		if _, err := r.run(t); err != nil || runs != want {
			t.Errorf("%s: %d runs, want %d; %v", name, runs, want, err)
		}
	}
	evaluate("first", 2, nil)
	evaluate("the same", 0, nil)
	evaluate("another patch", 2, func(r rig) { r.Predictions[0].Patches = patches("o/lib", goldLib+"\n") })
	evaluate("another task", 2, func(r rig) { r.Predictions[0].Task = "t2" })
	evaluate("another mode", 1,
		func(r rig) { r.Predictions[0].Mode, r.Predictions[0].Target = schema.Independent, "o/lib" })
	evaluate("another target of that mode", 1, func(r rig) {
		r.Predictions[0].Mode, r.Predictions[0].Target, r.Predictions[0].Patches = schema.Independent, "o/tool",
			patches()
	})
	evaluate("another limit", 2, func(r rig) { r.Limits.Timeout = 99e9 })
	evaluate("another guard", 2, func(r rig) { r.Guard = guard.Off })
	evaluate("another base image", 2, func(r rig) { r.BaseImages = map[string]string{"a": "b"} })
	evaluate("another platform", 2, func(r rig) { r.Images = arm{} })
	versions := func(languages, formats map[string]string) func(r rig) {
		return func(r rig) { r.Versions = testrun.Versions{Languages: languages, Formats: formats} }
	}
	evaluate("another version of a language that no target is in", 0, versions(map[string]string{"go": "5", "shell": "5",
		"php": "6"}, nil))
	evaluate("another version of a format that no target writes", 0, versions(nil, map[string]string{"gotest": "4",
		"tap": "4", "phpunit": "5"}))
	evaluate("another version of a target's language", 2, versions(map[string]string{"go": "6", "shell": "5"}, nil))
	evaluate("another version of a target's format", 2, versions(nil, map[string]string{"gotest": "4", "tap": "5"}))
	evaluate("the same again", 0, nil)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json.gz"))
	if err != nil || len(files) != 11 {
		t.Fatal(files, err)
	}
	for i, f := range files { // each one another's content
		b, err := os.ReadFile(files[(i+1)%len(files)])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f+".new", b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if err := os.Rename(f+".new", f); err != nil {
			t.Fatal(err)
		}
	}
	evaluate("files swapped", 2, nil)
	if err := os.WriteFile(files[0], []byte("torn"), 0o644); err != nil {
		t.Fatal(err)
	}
	evaluate("written anew", 0, nil)
}

// arm is another machine.
type arm struct{ withoutImages }

func (arm) Host(context.Context) (sandbox.Host, error) {
	return sandbox.Host{Platform: "linux/arm64"}, nil
}

// TestAnotherPlatformIsRefused: what was validated elsewhere is evaluated here only
// where a person asks for it, and then said.
func TestAnotherPlatformIsRefused(t *testing.T) {
	rel := makeReleaseFor(t, "linux/amd64")
	r, _ := fakeRig(t, rel, allPass, schema.Prediction{Patches: patches("o/lib", goldLib)})
	r.Images = arm{}
	_, err := r.run(t)
	var failed *pipeline.FailedItems
	var need *pipeline.NeedError
	if !errors.As(err, &failed) || !errors.As(r.Down(), &need) || !strings.Contains(need.Message, "--allow-emulation") {
		t.Errorf("got %v, down %v", err, r.Down())
	}
	if got := r.report(t).Tasks["t1"]; got.Status != schema.StatusInfra {
		t.Errorf("%+v", got)
	}
	r.AllowEmulation = true
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	got := r.report(t).Tasks["t1"]
	if d := cmp.Diff(&schema.Machine{Sandbox: "docker", Platform: "linux/arm64"}, got.Machine); d != "" ||
		got.Status != schema.StatusResolved {
		t.Error(got.Status, d)
	}
	if !hasDeviation(got.Targets["o/lib"].Deviations, schema.DeviationEmulated) {
		t.Errorf("%+v", got.Targets["o/lib"].Deviations)
	}
}

func hasDeviation(list []schema.Deviation, kind string) bool {
	for _, d := range list {
		if d.Kind == kind {
			return true
		}
	}
	return false
}

// TestOnlyTroubleOfOursIsTriedAgain counts the runs that each kind of error costs.
func TestOnlyTroubleOfOursIsTriedAgain(t *testing.T) {
	reset := &sandbox.InfraError{Op: "copying", Err: errors.New("reset")}
	for name, c := range map[string]struct {
		err     error
		retries int
		calls   int
		need    string
	}{
		"once":                   {err: reset, retries: 1, calls: 2},
		"as often as asked":      {err: reset, retries: 4, calls: 5},
		"never":                  {err: reset, calls: 1},
		"a fault of our program": {err: errors.New("no such field"), retries: 1, calls: 1},
		"an image that vanished": {err: &sandbox.MissingImageError{Name: "x"}, retries: 1, calls: 2},
		"a full disk": {err: fmt.Errorf("copying: %w", syscall.ENOSPC), retries: 1, calls: 1,
			need: "a disk is full"},
		"a full disk in words": {err: errors.New("git apply: write error: No space left on device"), retries: 1,
			calls: 1, need: "a disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			r, _ := fakeRig(t, makeRelease(t),
				func(testrun.Request) (*testrun.Report, error) { calls++; return nil, c.err },
				schema.Prediction{Patches: patches("o/lib", goldLib)})
			r.Retries = c.retries
			_, err := r.run(t)
			var failed *pipeline.FailedItems
			if !errors.As(err, &failed) || calls != c.calls {
				t.Errorf("%v after %d calls, want %d", err, calls, c.calls)
			}
			if down := r.Down(); (down != nil) != (c.need != "") || down != nil &&
				!strings.Contains(down.Error(), c.need) {
				t.Errorf("down: %v", down)
			}
			if got := r.report(t).Tasks["t1"]; got.Status != schema.StatusInfra {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestWhatWasTriedAgainIsSaid also makes the image anew that vanished between runs.
func TestWhatWasTriedAgainIsSaid(t *testing.T) {
	calls := 0
	r, images := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
		if calls++; calls == 1 {
			return nil, &sandbox.MissingImageError{Name: q.Image}
		}
		return allPass(q)
	}, schema.Prediction{Patches: patches("o/lib", goldLib)})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if got := r.report(t).Tasks["t1"]; got.Status != schema.StatusResolved ||
		!hasDeviation(got.Deviations, schema.DeviationRetried) || *images != 3 {
		t.Errorf("%+v, %d images", got, *images)
	}
}

// TestVersionsOfOthersLeaveAVerdict: an evaluation that is run again keeps the verdicts
// of tasks whose languages and formats did not change.
func TestVersionsOfOthersLeaveAVerdict(t *testing.T) {
	r, _ := fakeRig(t, makeRelease(t), allPass, schema.Prediction{Patches: patches("o/lib", goldLib)})
	for _, c := range []struct {
		php, golang string
		unchanged   int
	}{{"5", "5", 0}, {"6", "5", 1}, {"6", "6", 0}, {"7", "6", 1}} {
		r.Versions.Languages = map[string]string{"go": c.golang, "shell": "5", "php": c.php}
		counts, err := r.run(t)
		if err != nil || counts.Unchanged != c.unchanged {
			t.Errorf("PHP %s, Go %s: %+v, %v", c.php, c.golang, counts, err)
		}
	}
}
