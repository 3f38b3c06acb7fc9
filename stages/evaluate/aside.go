package evaluate

import (
	"context"
	"slices"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// The prediction's own tests are welcome as long as the hidden ones run beside them.
// Those that keep them from being built are put back as on base: at once where both
// declare the same name, and in a second run where the first could not be built.

// ownTests are the test files of a target that the prediction changes or adds and the
// hidden tests leave alone.
func (t *trial) ownTests(x release.Target) (list []string) {
	for _, f := range t.touched[x.Repository] {
		if filerole.Of(f) == filerole.Test && !slices.Contains(t.overlaid[x.Repository].Files, f) {
			list = append(list, f)
		}
	}
	return list
}

// clashing are those that declare what a hidden test declares.
func (t *trial) clashing(x release.Target) (list []string) {
	dir := workspace.TreePath(t.ws, x.Repository)
	hidden := map[string]bool{}
	for _, f := range t.overlaid[x.Repository].Files {
		for _, name := range registry.Declares(f, readFile(dir, f)) {
			hidden[name] = true
		}
	}
	for _, f := range t.ownTests(x) {
		if slices.ContainsFunc(registry.Declares(f, readFile(dir, f)), func(name string) bool { return hidden[name] }) {
			list = append(list, f)
		}
	}
	return list
}

// setAside puts tests of the prediction back as on base.
func (t *trial) setAside(x release.Target, dir string, files []string) error {
	return workspace.Restore(workspace.TreePath(t.st.pristine(), x.Repository), dir, files)
}

// clear sets the tests aside whose names clash, before anything runs.
func (t *trial) clear(x release.Target) error {
	files := t.clashing(x)
	if len(files) == 0 {
		return nil
	}
	t.aside[x.Repository] = files
	return t.setAside(x, workspace.TreePath(t.ws, x.Repository), files)
}

// unbuilt says whether hidden tests did not run since something could not be built.
func unbuilt(rep *testrun.Report) bool {
	a := rep.First()
	return a.Status == testrun.BuildFailed || slices.ContainsFunc(a.Parsed.Problems, func(p testreport.Problem) bool {
		return p.Kind == testreport.BuildFailed || p.Kind == testreport.CollectionError
	})
}

// without runs a target once more with all of the prediction's own tests aside. Where
// that came further it is the run that counts.
func (t *trial) without(ctx context.Context, tv *targetVerdict, x release.Target, before schema.TargetReport) (schema.TargetReport, error) {
	files := t.ownTests(x)
	if len(files) == 0 {
		return before, nil
	}
	w, remove, err := t.copied(ctx, x, func(repository, dir string) error {
		if repository != x.Repository {
			return nil
		}
		return t.setAside(x, dir, files)
	})
	if err != nil {
		return before, err
	}
	defer remove()
	r, err := t.run(ctx, tv, x, w, ownAside)
	if err != nil || passed(r) <= passed(before) {
		return before, err
	}
	t.aside[x.Repository] = files
	for i := range tv.runs {
		switch tv.runs[i].Variant {
		case submitted:
			tv.runs[i].Variant = ownTests
		case ownAside:
			tv.runs[i].Variant = submitted
		}
	}
	return r, nil
}

func passed(r schema.TargetReport) int { return r.F2P.Passed + r.P2P.Passed }
