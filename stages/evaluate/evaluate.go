// Package evaluate is the stage that scores predictions on a release: it applies each
// prediction to fresh trees, overlays the hidden tests, runs every target's tests, and
// puts every task of the release in exactly one state.
//
// From the top down: a [Stage] makes an evaluation, which works through items (a task in
// one run). An item's predictions are attempts, each in a workspace of its own; an
// attempt runs its targets, and every run is scored. What is below is given what it
// needs and never asks what is above.
//
// The packages below are parts of it: predictions reads them, guard decides what the
// second run puts back, verdict scores runs, results is the evaluation's folder;
// regrade, compare and explain read that folder again. Running tests is
// pipeline/testrun's, trees and patches are pipeline/workspace's, and what the scores
// add up to in tables is the report stage's.
package evaluate

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// Stage scores predictions.
type Stage struct {
	DB          pipeline.DB // the store in Out
	Release     *release.Release
	Predictions []schema.Prediction
	Out         string // report.json and logs go here
	Images      Images
	Runner      Runner
	// Guard says what becomes of predictions that change runner configuration; ""
	// is [guard.On].
	Guard string
	// Limits replace those of the release where they are set.
	Limits sandbox.Limits
	// BaseImages are the local images that Runner takes for recipes' base images:
	// they decide results, so another choice runs everything anew.
	BaseImages map[string]string
	// AllowEmulation evaluates on another platform than validation's.
	AllowEmulation bool
	// Cache is the folder that keeps verdicts by content; "" is one in Out.
	Cache string
	// TrustPatches lets a sandbox that does not isolate run patches of strangers.
	TrustPatches bool
	// Trusted knows further predictions that such a sandbox may run: the demo's.
	Trusted func(schema.Prediction) bool
	// Versions are those of languages and report formats; the zero value is the
	// program's own.
	Versions testrun.Versions
	// Retries is how often trouble of this machine is tried again.
	Retries int
	// Wait is the pause before that; 0 is two seconds.
	Wait time.Duration
	// Say takes one line for each task as it ends; nil says nothing.
	Say func(line string)

	down    error
	recipes taskRecipes
}

// Down gives what made the last run give up on everything after it, as a
// [pipeline.NeedError], or nil.
func (s *Stage) Down() error { return s.down }

// Name implements [pipeline.Stage].
func (s *Stage) Name() string { return "evaluate" }

// Version implements [pipeline.Stage].
func (s *Stage) Version() string { return "6" }

// Plan implements [pipeline.Planner].
func (s *Stage) Plan(context.Context) ([]pipeline.Ref, error) {
	return pipeline.Refs(s.items()), nil
}

// Run implements [pipeline.Stage]. It leaves OUT/report.json complete however it
// ends: what has no verdict yet is infra, and a further run completes it.
func (s *Stage) Run(ctx context.Context, run *pipeline.Run) error {
	if err := s.check(); err != nil {
		return err
	}
	scratch, remove, err := pipeline.Scratch("", "evaluate")
	if err != nil {
		return err
	}
	defer remove()
	earlier, err := s.earlier(ctx, run)
	if err != nil {
		return err
	}
	items := s.items()
	e := s.newEvaluation(run, scratch, items)
	e.countEarlier(earlier, items)
	err = pipeline.Each(ctx, run, s, items, e.work, results.RemoveVerdict)
	s.down = e.stopped()
	e.progress.printTable()
	// The report is written even when the person has just interrupted.
	return errors.Join(err, s.writeReport(context.WithoutCancel(ctx), run))
}

// writeReport writes the report of what is stored now.
func (s *Stage) writeReport(ctx context.Context, run *pipeline.Run) error {
	earlier, err := s.earlier(ctx, run)
	if err != nil {
		return err
	}
	w := reportWriter{release: s.Release, out: s.Out, earlier: earlier, items: map[results.Key]pipeline.Item[item]{}}
	for _, it := range s.items() {
		w.items[it.Value.Key] = it
	}
	rep, err := w.report(runKeys(s.Predictions))
	if err != nil {
		return err
	}
	return results.WriteReport(ctx, s.DB, s.Out, s.Release.Tasks, rep)
}

// earlier are the results that the store has.
func (s *Stage) earlier(ctx context.Context, run *pipeline.Run) (earlierResults, error) {
	return readEarlier(ctx, run.Ledger, s.DB, s.Name(), s.Version())
}

// items are the predictions' items.
func (s *Stage) items() []pipeline.Item[item] { return newItems(s.Predictions, s.hash) }

// hash covers whatever decides the verdict: nothing stale is used again. Which base
// images a task needs is known once they are locked.
func (s *Stage) hash(x item) string {
	return pipeline.Hash(x.Digest, s.Release.SHA256, s.rules(x.Task), s.Limits, s.guardMode(), s.BaseImages,
		s.Images.Name(), s.pins(x.Task))
}

// rules is the version of the rules by which a task's tests run and are read.
func (s *Stage) rules(task string) string { return s.Versions.Rules(s.recipes.of(s.Release, task)...) }

// pins are the locked base images of a task's recipes.
func (s *Stage) pins(task string) (pins []string) {
	for _, r := range s.recipes.of(s.Release, task) {
		pin, _ := s.Runner.LockedPin(r.Image) // a lock that can't be read fails the runs
		pins = append(pins, pin)
	}
	return pins
}

// newEvaluation makes what the items of one call share.
func (s *Stage) newEvaluation(run *pipeline.Run, scratch string, items []pipeline.Item[item]) *evaluation {
	m := &machine{images: s.Images, runner: s.Runner, allowEmulation: s.AllowEmulation}
	set := settings{release: s.Release, runner: s.Runner, images: s.Images, machine: m, limits: s.Limits,
		guard: s.guardMode(), out: s.Out}
	e := &evaluation{settings: set, version: s.Version(), rules: s.rules, bases: s.BaseImages, retries: s.Retries,
		wait: cmp.Or(s.Wait, 2*time.Second), redo: run.Redo, scratch: scratch,
		cache:    &verdictCache{dir: cmp.Or(s.Cache, filepath.Join(s.Out, "cache"))},
		trees:    newTreeStore(set, scratch),
		progress: newProgress(items, len(s.Release.Tasks), s.Say, run.Describe)}
	for _, it := range items {
		e.trees.expect(it.Value.Task)
	}
	return e
}

// check refuses what can't be evaluated here.
func (s *Stage) check() error {
	if err := s.refuseUntrusted(); err != nil {
		return err
	}
	if n := len(s.Release.MissingSources()); n > 0 {
		return pipeline.Need("%d of %d source trees of the release are not there; "+
			"wideswe release fetch --release %s brings them once", n, len(s.Release.Sources), s.Release.Dir)
	}
	return nil
}

// refuseUntrusted keeps strangers' patches out of a sandbox that does not isolate.
func (s *Stage) refuseUntrusted() error {
	if s.Images.Name() != "process" || s.TrustPatches {
		return nil
	}
	for _, p := range s.Predictions {
		if predictions.ChangesNothing(p) || s.Trusted != nil && s.Trusted(p) {
			continue
		}
		t, err := s.Release.Task(p.Task)
		if err != nil {
			return err
		}
		if !predictions.OnlyGold(p, t) {
			return pipeline.Usage("the process sandbox keeps nothing from the code it runs, and the patch of "+
				"%s for %s is a stranger's; use --sandbox docker, or --trust-patches if you wrote it", p.Model, p.Task)
		}
	}
	return nil
}

// guardMode is one of guard's.
func (s *Stage) guardMode() string { return cmp.Or(s.Guard, guard.On) }
