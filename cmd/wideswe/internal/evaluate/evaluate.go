// Package evaluate is the commands that score predictions and read what scoring left: wideswe evaluate, verify,
// estimate, predictions, compare and regrade. The stage evaluate does the work; this package reads flags and prints.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
)

// Options holds the flags of evaluate, and what other commands set instead of them.
type Options struct {
	Release, Predictions, Out    string
	Defaults                     predictions.Options // what the predictions don't say
	Sandbox                      string
	Workers                      int
	Timeout                      time.Duration
	TrustPatches, AllowEmulation bool
	Guard, Cache                 string
	Retries                      int
	RetryWait                    time.Duration
	Images                       flags.Images

	Given   []schema.Prediction          // instead of the file
	Trusted func(schema.Prediction) bool // which predictions the process sandbox may run
	// Watch, which may be nil, replaces the runner of tests.
	Watch func(evaluate.Runner) evaluate.Runner
}

// NewEvaluateCommand returns wideswe evaluate.
func NewEvaluateCommand(e *env.Env) *cobra.Command {
	var o Options
	c := &cobra.Command{
		Use: "evaluate --release RELEASE --predictions FILE --out OUT", Args: cobra.NoArgs,
		Short: "Score predictions on a release; a second call does what the first left",
		Long: `Score predictions on a release. FILE holds one prediction a line:

  {"task_id": "ID", "model_name_or_path": "NAME", "patches": {"owner/name": "diff --git …"}}

optionally with "mode" (joint, independent), "target", "attempt" and "run", or what another
benchmark's tools write: wideswe predictions --help lists the shapes. The predictions
gold and empty are built in. OUT/report.json has every task of the release in exactly one state.

A verdict is one on patches: where two models or attempts predict the same bytes, the tests run
once (--cache keeps such verdicts for other evaluations, too). A target's tests may take as long
as the release says for its gold run; what does not end in time is run again with nothing beside
it before it counts.

There are two counts. as_submitted is the paper's rule: the tests pass with the patch as it is.
resolved is strict: they also pass in a second run, in which whatever the patch changes of how
tests are found, run or reported is put back (--guard on). A patch that fails there is disputed;
where that tree does not build, it is unbuilt. wideswe evaluate settle records what a person
decides on such a verdict. --guard off makes no second run, so that both counts are the same;
--guard reject runs no patch that changes runner configuration.`,

		Example: `  wideswe evaluate --release release --predictions gold --out check
  wideswe evaluate --release release --predictions mine.jsonl --out out --workers 2`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return Run(cmd.Context(), e, o)
		},
	}
	o.addTo(c)
	c.AddCommand(newSettleCommand(e))
	return c
}

// addTo adds the flags of evaluate.
func (o *Options) addTo(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Release, "release", "", "the release's folder")
	f.StringVar(&o.Predictions, "predictions", "",
		"a file or folder of predictions (wideswe predictions --help says which), or gold, or empty")
	addPredictionOptions(c, &o.Defaults)
	f.StringVar(&o.Out, "out", "", "the evaluation's folder: report, logs and store")
	f.StringVar(&o.Sandbox, "sandbox", "docker", "docker, or process for patches you trust")
	f.StringVar(&o.Guard, "guard", guard.On,
		"off, on or reject: what becomes of patches that change runner configuration")
	f.StringVar(&o.Cache, "cache", "", "a folder that keeps verdicts by content, for other evaluations too (default: "+
		"OUT/cache)")
	f.IntVar(&o.Retries, "retries", 1,
		"how often trouble of this machine, and nothing else, is tried again before it counts as infra")
	f.DurationVar(&o.RetryWait, "retry-wait", 2*time.Second, "the pause before that")
	f.BoolVar(&o.TrustPatches, "trust-patches", false, "let the process sandbox, which is no wall, run these patches")
	o.addMachine(c)
}

// addMachine adds the flags of how tests are run, which verify has, too.
func (o *Options) addMachine(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&o.Workers, "workers", 1,
		"tasks under way at once; their runs share the machine's CPUs and memory, and wait for room")
	f.DurationVar(&o.Timeout, "timeout", 0,
		"time limit of a target's tests, instead of the one that the release makes of its gold run")
	f.BoolVar(&o.AllowEmulation, "allow-emulation", false,
		"evaluate on another platform than the release was validated on")
	o.Images.AddTo(f)
}

