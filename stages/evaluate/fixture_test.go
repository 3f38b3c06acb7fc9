package evaluate

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/evaluatetest"
)

// The small release that these tests evaluate; see evaluatetest.
const (
	libMod   = evaluatetest.LibMod
	libGo    = evaluatetest.LibGo
	libTest  = evaluatetest.LibTest
	tool     = evaluatetest.Tool
	toolGold = evaluatetest.ToolGold
	tapLib   = evaluatetest.TapLib
)

var (
	diff            = evaluatetest.Diff
	patches         = evaluatetest.Patches
	makeRelease     = evaluatetest.Release
	makeReleaseFor  = evaluatetest.ReleaseFor
	makeReleaseWith = evaluatetest.ReleaseWith
	goldLib         = evaluatetest.GoldLib
	goldTool        = evaluatetest.GoldTool
)

type rig struct {
	*Stage
	db *store.DB
}

func newRig(t *testing.T, rel *release.Release, predictions ...schema.Prediction) rig {
	t.Helper()
	db := storetest.Open(t)
	backend := process.Open(registry.HostCaches(t.Context()))
	for i := range predictions {
		predictions[i].Model, predictions[i].Attempt = "m", 1
		if predictions[i].Mode == "" {
			predictions[i].Mode = schema.Joint
		}
		if predictions[i].Task == "" {
			predictions[i].Task = "t1"
		}
	}
	return rig{&Stage{DB: db, Release: rel, Predictions: predictions, Out: t.TempDir(), Images: backend,
		TrustPatches: true, Retries: 1, Wait: time.Millisecond,
		Runner: &testrun.Runner{Backend: backend}}, db}
}

func (r rig) run(t *testing.T) (pipeline.Counts, error) {
	t.Helper()
	run := &pipeline.Run{Ledger: r.db, Workers: 1}
	err := pipeline.Execute(t.Context(), r.Stage, run)
	return run.Counts, err
}

func (r rig) report(t *testing.T) schema.Report {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.Out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rep schema.Report
	if err := json.Unmarshal(b, &rep); err != nil {
		t.Fatal(err)
	}
	return rep
}

// states gives a task's state and its targets'.
func states(r schema.TaskReport) map[string]string {
	out := map[string]string{"": r.Status}
	for k, t := range r.Targets {
		out[k] = t.Status
	}
	return out
}

// fake is a runner that says what it is told.
type fake struct {
	run    func(q testrun.Request) (*testrun.Report, error)
	images *int
}

func (f fake) Run(_ context.Context, q testrun.Request) (*testrun.Report, error) { return f.run(q) }

func (f fake) Workspace(q testrun.Request) *testrun.Workspace {
	return (&testrun.Runner{}).Workspace(q)
}

func (f fake) LockedPin(string) (string, error) { return "", nil }

func (f fake) Base(_ context.Context, name string) (testrun.BaseImage, error) {
	return testrun.BaseImage{LockedImage: testrun.LockedImage{Pin: "pin of " + name}}, nil
}

func (f fake) Select(testrun.Request) (kit.Selection, error) {
	return kit.Selection{Files: []string{"x"}}, nil
}

func (f fake) EnsureImage(context.Context, testrun.ImageRequest) (testrun.Image, error) {
	*f.images++
	return testrun.Image{ID: "made"}, nil
}

func allPass(q testrun.Request) (*testrun.Report, error) {
	rep := &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.OK}}}
	for _, id := range slices.Sorted(slices.Values(q.Expected)) {
		rep.Results = append(rep.Results, schema.TestResult{ID: id, Outcome: schema.Pass})
	}
	return rep, nil
}

// withoutImages is a sandbox that has no image yet.
type withoutImages struct{}

func (withoutImages) Name() string { return "docker" }

func (withoutImages) Host(context.Context) (sandbox.Host, error) {
	return sandbox.Host{Platform: "linux/amd64"}, nil
}

func (withoutImages) ImageID(context.Context, string) (string, error) {
	return "", &sandbox.MissingImageError{Name: "any"}
}

func fakeRig(t *testing.T, rel *release.Release, run func(testrun.Request) (*testrun.Report, error),
	p ...schema.Prediction) (rig, *int) {
	r := newRig(t, rel, p...)
	images := 0
	r.Images = withoutImages{}
	r.Runner = fake{run, &images}
	return r, &images
}
