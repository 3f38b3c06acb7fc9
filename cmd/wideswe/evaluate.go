package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
	"github.com/wideswe/wideswe/stages/report"
)

// evaluation is the words of evaluate.
type evaluation struct {
	release, predictions, out string
	sandbox                   string
	workers                   int
	timeout                   time.Duration
	trust                     bool
	images                    map[string]string
	buildEnv, buildFiles      []string
	trusted                   func(schema.Prediction) bool
	given                     []schema.Prediction // instead of the file
}

func (a *app) evaluateCommand() *cobra.Command {
	var e evaluation
	c := &cobra.Command{
		Use: "evaluate --release RELEASE --predictions FILE --out OUT", Args: cobra.NoArgs,
		Short: "Score predictions on a release; a second call does what the first left",
		Long: `Score predictions on a release. FILE holds one prediction a line:

  {"task_id": "ID", "model_name_or_path": "NAME", "patches": {"owner/name": "diff --git …"}}

optionally with "mode" (joint, independent), "target", "attempt" and "run". The predictions
gold and empty are built in. OUT/report.json has every task of the release in exactly one state.`,
		Example: `  wideswe evaluate --release release --predictions gold --out check
  wideswe evaluate --release release --predictions mine.jsonl --out out --workers 2`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.predictions == "" || e.out == "" {
				return pipeline.Usage("--predictions and --out are needed; wideswe evaluate --help shows an example")
			}
			return a.evaluate(cmd.Context(), e)
		},
	}
	f := c.Flags()
	f.StringVar(&e.release, "release", "", "the release's folder")
	f.StringVar(&e.predictions, "predictions", "", "a file of JSON lines, or gold, or empty")
	f.StringVar(&e.out, "out", "", "the evaluation's folder: report, logs and store")
	f.StringVar(&e.sandbox, "sandbox", "docker", "docker, or process for patches you trust")
	f.IntVar(&e.workers, "workers", 1, "tasks under way at once")
	f.DurationVar(&e.timeout, "timeout", 0, "time limit of a target's tests, where the release's is too short for this machine")
	f.BoolVar(&e.trust, "trust-patches", false, "let the process sandbox, which is no wall, run these patches")
	f.StringToStringVar(&e.images, "image", nil, "NAME=LOCAL: the local image to take for a base image; may be given several times")
	f.StringSliceVar(&e.buildEnv, "build-env", nil, "environment variables that image builds may see (proxies, mirrors)")
	f.StringSliceVar(&e.buildFiles, "build-file", nil, "host files that image builds may see (certificates)")
	return c
}

func (a *app) evaluate(ctx context.Context, e evaluation) error {
	rel, err := a.openRelease(e.release)
	if err != nil {
		return err
	}
	predictions := e.given
	if predictions == nil {
		if predictions, err = evaluate.LoadPredictions(rel, e.predictions); err != nil {
			return err
		}
	}
	if err := outside(e.release, e.out); err != nil {
		return err
	}
	db, err := store.Open(ctx, filepath.Join(e.out, "evaluation.duckdb"), store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := a.evaluateStage(rel, e, db, predictions)
	if err != nil {
		return err
	}
	run := &pipeline.Run{Ledger: db, Log: a.log(), Workers: max(1, e.workers), Now: time.Now, Progress: a.progress(), Out: a.out}
	err = pipeline.Execute(ctx, s, run)
	file := filepath.Join(e.out, "report.json")
	var failed *pipeline.FailedItems
	if errors.As(err, &failed) {
		err = infra(s.Down(), failed.Count, file)
	} else if err != nil {
		return err
	}
	fmt.Fprintln(a.out, file)
	return err
}

// infra says in words of an evaluation what failed items are.
func infra(down error, count int, file string) error {
	text := fmt.Sprintf("%d predictions are infra, trouble of this machine and no word on the agent; %s says why, and the same command again completes them", count, file)
	var need *pipeline.NeedError
	if errors.As(down, &need) {
		return &exitError{exitNeed, need.Message + "; " + text}
	}
	return &exitError{exitFailed, text}
}

func (a *app) evaluateStage(rel *release.Release, e evaluation, db pipeline.DB, predictions []schema.Prediction) (*evaluate.Stage, error) {
	backend, err := a.backend(e.sandbox)
	if err != nil {
		return nil, err
	}
	env, files, err := buildInputs(e.buildEnv, e.buildFiles)
	if err != nil {
		return nil, err
	}
	runner := &testrun.Runner{Backend: backend, Images: e.images, BuildEnv: env, BuildFiles: files, Log: a.log(), Budget: testrun.MachineBudget(backend)}
	return &evaluate.Stage{DB: db, Release: rel, Predictions: predictions, Out: e.out, Images: backend, Runner: runner, BaseImages: e.images, Limits: sandbox.Limits{Timeout: e.timeout},
		TrustPatches: e.trust, Trusted: e.trusted, Say: func(line string) { fmt.Fprintln(a.err, line) }}, nil
}

func (a *app) reportCommand() *cobra.Command {
	var s report.Stage
	c := &cobra.Command{
		Use: "report --release RELEASE [--evaluation OUT] [--out DIR]", Args: cobra.NoArgs,
		Short: "Draw an evaluation, or a release alone: Markdown, JSON and one HTML page",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.Release == "" {
				return pipeline.Usage("--release is missing; give the folder that export wrote")
			}
			if err := outside(s.Release, cmp.Or(s.Out, s.Evaluation, ".")); err != nil {
				return err
			}
			return a.report(cmd.Context(), s)
		},
	}
	c.Flags().StringVar(&s.Release, "release", "", "the release's folder")
	c.Flags().StringVar(&s.Evaluation, "evaluation", "", "the folder that evaluate wrote")
	c.Flags().StringVar(&s.Out, "out", "", "where to write (default: the evaluation's folder; without one, the current folder)")
	return c
}

// report draws into files; it needs no database, so its outcomes are kept in memory.
func (a *app) report(ctx context.Context, s report.Stage) error {
	db, err := store.Open(ctx, "", store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	run := &pipeline.Run{Ledger: db, Log: a.log(), Workers: 1, Now: time.Now, Out: a.out}
	if err := pipeline.Execute(ctx, s, run); err != nil {
		return err
	}
	for _, p := range s.Paths() {
		fmt.Fprintln(a.out, p)
	}
	return nil
}