// check refuses flags that are missing or mean nothing.
func (o *Options) check() error {
	if o.Predictions == "" || o.Out == "" {
		return pipeline.Usage("--predictions and --out are needed; wideswe evaluate --help shows an example")
	}
	if o.Guard != guard.Off && o.Guard != guard.On && o.Guard != guard.Reject {
		return pipeline.Usage("--guard %q; write off, on or reject", o.Guard)
	}
	return o.checkNumbers()
}

// checkNumbers refuses numbers that mean nothing.
func (o *Options) checkNumbers() error {
	switch {
	case o.Workers < 1:
		return pipeline.Usage("--workers %d; they count from 1", o.Workers)
	case o.Timeout < 0 || o.Retries < 0 || o.RetryWait < 0:
		return pipeline.Usage("--timeout, --retries and --retry-wait are not negative")
	}
	return nil
}

// Run evaluates predictions and prints where the report is. Items that failed are an error with its own exit code.
func Run(ctx context.Context, e *env.Env, o Options) error {
	rel, err := e.OpenRelease(o.Release)
	if err != nil {
		return err
	}
	if err := rel.VerifyAll(ctx); err != nil {
		return err
	}
	list := o.Given
	if list == nil {
		if list, err = predictions.Load(rel, o.Predictions, o.Defaults); err != nil {
			return err
		}
	}
	if err := flags.MakeOutFolder(o.Release, o.Out, flags.EvaluationFiles()); err != nil {
		return err
	}
	db, err := store.Open(ctx, filepath.Join(o.Out, "evaluation.duckdb"), store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := o.stage(e, rel, db, list)
	if err != nil {
		return err
	}
	return o.execute(ctx, e, s, db)
}

// stage returns the stage as the flags configure it.
func (o *Options) stage(e *env.Env, rel *release.Release, db pipeline.DB, list []schema.Prediction) (*evaluate.Stage,
	error) {
	backend, err := e.Backend(o.Sandbox)
	if err != nil {
		return nil, err
	}
	runner, err := o.Images.Runner(backend, e.Log(), o.Out)
	if err != nil {
		return nil, err
	}
	s := &evaluate.Stage{DB: db, Release: rel, Predictions: list, Out: o.Out, Images: backend.(evaluate.Images),
		Runner:     runner,
		BaseImages: o.Images.Local, Limits: sandbox.Limits{Timeout: o.Timeout}, Guard: o.Guard, Cache: o.Cache,
		Retries: o.Retries,
		Wait:    o.RetryWait, AllowEmulation: o.AllowEmulation, TrustPatches: o.TrustPatches, Trusted: o.Trusted,
		Say: e.PrintLine}
	if o.Watch != nil {
		s.Runner = o.Watch(s.Runner)
	}
	return s, nil
}

// execute runs the stage and prints where its report is.
func (o *Options) execute(ctx context.Context, e *env.Env, s *evaluate.Stage, ledger pipeline.Ledger) error {
	err := pipeline.Execute(ctx, s, &pipeline.Run{Ledger: ledger, Log: e.Log(), Workers: max(1, o.Workers), Now: time.Now,
		Progress: e.Progress(), Out: e.Out})
	file := filepath.Join(o.Out, "report.json")
	var failed *pipeline.FailedItems
	if errors.As(err, &failed) {
		err = infraError(s.Down(), failed.Count, file)
	} else if err != nil {
		return err
	}
	fmt.Fprintln(e.Out, file)
	return err
}

// infraError explains what failed items of an evaluation are. Where the engine is down, that is what is missing.
func infraError(down error, count int, file string) error {
	text := fmt.Sprintf("%d predictions are infra, trouble of this machine and no word on the agent; "+
		"%s says why, and the same command again completes them", count, file)
	var need *pipeline.NeedError
	if errors.As(down, &need) {
		return &exit.Error{Code: exit.Missing, Text: need.Message + "; " + text}
	}
	return exit.Failure("%s", text)
}
