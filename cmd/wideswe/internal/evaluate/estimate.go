package evaluate

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/estimate"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
)

// estimateOptions holds the flags of estimate.
type estimateOptions struct {
	env                        *env.Env
	release, predictions, mode string
	agents, attempts, workers  int
	tasks                      flags.Tasks
	json                       bool
}

// NewEstimateCommand returns wideswe estimate.
func NewEstimateCommand(e *env.Env) *cobra.Command {
	o := &estimateOptions{env: e}
	c := &cobra.Command{
		Use: "estimate --release RELEASE", Args: cobra.NoArgs,
		Short: "Say what an evaluation will take, before it starts: runs, hours, disk",
		Long: `estimate says what evaluating predictions on a release will take: from the times that its gold
runs took when it was validated, its packed trees, and the images that the engine here has.
Without --predictions it is for so many agents that answer every task.`,
		Example: `  wideswe estimate --release release --agents 3 --attempts 2 --workers 4
  wideswe estimate --release release --predictions mine.jsonl`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := c.Flags()
	f.StringVar(&o.release, "release", "", "the release's folder")
	f.StringVar(&o.predictions, "predictions", "", "the predictions (default: those of --agents)")
	o.tasks.AddTo(f, "only these tasks")
	f.IntVar(&o.agents, "agents", 1, "agents that answer every task")
	f.IntVar(&o.attempts, "attempts", 1, "attempts of each")
	f.StringVar(&o.mode, "mode", schema.Joint, "joint or independent: how the agents work")
	f.IntVar(&o.workers, "workers", 1, "tasks under way at once")
	f.BoolVar(&o.json, "json", false, "as JSON")
	return c
}

func (o *estimateOptions) run(ctx context.Context) error {
	if o.agents < 1 || o.attempts < 1 || o.workers < 1 || o.mode != schema.Joint && o.mode != schema.Independent {
		return pipeline.Usage("--agents, --attempts and --workers are at least 1, --mode is joint or independent")
	}
	rel, err := o.env.OpenRelease(o.release)
	if err != nil {
		return err
	}
	w, err := o.work(rel)
	if err != nil {
		return err
	}
	e := w.Estimate(o.workers)
	w.CountImages(ctx, &e, func(ctx context.Context) (estimate.Engine, error) { return o.env.OpenDocker(ctx) })
	if o.json {
		return o.env.PrintJSON(e)
	}
	printEstimate(o.env.Out, e)
	return nil
}

// work returns the work that the flags name.
func (o *estimateOptions) work(rel *release.Release) (*estimate.Work, error) {
	tasks, err := o.tasks.Of(rel)
	if err != nil {
		return nil, err
	}
	if o.predictions == "" {
		return estimate.ForAgents(rel, tasks, o.agents, o.attempts, o.mode)
	}
	list, err := predictions.Load(rel, o.predictions, predictions.Options{})
	if err != nil {
		return nil, err
	}
	other := func(p schema.Prediction) bool { return !slices.Contains(tasks, p.Task) }
	return estimate.ForPredictions(rel, slices.DeleteFunc(list, other))
}

func printEstimate(w io.Writer, e estimate.Estimate) {
	line := func(key, format string, args ...any) {
		fmt.Fprintf(w, "%-12s%s\n", key, fmt.Sprintf(format, args...))
	}
	line("tasks", "%d, with %d targets", e.Tasks, e.Targets)
	repeated := ""
	if e.Repeated > 0 {
		repeated = fmt.Sprintf(", %d of them with the patches of another, which run once", e.Repeated)
	}
	line("predictions", "%d%s", e.Predictions, repeated)
	line("containers", "%d, and at most %d where patches change how tests are run", e.Containers, e.MostContainer)
	line("time", "%s with --workers %d where tests take as long as gold's did; %s where every run meets its time limit",
		hoursText(e.Hours), e.Workers, hoursText(e.MostHours))
	if e.TestsUnmeasured > 0 {
		line("", "the release does not say how long gold took of %d targets", e.TestsUnmeasured)
	}
	printImages(line, e)
	line("disk", "%s of packed trees, about %s more of trees under way", render.Bytes(e.SourceBytes),
		render.Bytes(e.TreeBytes))
	if e.MissingSources > 0 {
		line("", "%d packed trees are not here; wideswe release fetch brings them", e.MissingSources)
	}
}

func printImages(line func(key, format string, args ...any), e estimate.Estimate) {
	switch {
	case e.Images == 0:
		line("images", "none: the tasks were validated in the process sandbox")
	case !e.ImagesKnown:
		line("images", "%d; Docker does not answer, so which are here is not known", e.Images)
	default:
		line("images", "%d of %d are here, %s at most", e.ImagesHere, e.Images, render.Bytes(e.ImageBytes))
		if n := e.Images - e.ImagesHere; n > 0 && e.ArchiveBytes > 0 {
			line("", "wideswe release images load brings the %d others", n)
		} else if n > 0 && e.Pushed {
			line("", "wideswe release images pull brings the %d others", n)
		} else if n > 0 {
			line("", "the %d others are made anew, with the network on", n)
		}
	}
	if e.ArchiveBytes > 0 {
		line("", "%s saved in the release", render.Bytes(e.ArchiveBytes))
	}
}

// hoursText writes a time as people plan with it.
func hoursText(h float64) string {
	switch {
	case h >= 10:
		return fmt.Sprintf("%.0f h", h)
	case h >= 1:
		return fmt.Sprintf("%.1f h", h)
	case h*60 >= 1:
		return fmt.Sprintf("%.0f min", h*60)
	}
	return fmt.Sprintf("%.0f s", h*3600)
}
