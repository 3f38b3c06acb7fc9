package evaluate

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
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
		a.plan.Add(repository, guard.Inspect(a.guardedRepository(repository), applied.Files))
		a.noteFindings(repository)
	}
	if names := a.plan.ConfigNames(); names != "" && a.guard == guard.Reject {
		return schema.StatusRejected, "runner configuration was changed: " + names, nil
	}
	return "", "", nil
}

// guardedRepository is a repository as the guard sees it.
func (a *attempt) guardedRepository(repository string) guard.Repository {
	r := guard.Repository{Base: a.pristine(repository), Changed: a.tree(repository),
		Gold: workspace.TreePath(a.trees.gold(), repository)}
	for _, x := range a.trees.task.Hidden {
		if x.Repository == repository {
			r.Hidden = x.Recipe.Placed(x.HiddenFiles)
			r.CommandFolders, r.Listed = x.Recipe.Path, slices.Concat(x.Tests.F2P, x.Tests.P2P)
		}
	}
	return r
}

// maxFindingNotes bounds how many files of a repository a verdict names: a patch may
// hold thousands.
const maxFindingNotes = 50

// noteFindings notes what of a repository goes back in the second run.
func (a *attempt) noteFindings(repository string) {
	for i, f := range a.plan[repository] {
		if i == maxFindingNotes {
			a.notes.Add(f.Kind, repository, "more files, which are not named")
			return
		}
		if f.New && f.Kind != schema.DeviationConfig {
			a.notes.List(f.Kind, repository, f.Reason, f.Path) // everyone brings tests
			continue
		}
		a.notes.Add(f.Kind, repository, "", f.Path)
	}
}

// overlayHidden overlays the hidden tests on the judged targets.
func (a *attempt) overlayHidden(ctx context.Context) error {
	for _, x := range a.targets {
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
		if err := a.setClashingAside(x.Repository); err != nil {
			return err
		}
	}
	return nil
}

// setClashingAside puts the prediction's own tests aside that declare what a hidden one does.
func (a *attempt) setClashingAside(repository string) error {
	clashing := guard.Clashing(a.tree(repository), a.ownTests(repository), a.hidden[repository].Files)
	if len(clashing) == 0 {
		return nil
	}
	a.aside[repository] = clashing
	return workspace.Restore(a.pristine(repository), a.tree(repository), clashing)
}

// ownTests are the prediction's own test files of a target.
func (a *attempt) ownTests(repository string) []string {
	return guard.OwnTests(a.changed[repository], a.hidden[repository].Files)
}
