package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// benchValidateCommand prints what make bench-validate shows: what validation costs
// beside Docker alone, and how fast reports are read. It makes its own small tasks
// and needs no network.
func newValidateCommand(e *env.Env) *cobra.Command {
	v := &dockerFigures{env: e}
	c := &cobra.Command{
		Use: "validate", Args: cobra.NoArgs,
		Short: "Measure runs, workers, the image cache and report parsers beside Docker alone",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := v.open(cmd.Context()); err != nil {
				return err
			}
			defer v.close()
			for _, measure := range []func(context.Context) error{v.overhead, v.cache, v.workers, v.parsers} {
				if err := measure(cmd.Context()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	v.flags(c)
	return c
}

// dockerFigures measures things that run in Docker.
type dockerFigures struct {
	env     *env.Env
	image   string
	rounds  int
	seconds float64
	cpus    float64
	// tasks are what the figures of workers and images are made with: each runs once on
	// base and once on gold.
	tasks   int
	reports int // tests of a generated report

	d      *docker.Sandbox
	dir    string
	salt   string // makes this bench's images its own
	images map[string]bool
	loops  int // of a shell that compute for about seconds
}

func (v *dockerFigures) flags(c *cobra.Command) {
	c.Flags().StringVar(&v.image, "image", "debian:trixie", "the base image: one with a shell will do")
	c.Flags().IntVar(&v.rounds, "rounds", 3, "how often each figure is measured; the median counts")
	c.Flags().IntVar(&v.tasks, "tasks", 4, "tasks for the figures of workers and images")
	c.Flags().IntVar(&v.reports, "reports", 20_000, "tests of a generated report")
	c.Flags().Float64Var(&v.cpus, "cpus", 1, "CPUs of a run: two workers need room for two")
	c.Flags().Float64Var(&v.seconds, "seconds", 1, "how long a test sleeps or computes")
}

// limits are those of every run here, ours and Docker's alone.
func (v *dockerFigures) limits() sandbox.Limits {
	return sandbox.Limits{CPUs: v.cpus, Memory: 1 << 30, Pids: 512, Timeout: 10 * time.Minute}
}

func (v *dockerFigures) open(ctx context.Context) error {
	if v.rounds < 1 || v.seconds <= 0 || v.cpus <= 0 || v.tasks < 1 || v.reports < 1 {
		return pipeline.Usage("--rounds, --seconds, --cpus, --tasks and --reports must be more than nothing")
	}
	if _, err := exec.LookPath("docker"); err != nil {
		return pipeline.Need("the docker command is not there, and it is what runs are held against; install it")
	}
	var err error
	if v.d, err = v.env.OpenDocker(ctx); err != nil {
		return err
	}
	base, err := v.runner().Base(ctx, v.image)
	if err != nil {
		return pipeline.Need("%v; scripts/base-image makes one", err)
	}
	v.images, v.salt = map[string]bool{}, strconv.FormatInt(time.Now().UnixNano(), 36)
	if v.dir, err = os.MkdirTemp("", "wideswe-bench"); err != nil {
		return err
	}
	v.loops, err = v.calibrate(ctx, base.ID)
	return err
}

// close removes what the bench made, after an interrupt, too.
func (v *dockerFigures) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for id := range v.images {
		_ = v.d.RemoveImage(ctx, id) // what another stands on goes with it later: images prune
	}
	_ = os.RemoveAll(v.dir)
}

func (v *dockerFigures) runner() *testrun.Runner {
	return &testrun.Runner{Backend: v.d, Limits: v.limits(), Log: v.env.Log(), Toolchain: lockedShell}
}

// calibrate finds how many turns of a shell's loop take about as long as a test is
// to compute.
func (v *dockerFigures) calibrate(ctx context.Context, image string) (int, error) {
	const probe = 200_000
	start := time.Now()
	if err := v.docker(ctx, image, computing(1)); err != nil {
		return 0, err
	}
	idle := time.Since(start)
	start = time.Now()
	if err := v.docker(ctx, image, computing(probe)); err != nil {
		return 0, err
	}
	took := max(time.Since(start)-idle, 20*time.Millisecond).Seconds()
	return max(1, int(probe*v.seconds/took)), nil
}

// docker is a run as anyone would make it: the docker command, with the limits and
// the walls that ours have.
func (v *dockerFigures) docker(ctx context.Context, image, script string) error {
	l := v.limits().Defaults()
	memory := strconv.FormatInt(l.Memory, 10)
	out, err := exec.CommandContext(ctx, "docker", "run", "--rm", "--init", "--network", "none", "--user", sandbox.User,
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--cpus", fmt.Sprint(l.CPUs), "--memory", memory,
		"--memory-swap", memory,
		"--pids-limit", strconv.FormatInt(l.Pids, 10), "--label", "wideswe.bench="+v.salt, image, "/bin/sh", "-ec",
		script).CombinedOutput()
	if err != nil {
		return fmt.Errorf("docker run: %w: %s", err, tailOf(out))
	}
	return nil
}

func tailOf(out []byte) string { return string(out[max(0, len(out)-300):]) }

// overhead holds a run of one target's tests, its trees laid, against docker run of
// the same script in the same image, in turns.
func (v *dockerFigures) overhead(ctx context.Context) error {
	t, err := v.lone(ctx, sleeping(2*v.seconds))
	if err != nil {
		return err
	}
	defer t.remove()
	var ours, bare []float64
	for range 2*v.rounds + 1 {
		took, err := timed(func() error { return t.run(ctx) })
		if err != nil {
			return err
		}
		ours = append(ours, took)
		took, err = timed(func() error {
			return v.docker(ctx, t.laid, "cd /workspace/bench/app\nmkdir -p /tmp/out\nsh ./tests/change.sh > "+
				"/tmp/out/report.tap")
		})
		if err != nil {
			return err
		}
		bare = append(bare, took)
	}
	over := differences(ours, bare)
	return printFigure(v.env, map[string]any{"figure": "one run of a target's tests",
		"beside": "docker run of the same command, image and limits", "runs": len(ours),
		"test_seconds": 2 * v.seconds, "seconds": median(ours), "docker_seconds": median(bare),
		"overhead_seconds": median(over), "overhead_ratio": median(over) / median(bare),
		"laying_seconds": t.layingSeconds, "target": "overhead below 1 s and 0.1"})
}

// lone is one target whose image and trees are there.
type loneTarget struct {
	runner        *testrun.Runner
	request       testrun.Request
	laid          string // an image with the trees, for Docker alone
	layingSeconds float64
	remove        func()
}

func (t *loneTarget) run(ctx context.Context) error {
	rep, err := t.runner.Run(ctx, t.request)
	if err == nil && rep.First().Status != testrun.OK {
		err = fmt.Errorf("the run ended with %s: %s", rep.First().Status, rep.First().Detail)
	}
	return err
}

// lone makes a target's image and lays its trees, for ours and for Docker alone.
func (v *dockerFigures) lone(ctx context.Context, script string) (*loneTarget, error) {
	ws, err := goldWorkspace(v.dir, script, v.salt)
	if err != nil {
		return nil, err
	}
	r := v.runner()
	recipe := newRecipe(v.image)
	recipe.Repository = repositoryName
	img, err := r.EnsureImage(ctx, testrun.ImageRequest{Repository: repositoryName, Recipe: recipe, BaseWorkspace: ws,
		GoldWorkspace: ws, HiddenFiles: []string{testFile}})
	if err != nil {
		return nil, err
	}
	v.images[img.ID] = true
	q := testrun.Request{Repository: repositoryName, Recipe: recipe, Image: img.ID, Workspace: ws,
		HiddenFiles: []string{testFile}}
	q.Laid = r.Workspace(q)
	t := &loneTarget{runner: r, request: q, remove: q.Laid.Close}
	t.layingSeconds, err = timed(func() error {
		laid, remove, err := v.d.Prepare(ctx, img.ID, []sandbox.Source{{Path: "/workspace/" + repositoryName,
			Dir: filepath.Join(ws, filepath.FromSlash(repositoryName))}}, nil)
		t.laid = laid.Image
		if err == nil {
			t.remove = func() { remove(); q.Laid.Close() }
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	// The first container of an image costs more than those after it.
	return t, errors.Join(t.run(ctx), v.docker(ctx, t.laid, ":"))
}

func timed(work func() error) (seconds float64, err error) {
	start := time.Now()
	err = work()
	return time.Since(start).Seconds(), err
}

// median is of a list that is not empty.
func median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func differences(a, b []float64) (out []float64) {
	for i := range a {
		out = append(out, a[i]-b[i])
	}
	return out
}

func ratios(a, b []float64) (out []float64) {
	for i := range a {
		out = append(out, a[i]/b[i])
	}
	return out
}

// newRecipe is of the bench's tasks: nothing is installed.
func newRecipe(image string) schema.Recipe {
	return schema.Recipe{Toolchain: "shell", Report: "tap", Image: image, Packages: []string{}, Setup: []string{`cp ` +
		manifestFile + ` "$HOME/` + manifestFile + `"`}}
}
