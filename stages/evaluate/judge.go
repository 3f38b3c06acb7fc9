package evaluate

import (
	"context"
	"os"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

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
	v.AddPutBack(a.plan.Files())
	if status != "" {
		v.AddUnscored(a.targets, status, reason)
		return nil
	}
	if err := a.overlayHidden(ctx); err != nil {
		return err
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

// judgeTarget judges one target: as submitted and, where that resolves it and the guard
// has found something to put back, by a second run.
func (a *attempt) judgeTarget(ctx context.Context, x release.Target) (schema.TargetReport, []verdict.Run, error) {
	if err := a.broken[x.Repository]; err != nil {
		return verdict.UnscoredTarget(x, schema.StatusInjectionFailed, "hidden tests: "+err.Error()), nil, nil
	}
	runs := a.runsOf(x.Repository)
	report, err := runs.run(ctx, a.workspace, verdict.Submitted)
	if err == nil && !report.Resolved && verdict.Unbuilt(runs.last) {
		report, err = a.withoutOwnTests(ctx, runs, report)
	}
	if err != nil {
		return report, nil, err
	}
	report.Replaced = a.noteFiles(runs)
	if report.Resolved && len(a.plan) > 0 && a.guard != guard.Off {
		if report, err = a.secondRun(ctx, runs, report); err != nil {
			return report, nil, err
		}
	}
	report.Flags = append(report.Flags, runs.notes.Flags...)
	report.Deviations = append(report.Deviations, runs.notes.Deviations...)
	return report, runs.all, nil
}

// runsOf gives a target's runs, of which there are none yet.
func (a *attempt) runsOf(repository string) *targetRuns {
	return &targetRuns{target: a.trees.targets[repository], key: a.key, out: a.out,
		changesNothing: predictions.ChangesNothing(a.prediction)}
}

// withoutOwnTests runs a target again with the prediction's own tests aside, which kept
// the hidden tests from being built. Where that comes further, it is the run that counts.
func (a *attempt) withoutOwnTests(ctx context.Context, r *targetRuns, first schema.TargetReport) (
	schema.TargetReport, error) {
	own := a.ownTests(r.Repository)
	if len(own) == 0 {
		return first, nil
	}
	w, err := a.copyWorkspace(ctx, r, func(repository, dir string) error {
		if repository != r.Repository {
			return nil
		}
		return workspace.Restore(a.pristine(repository), dir, own)
	})
	if err != nil {
		return first, err
	}
	defer w.remove()
	second, err := r.run(ctx, w.shared, verdict.OwnAside)
	if err != nil || passed(second) <= passed(first) {
		return first, err
	}
	a.aside[r.Repository] = own
	r.preferLast()
	return second, nil
}

func passed(r schema.TargetReport) int { return r.F2P.Passed + r.P2P.Passed }

// noteFiles notes the files that are not as submitted. It gives the test files that the
// prediction had changed and the hidden ones replaced.
func (a *attempt) noteFiles(r *targetRuns) (replaced []string) {
	r.addCircumstances(&r.notes)
	if files := a.aside[r.Repository]; len(files) > 0 {
		r.notes.Add(schema.DeviationAside, r.Repository, "they would keep the hidden tests from being built", files...)
	}
	if replaced = a.hidden[r.Repository].Replaced; len(replaced) > 0 {
		r.notes.List(schema.DeviationReplaced, r.Repository,
			"the prediction had changed them; the hidden version runs", replaced...)
	}
	return replaced
}
