package validate

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/leak"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// SeesImages says whether images can be looked into: the process sandbox has none.
func (s Stage) SeesImages() bool {
	_, ok := s.Runner.Backend.Abilities().Layers()
	return ok
}

// learn takes a target's secrets from its trees, and the words that base has in the
// files of the hidden tests.
func (w *trees) learn(ctx context.Context, x target, plain string) error {
	if w.secrets == nil {
		w.secrets, w.words = &leak.Secrets{Managers: registry.Packages()}, map[string]bool{}
	}
	gold := workspace.TreePath(w.gold, x.Repository)
	if err := w.secrets.AddTree(x.Repository, plain, gold); err != nil {
		return err
	}
	if err := w.secrets.AddPackages(x.Repository, plain); err != nil {
		return err
	}
	for _, name := range x.Hidden {
		f, err := os.Open(filepath.Join(plain, filepath.FromSlash(name)))
		if err != nil {
			continue // base does not have it
		}
		text, err := io.ReadAll(io.LimitReader(f, 4<<20))
		_ = f.Close()
		if err != nil {
			return err
		}
		for _, word := range word.FindAllString(string(text), -1) {
			w.words[word] = true
		}
	}
	return nil
}

var word = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// repositories looks through each repository as agents get it.
func (s Stage) repositories(ctx context.Context, t task, secrets *leak.Secrets) (found []leak.Finding, err error) {
	dir, remove, err := pipeline.Scratch(s.TempDir, "leak")
	if err != nil {
		return nil, err
	}
	defer remove()
	for _, x := range t.Targets {
		tree := workspace.TreePath(dir, x.Repository)
		if err := s.extract(ctx, x.Repository, x.Base, tree); err != nil {
			return nil, explain(x.Repository, err)
		}
		if _, err := workspace.CommitOne(ctx, tree); err != nil {
			return nil, fmt.Errorf("committing %s: %w", x.Repository, err)
		}
		list, err := secrets.Repository(ctx, tree, x.Repository)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}

// image looks through the layers that we added to a base image.
func (s Stage) imageLeaks(ctx context.Context, t task, secrets *leak.Secrets, image, base string) ([]leak.Finding,
	error) {
	sandboxLayers, ok := s.Runner.Backend.Abilities().Layers()
	if !ok {
		return nil, nil // the process sandbox has no images
	}
	layers := func(ctx context.Context, visit func(string, *tar.Header, io.Reader) error) error {
		return sandboxLayers.Layers(ctx, image, base, visit)
	}
	return secrets.Image(ctx, layers, func(ctx context.Context, repository, version string) (before, known bool,
		err error) {
		if s.Released == nil {
			return false, false, nil
		}
		made, known, err := s.Released(ctx, repository, version)
		return !made.After(t.baseTime(repository)), known, err
	})
}

func (t task) baseTime(repository string) (at time.Time) {
	for _, x := range t.Targets {
		if x.Repository == repository {
			at = x.BaseTime
		}
	}
	return at
}

// leaks looks everywhere where an agent could find the answer before it is run, and
// skips the task where it could.
func (w *work) leaks(ctx context.Context) error {
	found, err := w.s.repositories(ctx, w.t, w.trees.secrets)
	if err != nil {
		return err
	}
	for _, x := range w.t.Targets {
		img := w.images[x.Repository]
		list, err := w.s.imageLeaks(ctx, w.t, w.trees.secrets, img.ID, img.BaseID)
		if err != nil {
			return fmt.Errorf("looking through the image of %s: %w", x.Repository, err)
		}
		for _, f := range list {
			found = append(found, leak.Finding{Place: "image of " + x.Repository + ": " + f.Place, What: f.What})
		}
	}
	return w.leaked(found)
}

// hide makes the parts of a hidden test's name secrets that base does not tell.
func (w *trees) hide(repository, test string) {
	for _, part := range nameParts(test) {
		if !w.words[part] {
			w.secrets.AddWord(part, "the name of a hidden test of "+repository)
		}
	}
}

// named looks for the names of tests that only the hidden files have in the prompt.
func (w *work) named() error {
	for _, x := range w.t.Targets {
		for _, id := range w.passed(x.Repository) {
			if w.class(x.Repository, id) != schema.F2P {
				continue
			}
			w.trees.hide(x.Repository, id)
		}
	}
	return w.leaked(w.trees.secrets.Text("prompt", w.t.Prompt))
}

func (w *work) leaked(found []leak.Finding) error {
	found = leak.Sorted(found)
	if len(found) == 0 {
		return nil
	}
	for _, f := range found {
		w.rows.leaks = append(w.rows.leaks, []any{w.t.ID, f.Place, f.What})
	}
	more := ""
	if len(found) > 1 {
		more = fmt.Sprintf(" (and %d more in task_leaks)", len(found)-1)
	}
	return pipeline.Skip("leak: %s%s", found[0], more)
}

// LeakReport is where an agent could find the answer of a task.
type LeakReport struct {
	Clean            bool           `json:"clean"`
	ImagesLookedInto bool           `json:"images_looked_into"` // the process sandbox has none
	Leaks            []leak.Finding `json:"leaks"`
	Task             string         `json:"task"`
}

// LeakReport looks a task through for its answer, as [Stage.Leaks] does.
func (s Stage) LeakReport(ctx context.Context, id string, dirs, images []string) (LeakReport, error) {
	found, err := s.Leaks(ctx, id, dirs, images)
	return LeakReport{Clean: len(found) == 0, ImagesLookedInto: s.SeesImages(), Leaks: append([]leak.Finding{}, found...),
		Task: id}, err
}

// Leaks looks a task through as validation does, without a run: its workspace, its
// images as they are now, its prompt. Dirs are workspaces made earlier, images more
// images, that are looked through beside.
func (s Stage) Leaks(ctx context.Context, id string, dirs, images []string) ([]leak.Finding, error) {
	tasks, err := s.readTasks(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if t.ID == id {
			return s.leaksOf(ctx, t, dirs, images)
		}
	}
	return nil, pipeline.Usage("there is no task %s; wideswe sql -c 'SELECT task_id FROM tasks' lists them", id)
}

func (s Stage) leaksOf(ctx context.Context, t task, dirs, images []string) (found []leak.Finding, err error) {
	if !s.SeesImages() && len(images) > 0 {
		return nil, pipeline.Usage("images are looked into with Docker only: set validate.sandbox to docker to look "+
			"through %s", images[0])
	}
	if err := s.readPatches(ctx, &t); err != nil {
		return nil, err
	}
	trees, err := s.lay(ctx, t)
	defer trees.close()
	if err != nil {
		return nil, err
	}
	if found, err = s.repositories(ctx, t, trees.secrets); err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		for _, x := range t.Targets {
			if _, err := os.Stat(workspace.TreePath(dir, x.Repository)); err != nil {
				return nil, pipeline.Usage("%s holds no tree of %s (%v): name a folder that wideswe workspace made of %s", dir,
					x.Repository, err, t.ID)
			}
			list, err := trees.secrets.Repository(ctx, workspace.TreePath(dir, x.Repository), x.Repository)
			if err != nil {
				return nil, err
			}
			found = append(found, list...)
		}
	}
	made, err := s.madeImages(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	for _, id := range images {
		made = append(made, testrun.Image{ID: id, Name: id})
	}
	for _, img := range made {
		list, err := s.imageLeaks(ctx, t, trees.secrets, img.ID, img.BaseID)
		if err != nil {
			return nil, fmt.Errorf("looking through the image %s: %w", img.Name, err)
		}
		for _, f := range list {
			found = append(found, leak.Finding{Place: "image " + img.Name + ": " + f.Place, What: f.What})
		}
	}
	names, err := s.hiddenNames(ctx, t.ID)
	for _, n := range names {
		trees.hide(n.repository, n.test)
	}
	return leak.Sorted(append(found, trees.secrets.Text("prompt", t.Prompt)...)), err
}

// madeImages reads the images that the last validation made.
func (s Stage) madeImages(ctx context.Context, id string) ([]testrun.Image, error) {
	rows, err := s.DB.Query(ctx, `SELECT image, image_id FROM task_images WHERE task_id = ? ORDER BY repository`, id)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, func(i *testrun.Image) []any { return []any{&i.Name, &i.ID} })
}

type hiddenName struct{ repository, test string }

func (s Stage) hiddenNames(ctx context.Context, id string) ([]hiddenName, error) {
	rows, err := s.DB.Query(ctx, `SELECT repository, test_id FROM test_transitions WHERE task_id = ? AND class = 'F2P' `+
		`ORDER BY ALL`, id)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, func(n *hiddenName) []any { return []any{&n.repository, &n.test} })
}
