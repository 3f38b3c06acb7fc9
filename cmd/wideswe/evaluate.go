package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
)

// evaluation is the words of evaluate.
type evaluation struct {
	release, predictions, out string
	model                     string // of predictions that name none
	sandbox                   string
	workers                   int
	timeout                   time.Duration
	trust, emulate            bool
	guard, cache              string
	retries                   int
	retryWait                 time.Duration
	images                    map[string]string
	buildEnv, buildFiles      []string
	trusted                   func(schema.Prediction) bool
	given                     []schema.Prediction // instead of the file
	// watch, which may be nil, puts a runner in the place of the one that runs tests.
	watch func(evaluate.Runner) evaluate.Runner
}

func (a *app) evaluateCommand() *cobra.Command {
	var e evaluation
	c := &cobra.Command{
		Use: "evaluate --release RELEASE --predictions FILE --out OUT", Args: cobra.NoArgs,
		Short: "Score predictions on a release; a second call does what the first left",
		Long: `Score predictions on a release. FILE holds one prediction a line:

  {"task_id": "ID", "model_name_or_path": "NAME", "patches": {"owner/name": "diff --git …"}}

optionally with "mode" (joint, independent), "target", "attempt" and "run". The predictions
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
			if e.predictions == "" || e.out == "" {
				return pipeline.Usage("--predictions and --out are needed; wideswe evaluate --help shows an example")
			}
			if e.guard != guard.Off && e.guard != guard.On && e.guard != guard.Reject {
				return pipeline.Usage("--guard %q; write off, on or reject", e.guard)
			}
			if err := e.numbers(); err != nil {
				return err
			}
			return a.evaluate(cmd.Context(), e)
		},
	}
	f := c.Flags()
	f.StringVar(&e.release, "release", "", "the release's folder")
	f.StringVar(&e.predictions, "predictions", "", "a file or folder of predictions (wideswe predictions --help says which), or gold, or empty")
	f.StringVar(&e.model, "model", "", "the model whose predictions a folder holds (default: the folder's name)")
	f.StringVar(&e.out, "out", "", "the evaluation's folder: report, logs and store")
	f.StringVar(&e.sandbox, "sandbox", "docker", "docker, or process for patches you trust")
	f.IntVar(&e.workers, "workers", 1, "tasks under way at once; their runs share the machine's CPUs and memory, and wait for room")
	f.DurationVar(&e.timeout, "timeout", 0, "time limit of a target's tests, instead of the one that the release makes of its gold run")
	f.StringVar(&e.guard, "guard", guard.On, "off, on or reject: what becomes of patches that change runner configuration")
	f.StringVar(&e.cache, "cache", "", "a folder that keeps verdicts by content, for other evaluations too (default: OUT/cache)")
	f.IntVar(&e.retries, "retries", 1, "how often trouble of this machine, and nothing else, is tried again before it counts as infra")
	f.DurationVar(&e.retryWait, "retry-wait", 2*time.Second, "the pause before that")
	f.BoolVar(&e.emulate, "allow-emulation", false, "evaluate on another platform than the release was validated on")
	f.BoolVar(&e.trust, "trust-patches", false, "let the process sandbox, which is no wall, run these patches")
	imageFlags(f, &e.images, &e.buildEnv, &e.buildFiles)
	c.AddCommand(a.settleCommand())
	return c
}

// numbers refuses those that mean nothing.
func (e evaluation) numbers() error {
	switch {
	case e.workers < 1:
		return pipeline.Usage("--workers %d; they count from 1", e.workers)
	case e.timeout < 0 || e.retries < 0 || e.retryWait < 0:
		return pipeline.Usage("--timeout, --retries and --retry-wait are not negative")
	}
	return nil
}

// imageFlags are the words of evaluators on images, who have no wideswe.yaml.
func imageFlags(f *pflag.FlagSet, images *map[string]string, env, files *[]string) {
	f.StringToStringVar(images, "image", nil, "NAME=LOCAL: the local image to take for a base image; may be given several times")
	f.StringSliceVar(env, "build-env", nil, "environment variables that image builds may see (proxies, mirrors)")
	f.StringSliceVar(files, "build-file", nil, "host files that image builds may see (certificates)")
}

func (a *app) evaluate(ctx context.Context, e evaluation) error {
	rel, err := a.openRelease(e.release)
	if err != nil {
		return err
	}
	if err := wholly(ctx, rel); err != nil {
		return err
	}
	list := e.given
	if list == nil {
		if list, err = predictions.Load(rel, e.predictions, e.model); err != nil {
			return err
		}
	}
	if err := outFolder(e.release, e.out, evaluationFiles); err != nil {
		return err
	}
	db, err := store.Open(ctx, filepath.Join(e.out, "evaluation.duckdb"), store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := a.evaluateStage(rel, e, db, list)
	if err != nil {
		return err
	}
	if e.watch != nil {
		s.Runner = e.watch(s.Runner)
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

func (a *app) evaluateStage(rel *release.Release, e evaluation, db pipeline.DB, list []schema.Prediction) (*evaluate.Stage, error) {
	backend, err := a.backend(e.sandbox)
	if err != nil {
		return nil, err
	}
	env, files, err := buildInputs(e.buildEnv, e.buildFiles)
	if err != nil {
		return nil, err
	}
	runner := &testrun.Runner{Backend: backend, Images: e.images, BuildEnv: env, BuildFiles: files, Log: a.log(), Budget: testrun.MachineBudget(backend),
		Lock: testrun.OpenImageLock(filepath.Join(e.out, "images.lock")), BuildLogs: filepath.Join(e.out, "logs", "images")}
	return &evaluate.Stage{DB: db, Release: rel, Predictions: list, Out: e.out, Images: backend, Runner: runner, BaseImages: e.images,
		Limits: sandbox.Limits{Timeout: e.timeout}, Guard: e.guard, Cache: e.cache, Retries: e.retries, Wait: e.retryWait, AllowEmulation: e.emulate,
		TrustPatches: e.trust, Trusted: e.trusted, Say: a.sayLine}, nil
}
