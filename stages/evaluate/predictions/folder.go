package predictions

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// folder reads the predictions of a folder.
func (c *collector) folder(dir string) ([]schema.Prediction, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, pipeline.Usage("predictions %s can't be read: %v", dir, err)
	}
	defer root.Close()
	if err := otherFolder(root, dir); err != nil {
		return nil, err
	}
	for _, s := range Shapes() {
		if s.knownFolder == nil || !s.knownFolder(root) {
			continue
		}
		if err := s.readFolder(c, root, dir); err != nil {
			return nil, err
		}
		break
	}
	if len(c.out) == 0 {
		return nil, pipeline.Usage("%s holds no prediction; it needs a folder a task with OWNER__NAME.patch in it", dir)
	}
	return c.out, nil
}

// patchesShape is ours: a folder of patch files. It is the last of the folders' shapes,
// so that what is none of the others is held against it.
func patchesShape() Shape {
	return Shape{Name: "folder", Form: "a folder of TASK/OWNER__NAME.patch, with --model",
		room:        room{bytes: true, context: true, byID: true},
		knownFolder: func(*os.Root) bool { return true },
		readFolder:  (*collector).patchFolder,
		writeFolder: func(out folderWriter, list []schema.Prediction) error {
			for _, p := range list {
				if err := out.patches(p.Task, p.Patches); err != nil {
					return err
				}
			}
			return nil
		}}
}

// patchFolder reads predictions kept as files, TASK/OWNER__NAME.patch: one joint
// prediction a task folder, of the model that is given or else named as the folder is.
// A task's folder without a file is a prediction that changes nothing. Names that begin
// with a dot are passed over; whatever else does not belong there is an error, since a
// misspelt name would be a prediction lost.
func (c *collector) patchFolder(root *os.Root, dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	model := cmp.Or(c.options.Model, filepath.Base(abs))
	tasks, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, t := range tasks {
		if strings.HasPrefix(t.Name(), ".") {
			continue
		}
		if !t.IsDir() {
			return pipeline.Usage("%s: a folder of predictions holds TASK/OWNER__NAME.patch, and this is no folder",
				filepath.Join(dir, t.Name()))
		}
		patches, file, err := c.patches(root, t.Name())
		if err == nil {
			err = c.addWhole(schema.Prediction{Task: t.Name(), Model: model, Patches: patches}, filepath.Join(dir, t.Name()))
		}
		if err != nil {
			return pipeline.Usage("%s: %v", filepath.Join(dir, file), err)
		}
	}
	return nil
}

// addWhole takes the patches of a whole task: one prediction, or, where the options say
// independent, one for each of its repositories.
func (c *collector) addWhole(p schema.Prediction, place string) error {
	if cmp.Or(p.Mode, c.options.Mode) != schema.Independent || p.Target != "" {
		return c.add(p, place)
	}
	for _, repository := range slices.Sorted(maps.Keys(p.Patches)) {
		one := p
		one.Target, one.Patches = repository, map[string]string{repository: p.Patches[repository]}
		if err := c.add(one, place); err != nil {
			return err
		}
	}
	return nil
}

// otherFolder refuses the folders of ours that are easily given for one of predictions.
func otherFolder(root *os.Root, dir string) error {
	for _, x := range []struct{ holds, what string }{
		{"release.json", "a release; --predictions takes a file of lines, or a folder of TASK/OWNER__NAME.patch"},
		{"workspace.json", "a workspace; write what git diff says in each of its repositories into " +
			"FOLDER/TASK/OWNER__NAME.patch, and give FOLDER"},
		{"predictions.jsonl", "what agent run wrote; give " + filepath.Join(dir, "predictions.jsonl")},
		{"evaluation.duckdb", "an evaluation; give the predictions that it is of"},
		{"preds.json", "what mini-swe-agent wrote; give " + filepath.Join(dir, "preds.json")},
		{"output.jsonl", "what OpenHands wrote; give " + filepath.Join(dir, "output.jsonl")},
	} {
		if _, err := root.Lstat(x.holds); err == nil {
			return pipeline.Usage("%s is %s", dir, x.what)
		}
	}
	return nil
}

// patches reads a task's folder. at names what an error is about.
func (c *collector) patches(root *os.Root, id string) (patches map[string]string, at string, err error) {
	task, err := c.task(id)
	if err != nil {
		return nil, id, err
	}
	return c.patchFiles(root, id, task)
}

// patchFiles reads the patches of a task from a folder that holds nothing else.
func (c *collector) patchFiles(root *os.Root, dir string, task *release.Task) (patches map[string]string, at string,
	err error) {
	repositories := map[string]string{}
	for _, w := range task.Workspace.Repositories {
		repositories[schema.FileName(w.Repository)+".patch"] = w.Repository
	}
	list, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		return nil, dir, err
	}
	patches = map[string]string{}
	for _, f := range list {
		if strings.HasPrefix(f.Name(), ".") {
			continue
		}
		at = filepath.Join(dir, f.Name())
		repository, ok := repositories[f.Name()]
		if !ok {
			return nil, at, fmt.Errorf("unknown repository: it is none of %s",
				strings.Join(slices.Sorted(maps.Keys(repositories)), ", "))
		}
		if patches[repository], err = readPatch(root, at); err != nil {
			return nil, at, err
		}
	}
	return patches, dir, nil
}

func readPatch(root *os.Root, name string) (string, error) {
	b, err := readRegular(root, name, maxLine)
	return string(b), err
}

// readRegular reads a file that is one, up to a bound.
func readRegular(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("no regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return b, err
}
