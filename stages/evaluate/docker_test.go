package evaluate

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// interrupting is a runner during whose first run the person interrupts.
type interrupting struct {
	*testrun.Runner
	interrupt func()
}

func (r *interrupting) Run(ctx context.Context, q testrun.Request) (*testrun.Report, error) {
	if r.interrupt != nil {
		time.AfterFunc(2*time.Second, r.interrupt)
	}
	return r.Runner.Run(ctx, q)
}

// left counts the containers and the workspaces' layers of this process.
func left(t *testing.T, api *client.Client) int {
	t.Helper()
	mine := filters.NewArgs(filters.Arg("label", "wideswe.pid="+strconv.Itoa(os.Getpid())))
	containers, err := api.ContainerList(t.Context(), container.ListOptions{All: true, Filters: mine})
	if err != nil {
		t.Fatal(err)
	}
	mine.Add("label", "wideswe.stage=workspace")
	images, err := api.ImageList(t.Context(), image.ListOptions{Filters: mine})
	if err != nil {
		t.Fatal(err)
	}
	return len(containers) + len(images)
}

// TestInterruptedInDocker: nothing is left behind, no half verdict is stored, and the
// same call again ends as one that nothing disturbed.
func TestInterruptedInDocker(t *testing.T) {
	d, base := dockertest.Open(t)
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	// Only the shell repository's tests run: its image needs nothing that is fetched.
	slow := diff("tool.sh", tool, "sleep 4\n"+toolGold)
	r := newRig(t, makeRelease(t),
		schema.Prediction{Mode: schema.Independent, Target: "o/tool", Patches: patches("o/tool", slow)},
		schema.Prediction{Task: "t2", Mode: schema.Independent, Target: "o/tool",
			Patches: patches("o/tool", diff("tool.sh", tool, "sleep 4\n"))})
	ctx, interrupt := context.WithCancel(t.Context())
	runner := &interrupting{&testrun.Runner{Backend: d, Images: map[string]string{"debian:trixie": base},
		Budget: testrun.MachineBudget(d)}, interrupt}
	r.Images, r.Runner = d, runner
	err = pipeline.Execute(ctx, r.Stage, &pipeline.Run{Ledger: r.db, Workers: 2})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if n := left(t, api); n > 0 {
		t.Errorf("%d containers and layers are left", n)
	}
	rep := r.report(t)
	if rep.Tasks["t1"].Status != schema.StatusInfra || rep.Tasks["t2"].Status != schema.StatusInfra {
		t.Errorf("after the interrupt: %s, %s", rep.Tasks["t1"].Status, rep.Tasks["t2"].Status)
	}
	runner.interrupt = nil
	run := &pipeline.Run{Ledger: r.db, Workers: 2}
	if err := pipeline.Execute(t.Context(), r.Stage, run); err != nil || run.Counts.Done != 2 {
		t.Fatalf("%+v %v", run.Counts, err)
	}
	rep = r.report(t)
	want := patches("", "missing", "o/lib", "missing", "o/tool", "resolved")
	if d := cmp.Diff(want, states(rep.Tasks["t1"])); d != "" {
		t.Errorf("%s\n%+v", d, rep.Tasks["t1"])
	}
	want["o/tool"] = "unresolved"
	if d := cmp.Diff(want, states(rep.Tasks["t2"])); d != "" {
		t.Errorf("%s\n%+v", d, rep.Tasks["t2"])
	}
	if m := rep.Tasks["t1"].Machine; m == nil || m.Engine == "" || m.Kernel == "" || m.Platform == "" {
		t.Errorf("machine %+v", m)
	}
	if n := left(t, api); n > 0 {
		t.Errorf("%d containers and layers are left in the end", n)
	}
	for _, id := range storetest.Strings(t, r.db, "SELECT DISTINCT image_id FROM evaluation_runs") {
		_ = d.RemoveImage(t.Context(), id) // shared with others where it was there before
	}
}
