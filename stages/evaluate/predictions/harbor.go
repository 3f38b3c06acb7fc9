package predictions

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/harbor"
)

// harborDepth is how far a trial's folder may lie below the one that is given: trials, a
// job's, several jobs'.
const harborDepth = 2

// harborShape is Harbor's folders of trials, with the patches as artifacts.
func harborShape() Shape {
	return Shape{Name: "harbor",
		Form:        "a trial's, a job's or several jobs' folder, with TRIAL/" + harbor.Patches + "/OWNER__NAME.patch",
		room:        room{model: true, mode: true, attempt: true, bytes: true, context: true},
		knownFolder: func(root *os.Root) bool { return len(trialFolders(root)) > 0 },
		readFolder:  readHarbor, writeFolder: writeHarbor}
}

// trialFolders finds the folders that hold a trial's result; a job's own has no trial_name.
func trialFolders(root *os.Root) (trials []string) {
	for _, dir := range foldersWith(root, harbor.ResultFile, harborDepth) {
		if t, err := readTrial(root, dir); err == nil && t.Name != "" && t.Task != "" {
			trials = append(trials, dir)
		}
	}
	return trials
}

func readTrial(root *os.Root, dir string) (t harbor.Trial, err error) {
	b, err := readRegular(root, path.Join(dir, harbor.ResultFile), maxRecord)
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	return t, err
}

// readHarbor reads the trials of a folder. The trials of one agent on one task are its
// attempts, in the order of their folders. Without patches, one that the agent's own
// failure ended is a prediction that changes nothing; one that an error of Harbor's or of
// a machine ended is none, and the task is missing.
func readHarbor(c *collector, root *os.Root, dir string) error {
	attempts := counter{}
	for _, trial := range trialFolders(root) {
		if err := c.trial(root, trial, attempts); err != nil {
			return pipeline.Usage("%s: %v", filepath.Join(dir, trial), err)
		}
	}
	return nil
}

func (c *collector) trial(root *os.Root, dir string, attempts counter) error {
	t, err := readTrial(root, dir)
	if err != nil {
		return err
	}
	task, target, err := c.find(t.TaskName())
	if err != nil {
		return err
	}
	p := schema.Prediction{Task: task.Task, Model: c.named(t.Agent.String()), Target: target}
	if target != "" {
		p.Mode = schema.Independent
	}
	p.Attempt = attempts.next(p)
	from := patchesOfTrial(root, dir)
	switch {
	case from == "" && t.Exception != nil && t.Exception.OfAgent():
		p.Patches = map[string]string{}
		return c.add(p, dir)
	case from == "" && t.Exception != nil:
		return nil
	case from == "":
		return fmt.Errorf("no %s: the trial's patches were not collected; let the task collect OWNER__NAME.patch "+
			"into /logs/artifacts/patches", harbor.Patches)
	}
	var at string
	if p.Patches, at, err = c.patchFiles(root, from, task); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return c.addWhole(p, dir)
}

// patchesOfTrial finds the folder of a trial's patches, of its last step where it has
// steps; "" where there is none.
func patchesOfTrial(root *os.Root, dir string) string {
	places := []string{dir}
	if steps, err := fs.Glob(root.FS(), path.Join(globEscaped(dir), "steps/*")); err == nil {
		places = append(places, steps...)
	}
	for i := len(places) - 1; i >= 0; i-- {
		for _, below := range []string{harbor.Patches, harbor.OlderPatches} {
			at := path.Join(places[i], below)
			if info, err := root.Lstat(at); err == nil && info.IsDir() {
				return at
			}
		}
	}
	return ""
}

func writeHarbor(out folderWriter, list []schema.Prediction) error {
	if err := consecutive(list); err != nil {
		return err
	}
	for _, p := range list {
		task := p.Task
		if p.Target != "" {
			task = InstanceID(p.Task, p.Target)
		}
		name := fmt.Sprintf("%s__%s-%04d", task, pipeline.Hash(p.Model)[:8], p.Attempt)
		if err := out.json(path.Join(name, harbor.ResultFile), harbor.NewTrial(out.dir, name, task, p.Model)); err != nil {
			return err
		}
		if err := out.patches(path.Join(name, harbor.Patches), p.Patches); err != nil {
			return err
		}
	}
	return nil
}
