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
)

// trial is one workspace under judgement.
type trial struct {
	st         *stand
	unit       unit
	prediction schema.Prediction
	ws         string
	targets    []release.Target // those that are judged; the others are at gold
	patched    []string
	contexts   []string // context repositories that the prediction patches
	flags      []string
	deviations []schema.Deviation
	laid       *laid               // ws over the images
	config     map[string][]string // runner configuration that the patch changed, by repository
	data       map[string]bool     // what of it is data of tests, by repository/file
	partly     map[string][]byte   // what a file of it is with the runners' part as before, by repository/file
	overlaid   map[string]workspace.Overlaid
	touched    map[string][]string // the files that the patches name, by repository
	aside      map[string][]string // the prediction's own tests that are as on base, by target
	broken     map[string]error    // layers that don't go on, by target
}

func (t *trial) judged(repository string) bool {
	return slices.ContainsFunc(t.targets, func(x release.Target) bool { return x.Repository == repository })
}

// lay copies the trees: judged targets and patched context as they were at base,
// other targets at gold.
func (t *trial) lay(ctx context.Context) error {
	from := map[string]string{}
	for _, x := range t.st.task.Hidden {
		from[x.Repository] = workspace.TreePath(t.st.gold(), x.Repository)
		if t.judged(x.Repository) {
			from[x.Repository] = workspace.TreePath(t.st.pristine(), x.Repository)
		}
	}
	for _, repository := range slices.Sorted(maps.Keys(t.prediction.Patches)) {
		if strings.TrimSpace(t.prediction.Patches[repository]) == "" {
			continue
		}
		t.patched = append(t.patched, repository)
		if from[repository] != "" {
			continue
		}
		dir, err := t.st.context(ctx, repository)
		if err != nil {
			return err
		}
		from[repository] = dir
		t.contexts = append(t.contexts, repository)
	}
	for _, repository := range slices.Sorted(maps.Keys(from)) {
		if err := workspace.CopyTree(ctx, from[repository], workspace.TreePath(t.ws, repository)); err != nil {
			return err
		}
	}
	return nil
}

// apply puts the prediction's patches on. A status says that one may not, or does
// not, go on.
func (t *trial) apply(ctx context.Context) (status, reason string, err error) {
	for _, repository := range t.patched {
		diff := []byte(t.prediction.Patches[repository])
		a, err := workspace.Apply(ctx, workspace.TreePath(t.ws, repository), diff)
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
		if a.Normalised != "" {
			t.note(schema.DeviationNormalised, repository, a.Normalised)
		}
		t.touched[repository] = a.Files
		t.noteConfig(repository, a.Files)
	}
	return "", "", nil
}

// overlay lays the hidden tests over every judged target.
func (t *trial) overlay(ctx context.Context) error {
	for _, x := range t.targets {
		o, err := workspace.Overlay(ctx, workspace.TreePath(t.st.pristine(), x.Repository), workspace.TreePath(t.ws, x.Repository), x.Layers, x.Recipe.Relocate...)
		var inj *workspace.InjectionError
		if errors.As(err, &inj) {
			t.broken[x.Repository] = err
		} else if err != nil {
			return err
		} else if len(o.Files) == 0 {
			t.broken[x.Repository] = errors.New("there are no hidden tests")
		}
		t.overlaid[x.Repository] = o
		if err := t.clear(x); err != nil {
			return err
		}
	}
	return nil
}
