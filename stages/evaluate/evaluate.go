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
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// Runner runs targets' tests; [testrun.Runner] does.
type Runner interface {
	Run(ctx context.Context, q testrun.Request) (*testrun.Report, error)
	Select(q testrun.Request) (toolchain.Selection, error)
	EnsureImage(ctx context.Context, q testrun.ImageRequest) (testrun.Image, error)
	Workspace(q testrun.Request) *testrun.Workspace
	Base(ctx context.Context, name string) (testrun.BaseImage, error)
	LockedPin(name string) (string, error)
}

// Images is a sandbox as far as images and machines go: whether it has an image, and
// where it runs.
type Images interface {
	Name() string
	ImageID(ctx context.Context, name string) (string, error)
	Host(ctx context.Context) (sandbox.Host, error)
}

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
	// Retries is how often trouble of this machine is tried again.
	Retries int
	// Wait is the pause before that; 0 is two seconds.
	Wait time.Duration
	// Say takes one line for each task as it ends; nil says nothing.
	Say func(line string)

	down       error
	baseImages baseImages
}

// Down gives what made the last run give up on everything after it, as a
// [pipeline.NeedError], or nil.
func (s *Stage) Down() error { return s.down }

// Name implements [pipeline.Stage].
func (s *Stage) Name() string { return "evaluate" }

// Version implements [pipeline.Stage].
func (s *Stage) Version() string { return "5" }

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
	items := s.items()
	e := newEvaluation(s, run, scratch, items)
	if err := e.countEarlier(ctx, s, run, items); err != nil {
		return err
	}
	err = pipeline.Each(ctx, run, s, items, e.work, results.RemoveVerdict)
	s.down = e.stopped()
	e.progress.printTable()
	// The report is written even when the person has just interrupted.
	return errors.Join(err, s.writeReport(context.WithoutCancel(ctx), run, s.items()))
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
