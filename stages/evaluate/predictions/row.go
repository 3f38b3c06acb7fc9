package predictions

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// row is what an entry of another benchmark's shape says: the diff of a whole task, or of
// one repository of it. A row is for one repository where it names one, a pull, or an id
// of one (see [collector.find]): the rows of a task are put together. Else its diff is
// over the whole workspace, with paths that begin with owner/name/.
type row struct {
	Instance   string
	Repository string // owner/name, "" where the entry names none
	Number     int    // of a pull of Repository, 0 where the entry names none
	Model      string
	Agent      string // a name in passing, for rows without a model
	Patch      string
	Mode       string
	Target     string
	Attempt    int
}

// rowGroup is a joint prediction that comes a row a target.
type rowGroup struct {
	at    int               // in the collector's out
	where map[string]string // repository → place
}

// row takes a row that stands at a place.
func (c *collector) row(r row, place string) error {
	task, repository, err := c.instance(r)
	if err != nil {
		return err
	}
	p := schema.Prediction{Task: task.Task, Model: cmp.Or(r.Model, c.options.Model, r.Agent), Mode: r.Mode,
		Attempt: r.Attempt, Patches: map[string]string{}}
	c.defaults(&p)
	if p.Mode == schema.Independent {
		p.Target = repository
	}
	if repository == "" {
		if p.Patches, err = splitWorkspace(task, r.Patch); err != nil {
			return err
		}
		return c.add(p, place)
	}
	p.Patches[repository] = r.Patch
	if p.Mode == schema.Independent {
		return c.add(p, place)
	}
	return c.join(p, repository, place)
}

// instance finds the task and, where the row is for one, the repository.
func (c *collector) instance(r row) (*release.Task, string, error) {
	if r.Number != 0 {
		return c.byPull(r.Repository, r.Number)
	}
	if r.Instance == "" {
		return nil, "", errors.New("no instance_id")
	}
	repository := cmp.Or(r.Repository, r.Target)
	if r.Target != "" && r.Target != repository {
		return nil, "", fmt.Errorf("its repo is %q and its target %q", repository, r.Target)
	}
	t, named, err := c.find(r.Instance)
	if err == nil && named != "" && repository != "" && named != repository {
		err = fmt.Errorf("its id names %s, and it says %s beside it", named, repository)
	}
	return t, cmp.Or(named, repository), err
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
