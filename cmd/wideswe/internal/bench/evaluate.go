package bench

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	evaluatecmd "github.com/wideswe/wideswe/cmd/wideswe/internal/evaluate"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// benchEvaluateCommand prints what make bench-evaluate shows: what an evaluation
// costs beside Docker alone, and what one that was done before costs.
func newEvaluateCommand(e *env.Env) *cobra.Command {
	v := &dockerFigures{env: e}
	c := &cobra.Command{
		Use: "evaluate", Args: cobra.NoArgs,
		Short: "Measure an evaluation beside Docker alone, a second one, and one with a prediction more",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := v.open(cmd.Context()); err != nil {
				return err
			}
			defer v.close()
			return v.evaluations(cmd.Context())
		},
	}
	v.flags(c)
	return c
}

// evaluations measures evaluations of a release of the bench's tasks.
func (v *dockerFigures) evaluations(ctx context.Context) error {
	t, err := v.lone(ctx, sleeping(v.seconds))
	if err != nil {
		return err
	}
	defer t.remove()
	rel := filepath.Join(v.dir, "release")
	image := schema.ImageFile{Format: schema.ReleaseFormat, Image: "wideswe/bench", ID: t.request.Image,
		BaseImage: v.image}
	if err := writeRelease(ctx, rel, v.tasks, sleeping(v.seconds), v.salt, image, t.request.Recipe); err != nil {
		return err
	}
	var first, bare []float64
	for round := range v.rounds {
		// Each round's predictions are new, and so is its folder: nothing is known of them.
		seconds, runs, err := v.scored(ctx, rel, fmt.Sprintf("first-%d", round), v.predictions(fmt.Sprintf("round %d",
			round)))
		if err != nil {
			return err
		}
		if runs != v.tasks {
			return fmt.Errorf("%d runs for %d targets", runs, v.tasks)
		}
		first = append(first, seconds/float64(v.tasks))
		seconds, err = timed(func() error {
			return v.docker(ctx, t.laid, "cd /workspace/"+repositoryName+"\nmkdir -p /tmp/out\nsh ./"+testFile+
				" > /tmp/out/report.tap")
		})
		if err != nil {
			return err
		}
		bare = append(bare, seconds)
	}
	over := differences(first, bare)
	if err := printFigure(v.env, map[string]any{"figure": "one target of an evaluation",
		"beside": "docker run of the same tests, image and limits", "targets": v.tasks, "rounds": v.rounds,
		"test_seconds": v.seconds, "seconds": median(first), "docker_seconds": median(bare), "overhead_seconds": median(over),
		"load": loadAverage(), "target": "overhead below 1 s"}); err != nil {
		return err
	}
	return v.evaluatedAgain(ctx, rel)
}

// evaluatedAgain measures evaluations of what the first round evaluated.
func (v *dockerFigures) evaluatedAgain(ctx context.Context, rel string) error {
	known := v.predictions("round 0")
	more := append(v.predictions("round 0"), schema.Prediction{Task: taskID(0), Model: "another", Mode: schema.Joint,
		Attempt: 1,
		Patches: map[string]string{repositoryName: goldPatch("another")}})
	for _, x := range []struct {
		figure, out, target string
		predictions         []schema.Prediction
		runs                int
	}{
		{"the same evaluation again", "first-0", "below 2 s, and no run", known, 0},
		{"the same predictions in another folder", "elsewhere", "below 2 s, and no run", known, 0},
		{"one prediction more", "first-0", "one run", more, 1},
	} {
		seconds, runs, err := v.scored(ctx, rel, x.out, x.predictions)
		if err != nil {
			return err
		}
		if runs != x.runs {
			return fmt.Errorf("%s: %d runs, not %d", x.figure, runs, x.runs)
		}
		if err := printFigure(v.env, map[string]any{"figure": x.figure, "predictions": len(x.predictions), "runs": runs,
			"seconds": seconds, "target": x.target, "load": loadAverage()}); err != nil {
			return err
		}
	}
	return nil
}

// predictions solve every task, in words that nobody used.
func (v *dockerFigures) predictions(words string) (list []schema.Prediction) {
	for n := range v.tasks {
		list = append(list, schema.Prediction{Task: taskID(n), Model: "bench", Mode: schema.Joint, Attempt: 1,
			Patches: map[string]string{repositoryName: goldPatch(words)}})
	}
	return list
}

// counted counts the runs of an evaluation.
type countingRunner struct {
	evaluate.Runner
	runs atomic.Int64
}

// Run implements [evaluate.Runner].
func (c *countingRunner) Run(ctx context.Context, q testrun.Request) (*testrun.Report, error) {
	c.runs.Add(1)
	return c.Runner.Run(ctx, q)
}

// scored evaluates as the command does, the release's checksums and the store
// included, and says how long it took and what ran.
func (v *dockerFigures) scored(ctx context.Context, rel, out string, predictions []schema.Prediction) (seconds float64,
	runs int, err error) {
	quiet := &env.Env{In: v.env.In, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Quiet: true}
	defer quiet.Close()
	c := &countingRunner{}
	e := evaluatecmd.Options{Release: rel, Out: filepath.Join(v.dir, out), Sandbox: "docker", Workers: 1, Guard: guard.On,
		Cache: filepath.Join(v.dir, "cache"), Given: predictions,
		Watch: func(r evaluate.Runner) evaluate.Runner { c.Runner = r; return c }}
	seconds, err = timed(func() error { return evaluatecmd.Run(ctx, quiet, e) })
	if err != nil {
		return 0, 0, err
	}
	rep, err := results.ReadReport(e.Out)
	if err != nil {
		return 0, 0, err
	}
	for id, t := range rep.Tasks {
		if !t.Resolved {
			return 0, 0, fmt.Errorf("%s is %s: %s", id, t.Status, t.Reason)
		}
	}
	return seconds, int(c.runs.Load()), nil
}
