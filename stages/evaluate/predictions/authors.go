package predictions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// The files of a run in the results folder of the paper's authors,
// TASK/AGENT/MODEL/RUN.
const (
	authorsDiffs   = "diffs/diffs.json"
	authorsRunFile = "run.json"
	authorsDepth   = 4
	authorsSingle  = "single-repo" // the scope of an independent run
)

// authorsSummary is diffs/diffs.json.
type authorsSummary struct {
	Task   string        `json:"task_id"` // in some runs a path that ends in it
	Scope  string        `json:"workspace_scope"`
	Single *string       `json:"single_repo"` // the target's short name in scope single-repo
	Repos  []authorsDiff `json:"repos"`
}

// authorsDiff is one repository's diff; the patch lies beside as REPO.patch.
type authorsDiff struct {
	Repo    string `json:"repo"` // the short name
	Path    string `json:"path"` // repos/OWNER/NAME
	Changed bool   `json:"changed"`
	Invalid bool   `json:"invalid_diff_summary,omitempty"`
	Error   string `json:"diff_error,omitempty"`
}

// authorsRun is run.json. The model is an addition of ours: theirs is in the path.
type authorsRun struct {
	Task   string  `json:"task_id"`
	Scope  string  `json:"workspace_scope"`
	Single *string `json:"single_repo"`
	Model  string  `json:"model_name_or_path,omitempty"`
}

// authorsShape is the authors' results folder.
func authorsShape() Shape {
	return Shape{Name: "wideswe-authors",
		Form:        "the paper's results folder, TASK/AGENT/MODEL/RUN/diffs/{diffs.json,NAME.patch}",
		room:        room{model: true, mode: true, attempt: true, bytes: true, context: true},
		knownFolder: func(root *os.Root) bool { return len(foldersWith(root, authorsDiffs, authorsDepth)) > 0 },
		readFolder:  readAuthors, writeFolder: writeAuthors}
}

// readAuthors reads the runs of a results folder. The runs of one agent on one task are
// its attempts, in the order of their names.
func readAuthors(c *collector, root *os.Root, dir string) error {
	attempts := counter{}
	for _, run := range foldersWith(root, authorsDiffs, authorsDepth) {
		if err := c.authorsRun(root, dir, run, attempts); err != nil {
			return pipeline.Usage("%s: %v", filepath.Join(dir, run), err)
		}
	}
	return nil
}

func (c *collector) authorsRun(root *os.Root, dir, run string, attempts counter) error {
	var s authorsSummary
	b, err := readRegular(root, path.Join(run, authorsDiffs), maxRecord)
	if err == nil {
		err = plainJSON(json.Unmarshal(b, &s))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", authorsDiffs, err)
	}
	task, err := c.task(path.Base(s.Task))
	if err != nil {
		return err
	}
	model, err := c.authorsModel(root, dir, run)
	if err != nil {
		return err
	}
	p := schema.Prediction{Task: task.Task, Model: model, Patches: map[string]string{}}
	if s.Scope == authorsSingle {
		p.Mode = schema.Independent
		if p.Target, err = s.target(task); err != nil {
			return err
		}
	}
	for _, d := range s.Repos {
		if err := c.authorsPatch(root, run, d, task, &p); err != nil {
			return err
		}
	}
	p.Attempt = attempts.next(p)
	return c.addWhole(p, run)
}

// target finds the target of a run of one repository.
func (s authorsSummary) target(t *release.Task) (string, error) {
	if s.Single == nil {
		return "", errors.New("its workspace_scope is single-repo, and single_repo names no repository")
	}
	return shortName(t, *s.Single)
}

// shortName finds the repository of a workspace by its name without the owner.
func shortName(t *release.Task, name string) (string, error) {
	var found []string
	for _, w := range t.Workspace.Repositories {
		if path.Base(w.Repository) == name {
			found = append(found, w.Repository)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%q names %d repositories of %s", name, len(found), t.Task)
	}
	return found[0], nil
}

// authorsPatch adds a repository's patch to a run's prediction. What is empty is left
// out: the summary lists every repository of the workspace.
func (c *collector) authorsPatch(root *os.Root, run string, d authorsDiff, t *release.Task,
	p *schema.Prediction) error {
	if d.Repo == "" || d.Repo != path.Base(d.Repo) {
		return fmt.Errorf("%s names the repository %q, which is no plain name", authorsDiffs, d.Repo)
	}
	file := path.Join(run, path.Dir(authorsDiffs), d.Repo+".patch")
	diff, err := readPatch(root, file)
	switch {
	case errors.Is(err, os.ErrNotExist) && !d.Changed:
		return nil
	case err != nil:
		return fmt.Errorf("%s of %s: %w", path.Base(file), t.Task, err)
	case d.Invalid && strings.TrimSpace(diff) == "":
		return fmt.Errorf("the diff of %s could not be collected (%s); run it again, or delete the run's folder",
			d.Repo, d.Error)
	}
	repository, ok := strings.CutPrefix(d.Path, "repos/")
	if !ok {
		if repository, err = shortName(t, d.Repo); err != nil {
			return err
		}
	}
	if strings.TrimSpace(diff) != "" || repository == p.Target {
		p.Patches[repository] = diff
	}
	return nil
}

// authorsModel names a run's model: --model, what we wrote, or AGENT/MODEL of the path.
func (c *collector) authorsModel(root *os.Root, dir, run string) (string, error) {
	var r authorsRun
	if b, err := readRegular(root, path.Join(run, authorsRunFile), maxRecord); err == nil {
		if err := json.Unmarshal(b, &r); err != nil {
			return "", fmt.Errorf("%s: %w", authorsRunFile, plainJSON(err))
		}
	}
	abs, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(run)))
	model := filepath.Dir(abs)
	return c.named(cmp.Or(r.Model, filepath.Base(filepath.Dir(model))+"/"+filepath.Base(model))), err
}

func writeAuthors(out folderWriter, list []schema.Prediction) error {
	if err := consecutive(list); err != nil {
		return err
	}
	for _, p := range list {
		if err := out.authorsRun(p); err != nil {
			return fmt.Errorf("%s: %w", p.Task, err)
		}
	}
	return nil
}

func (w folderWriter) authorsRun(p schema.Prediction) error {
	s := authorsSummary{Task: p.Task, Scope: "ecosystem", Repos: []authorsDiff{}}
	name := fmt.Sprintf("%04d", p.Attempt)
	if p.Target != "" {
		short := path.Base(p.Target)
		s.Scope, s.Single, name = authorsSingle, &short, name+"__"+short
	}
	dir := path.Join(p.Task, "wideswe", pipeline.Hash(p.Model)[:12], name)
	files := map[string]string{}
	for _, repository := range slices.Sorted(maps.Keys(p.Patches)) {
		short := path.Base(repository)
		if other, twice := files[short]; twice {
			return fmt.Errorf("wideswe-authors names patches without their owners, and there are %s and %s", other,
				repository)
		}
		files[short] = repository
		diff := p.Patches[repository]
		s.Repos = append(s.Repos,
			authorsDiff{Repo: short, Path: "repos/" + repository, Changed: strings.TrimSpace(diff) != ""})
		if err := w.file(path.Join(dir, "diffs", short+".patch"), []byte(diff)); err != nil {
			return err
		}
	}
	run := authorsRun{Task: p.Task, Scope: s.Scope, Single: s.Single, Model: p.Model}
	return errors.Join(w.json(path.Join(dir, authorsDiffs), s), w.json(path.Join(dir, authorsRunFile), run))
}
