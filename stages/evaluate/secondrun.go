package evaluate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/unbuilt"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// secondRun judges a target that resolves as submitted by a run in which the plan's files
// are put back. Where a test fails there, the target is disputed; where the tree does not
// build, it is unbuilt.
func (a *attempt) secondRun(ctx context.Context, r *targetRuns, first schema.TargetReport) (
	schema.TargetReport, error) {
	w, err := a.copyWorkspace(ctx, r, func(repository, dir string) error {
		err := a.plan.Restore(repository, dir)
		if err != nil || repository != r.Repository {
			return err
		}
		return workspace.Restore(a.pristine(repository), dir, a.aside[repository])
	})
	if err != nil {
		return first, err
	}
	defer w.remove()
	second, err := r.run(ctx, w.shared, verdict.BaseConfig)
	if err == nil && r.lastIsUnbuilt(second) {
		second, err = a.retryWithout(ctx, r, w, second)
	}
	if err != nil {
		return first, err
	}
	r.notes.Add(schema.DeviationGuarded, "", fmt.Sprintf("%s (F2P %d/%d, P2P %d/%d)",
		second.Status, second.F2P.Passed, second.F2P.Total, second.P2P.Passed, second.P2P.Total))
	switch {
	case second.Resolved:
	case r.lastIsUnbuilt(second):
		first.Resolved, first.Status = false, schema.StatusUnbuilt
		first.Reason = a.unbuiltReason(r, w, second)
	default:
		first.Resolved, first.Status = false, schema.StatusDisputed
		first.Reason = fmt.Sprintf("resolved as submitted, %s in the second run, which puts back %s",
			second.Status, a.plan.Names())
	}
	return first, nil
}

// retryWithout runs a target once more without the test files that keep the restored tree
// from being built and that nothing listed needs. The earlier run keeps its rows.
func (a *attempt) retryWithout(ctx context.Context, r *targetRuns, w *workspaceCopy, second schema.TargetReport) (
	schema.TargetReport, error) {
	files := unbuilt.Removable(w.tree(r.Repository), verdict.BuildErrors(r.last), a.hidden[r.Repository].Files,
		slices.Concat(r.Tests.F2P, r.Tests.P2P))
	if len(files) == 0 {
		return second, nil
	}
	if err := unbuilt.Remove(w.tree(r.Repository), files); err != nil {
		return second, err
	}
	w.renew()
	r.all[len(r.all)-1].Variant += verdict.NotBuilt
	r.notes.Add(schema.DeviationLeftOut, r.Repository, "", files...)
	return r.run(ctx, w.shared, verdict.BaseConfig)
}

// lastIsUnbuilt tells whether the last run says nothing of the listed tests since the tree
// could not be built: none of them failed.
func (r *targetRuns) lastIsUnbuilt(report schema.TargetReport) bool {
	return !report.Resolved && r.all[len(r.all)-1].IsUnbuilt()
}

// unbuiltReason names the file that does not build.
func (a *attempt) unbuiltReason(r *targetRuns, w *workspaceCopy, second schema.TargetReport) string {
	where := "the tree"
	if named := unbuilt.Named(w.tree(r.Repository), verdict.BuildErrors(r.last)); len(named) > 0 {
		where = strings.Join(named[:min(3, len(named))], ", ")
	}
	return fmt.Sprintf("resolved as submitted; in the second run, which puts back %s, %s does not build: %s",
		a.plan.Names(), where, second.Reason)
}
