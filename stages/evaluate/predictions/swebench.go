package predictions

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// sweBenchRow is a prediction as SWE-bench's tools write them. A row is for one
// repository where it names one, in repo or in its id (TASK__OWNER__NAME): the rows of
// a task are put together. Else its diff is over the whole workspace, with paths that
// begin with owner/name/. Names beside these are passed over, since agents add theirs.
type sweBenchRow struct {
	Instance string  `json:"instance_id"`
	Model    string  `json:"model_name_or_path"`
	Patch    *string `json:"model_patch"` // null and "" change nothing
	B64      *string `json:"patch_b64"`   // instead of model_patch
	Repo     string  `json:"repo"`
	Mode     string  `json:"mode"`
	Target   string  `json:"target"`
	Attempt  int     `json:"attempt"`
}

// rowGroup is a joint prediction that comes a row a target.
type rowGroup struct {
	at    int               // in the collector's out
	where map[string]string // repository → place
}

// row reads a row of SWE-bench's shape.
func (c *collector) row(text []byte, id, place string) error {
	var r sweBenchRow
	if err := json.Unmarshal(text, &r); err != nil {
		return plainJSON(err)
	}
	if id != "" && r.Instance != "" && r.Instance != id {
		return fmt.Errorf("it stands under %q, and its instance_id is %q", id, r.Instance)
	}
	if r.Instance == "" {
		r.Instance = id
	}
	if r.Instance == "" {
		return errors.New("no instance_id")
	}
	diff, err := r.diff(text)
	if err != nil {
		return err
	}
	task, repository, err := c.instance(r)
	if err != nil {
		return err
	}
	p := schema.Prediction{Task: task.Task, Model: r.Model, Mode: r.Mode, Attempt: r.Attempt,
		Patches: map[string]string{}}
	defaults(&p)
	if p.Mode == schema.Independent {
		p.Target = repository
	}
	if repository == "" {
		if p.Patches, err = splitWorkspace(task, diff); err != nil {
			return err
		}
		return c.add(p, place)
	}
	p.Patches[repository] = diff
	if p.Mode == schema.Independent {
		return c.add(p, place)
	}
	return c.join(p, repository, place)
}

// diff gives the row's bytes.
func (r sweBenchRow) diff(text []byte) (string, error) {
	var names map[string]json.RawMessage
	_ = json.Unmarshal(text, &names)
	_, there := names["model_patch"]
	switch {
	case !there && r.B64 == nil:
		return "", errors.New(`no model_patch; a prediction that changes nothing has "model_patch": ""`)
	case r.B64 == nil && r.Patch == nil:
		return "", nil
	case r.B64 == nil:
		return *r.Patch, nil
	case r.Patch != nil:
		return "", errors.New("both model_patch and patch_b64")
	}
	b, err := base64.StdEncoding.DecodeString(*r.B64)
	if err != nil {
		return "", fmt.Errorf("patch_b64 is not base64: %w", err)
	}
	return string(b), nil
}

// instance finds the task and, where the row is for one, the repository.
func (c *collector) instance(r sweBenchRow) (*release.Task, string, error) {
	repository := r.Repo
	if r.Target != "" && repository != "" && r.Target != repository {
		return nil, "", fmt.Errorf("its repo is %q and its target %q", repository, r.Target)
	}
	if repository == "" {
		repository = r.Target
	}
	t, err := c.task(r.Instance)
	if err == nil {
		return t, repository, nil
	}
	for _, known := range c.rel.Tasks {
		rest, ok := strings.CutPrefix(r.Instance, known.ID+"__")
		if !ok {
			continue
		}
		t, err := c.task(known.ID)
		if err != nil {
			return nil, "", err
		}
		for _, w := range t.Workspace.Repositories {
			if schema.FileName(w.Repository) != rest {
				continue
			}
			if repository != "" && repository != w.Repository {
				return nil, "", fmt.Errorf("its id names %s, and it says %s beside it", w.Repository, repository)
			}
			return t, w.Repository, nil
		}
		return nil, "", fmt.Errorf("unknown repository %q of task %s", rest, known.ID)
	}
	return nil, "", err
}

// join adds a row to the joint prediction that it is a part of.
func (c *collector) join(p schema.Prediction, repository, place string) error {
	g := c.rows[key(p)]
	if g == nil {
		if first, there := c.seen[key(p)]; there {
			return fmt.Errorf("both forms at once: %s holds the whole prediction of %s, and this is one of its "+
				"repositories'", first, p.Task)
		}
		if err := c.add(p, place); err != nil {
			return err
		}
		c.rows[key(p)] = &rowGroup{at: len(c.out) - 1, where: map[string]string{repository: place}}
		return nil
	}
	if err := c.check(&p); err != nil {
		return err
	}
	if first, twice := g.where[repository]; twice {
		return fmt.Errorf("repeats %s: %s has a patch of %s for %s already (number further ones with attempt)", first,
			p.Task, p.Model, repository)
	}
	g.where[repository] = place
	c.out[g.at].Patches[repository] = p.Patches[repository]
	return nil
}
