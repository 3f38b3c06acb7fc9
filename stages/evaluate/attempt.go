package evaluate

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// attempt is one prediction in a workspace of its own.
type attempt struct {
	settings
	trees      *taskTrees
	key        results.Key
	prediction schema.Prediction
	targets    []release.Target // those that are judged; the others are at gold

	dir       string           // the workspace
	workspace *sharedWorkspace // dir over the images
	patched   []string
	contexts  []string            // context repositories that the prediction patches
	changed   map[string][]string // the files that the patches name, by repository
	plan      guard.Plan
	hidden    map[string]workspace.Overlaid // by target
	aside     map[string][]string           // the prediction's own tests that are as on base, by target
	broken    map[string]error              // hidden tests that don't go on, by target
	notes     verdict.Notes
}

func newAttempt(s settings, trees *taskTrees, k results.Key, p schema.Prediction, targets []release.Target) *attempt {
	return &attempt{settings: s, trees: trees, key: k, prediction: p, targets: targets, plan: guard.Plan{},
		changed: map[string][]string{}, hidden: map[string]workspace.Overlaid{}, aside: map[string][]string{},
		broken: map[string]error{}}
}

// judge makes the workspace, runs the targets, and adds what it finds to the verdict.
func (a *attempt) judge(ctx context.Context, v *verdict.Verdict) (err error) {
	if a.dir, err = os.MkdirTemp(a.trees.dir, "attempt-"); err != nil {
		return err
	}
	defer os.RemoveAll(a.dir)
	if err := a.copyTrees(ctx); err != nil {
		return err
	}
	status, reason, err := a.applyPatches(ctx)
	if err != nil {
		return err
	}
	v.Report.Patched = append(v.Report.Patched, a.patched...)
	v.AddNotes(a.notes)
	if status != "" {
		for _, x := range a.targets {
			v.AddTarget(x.Repository, verdict.Unscored(x, status, reason))
		}
		return nil
	}
	return a.judgeTargets(ctx, v)
}

func (a *attempt) judgeTargets(ctx context.Context, v *verdict.Verdict) error {
	for _, x := range a.targets {
		if err := a.overlayHidden(ctx, x); err != nil {
			return err
		}
	}
	a.workspace = newSharedWorkspace(a.runner, a.dir, a.contexts)
	defer a.workspace.close()
	for _, x := range a.targets {
		report, runs, err := a.judgeTarget(ctx, x)
		if err != nil {
			return err
		}
		v.AddTarget(x.Repository, report, runs...)
	}
	return nil
}

// copyTrees copies judged targets and patched context as they were at base, other
// targets at gold.
func (a *attempt) copyTrees(ctx context.Context) error {
	from := a.targetTrees()
	for _, repository := range slices.Sorted(maps.Keys(a.prediction.Patches)) {
		if strings.TrimSpace(a.prediction.Patches[repository]) == "" {
			continue
		}
		a.patched = append(a.patched, repository)
		if from[repository] != "" {
			continue
		}
		dir, err := a.trees.context(ctx, repository)
		if err != nil {
			return err
		}
		from[repository] = dir
		a.contexts = append(a.contexts, repository)
	}
	for _, repository := range slices.Sorted(maps.Keys(from)) {
		if err := workspace.CopyTree(ctx, from[repository], a.tree(repository)); err != nil {
			return err
		}
	}
	return nil
}

// targetTrees are the trees that the targets begin with.
func (a *attempt) targetTrees() map[string]string {
	from := map[string]string{}
	for _, x := range a.trees.task.Hidden {
		from[x.Repository] = workspace.TreePath(a.trees.gold(), x.Repository)
	}
	for _, x := range a.targets {
		from[x.Repository] = a.pristine(x.Repository)
	}
	return from
}

// tree is a repository's folder in the workspace, pristine the one that it was copied of.
func (a *attempt) tree(repository string) string { return workspace.TreePath(a.dir, repository) }

func (a *attempt) pristine(repository string) string {
	return workspace.TreePath(a.trees.pristine(), repository)
}

// applyPatches applies the prediction. A status tells that a patch may not, or does not,
// go on.
func (a *attempt) applyPatches(ctx context.Context) (status, reason string, err error) {
	for _, repository := range a.patched {
		applied, err := workspace.Apply(ctx, a.tree(repository), []byte(a.prediction.Patches[repository]))
		var unsafe *workspace.UnsafeError
		var failed *workspace.FailedError
		switch {
		case errors.As(err, &unsafe):
			return schema.StatusPatchUnsafe, repository + ": " + err.Error(), nil
		case errors.As(err, &failed):
			return schema.StatusPatchFailed, repository + ": " + err.Error(), nil
		case err != nil:
			return "", "", err
		}
		if applied.Normalised != "" {
			a.notes.Add(schema.DeviationNormalised, repository, applied.Normalised)
		}
		a.changed[repository] = applied.Files
		a.inspect(repository)
	}
	if names := a.plan.ConfigNames(); names != "" && a.guard == guard.Reject {
		return schema.StatusRejected, "runner configuration was changed: " + names, nil
	}
	return "", "", nil
}

// inspect plans what of a repository goes back in the second run, and notes it.
func (a *attempt) inspect(repository string) {
	r := guard.Repository{Base: a.pristine(repository), Changed: a.tree(repository),
		Gold: workspace.TreePath(a.trees.gold(), repository)}
	for _, x := range a.trees.task.Hidden {
		if x.Repository == repository {
			r.Expected = slices.Concat(x.GoldFiles, x.HiddenFiles, x.Recipe.Placed(nil))
			r.CommandFolders = x.Recipe.Path
		}
	}
	found := guard.Inspect(r, a.changed[repository])
	a.plan.Add(repository, found)
	a.noteFindings(repository, found)
}

// maxFindingNotes bounds how many files of a repository a verdict names: a patch may
// hold thousands.
const maxFindingNotes = 50

func (a *attempt) noteFindings(repository string, found []guard.Finding) {
	for i, f := range found {
		if i == maxFindingNotes {
			a.notes.Add(f.Kind, repository, "more files, which are not named")
			return
		}
		a.notes.Add(f.Kind, repository, "", f.Path)
	}
}

// overlayHidden overlays the hidden tests on a target, and puts the prediction's own
// tests aside that declare what a hidden one declares.
func (a *attempt) overlayHidden(ctx context.Context, x release.Target) error {
	o, err := workspace.Overlay(ctx, a.pristine(x.Repository), a.tree(x.Repository), x.Layers, x.Recipe.Relocate...)
	var injection *workspace.InjectionError
	switch {
	case errors.As(err, &injection):
		a.broken[x.Repository] = err
	case err != nil:
		return err
	case len(o.Files) == 0:
		a.broken[x.Repository] = errors.New("there are no hidden tests")
	}
	a.hidden[x.Repository] = o
	clashing := guard.Clashing(a.tree(x.Repository), a.ownTests(x.Repository), o.Files)
	if len(clashing) == 0 {
		return nil
	}
	a.aside[x.Repository] = clashing
	return workspace.Restore(a.pristine(x.Repository), a.tree(x.Repository), clashing)
}

// ownTests are the prediction's own test files of a target.
func (a *attempt) ownTests(repository string) []string {
	return guard.OwnTests(a.changed[repository], a.hidden[repository].Files)
}

// runsOf gives a target's runs, of which there are none yet.
func (a *attempt) runsOf(repository string) *targetRuns {
	return &targetRuns{target: a.trees.targets[repository], key: a.key, out: a.out,
		changesNothing: predictions.ChangesNothing(a.prediction)}
}
