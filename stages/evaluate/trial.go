package evaluate

import (
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
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
	overlaid   map[string]workspace.Overlaid
	broken     map[string]error // layers that don't go on, by target
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
	for _, repository := range sortedKeys(t.prediction.Patches) {
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
	for _, repository := range sortedKeys(from) {
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
		t.noteConfig(repository, a.Files)
	}
	return "", "", nil
}

// noteConfig notes the runner configuration that a patch changes and gold leaves
// alone.
func (t *trial) noteConfig(repository string, files []string) {
	spared, onPath := map[string]bool{}, map[string]bool{}
	for _, x := range t.st.task.Hidden {
		if x.Repository != repository {
			continue
		}
		for _, f := range slices.Concat(x.GoldFiles, x.HiddenFiles) {
			spared[f] = true
		}
		for _, dir := range x.Recipe.Path {
			onPath[path.Clean(dir)] = true
		}
	}
	folders := map[string]bool{} // whose Go tests are taken over
	for _, f := range files {
		if t.isConfig(repository, f, spared[f], onPath[path.Dir(f)]) {
			t.addConfig(repository, f)
			if strings.HasSuffix(f, "_test.go") {
				folders[path.Dir(f)] = true
			}
		}
	}
	// Test files of one package need each other to build: they go back together.
	for _, f := range files {
		if folders[path.Dir(f)] && strings.HasSuffix(f, "_test.go") && !spared[f] && !slices.Contains(t.config[repository], f) {
			t.addConfig(repository, f)
		}
	}
}

func (t *trial) addConfig(repository, file string) {
	t.config[repository] = append(t.config[repository], file)
	t.note(schema.DeviationConfig, repository, "", file)
}

func (t *trial) isConfig(repository, file string, spared, onPath bool) bool {
	dir := workspace.TreePath(t.ws, repository)
	before, after := readFile(workspace.TreePath(t.st.pristine(), repository), file), readFile(dir, file)
	if spared { // gold may change a go.mod, and the patch something else in it
		gold := replaced(readFile(workspace.TreePath(t.st.gold(), repository), file))
		maps.Copy(gold, replaced(before))
		for old, place := range replaced(after) {
			if path.Base(file) == "go.mod" && gold[old] != place {
				return true
			}
		}
		return false
	}
	info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(file)))
	there := err == nil && !info.IsDir()
	switch {
	case there && after == nil && decidedByContent(file):
		return true // a link, or too large to look into
	case there && onPath && (info.Mode()&0o111 != 0 || !info.Mode().IsRegular()):
		return true // a command that the runner would call instead of its own
	}
	return runnerConfig(file, before, after)
}

// readFile reads a file of a tree, nil where there is none, never through a link
// that leads out.
func readFile(dir, name string) []byte {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4<<20 {
		return nil
	}
	b, _ := root.ReadFile(name)
	return b
}

// overlay lays the hidden tests over every judged target.
func (t *trial) overlay(ctx context.Context) error {
	for _, x := range t.targets {
		o, err := workspace.Overlay(ctx, workspace.TreePath(t.st.pristine(), x.Repository), workspace.TreePath(t.ws, x.Repository), x.Layers)
		var inj *workspace.InjectionError
		if errors.As(err, &inj) {
			t.broken[x.Repository] = err
		} else if err != nil {
			return err
		} else if len(o.Files) == 0 {
			t.broken[x.Repository] = errors.New("there are no hidden tests")
		}
		t.overlaid[x.Repository] = o
	}
	return nil
}
