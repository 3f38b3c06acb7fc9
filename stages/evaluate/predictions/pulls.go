package predictions

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// pull names a pull as other benchmarks do. Repository is in lower case, since some of
// them write it so.
type pull struct {
	Repository string
	Number     int
}

// pullTable is the release's own table: pull → the tasks that it is part of.
type pullTable map[pull][]pullTarget

// pullTarget is a target that a pull belongs to.
type pullTarget struct{ Task, Repository string }

// table reads the pulls of every task, once.
func (c *collector) table() (pullTable, error) {
	if c.pulls != nil {
		return c.pulls, nil
	}
	all := pullTable{}
	for _, known := range c.rel.Tasks {
		t, err := c.task(known.ID)
		if err != nil {
			return nil, err
		}
		for _, x := range t.Targets {
			for _, n := range x.Pulls {
				key := pull{strings.ToLower(x.Repository), n}
				all[key] = append(all[key], pullTarget{t.Task, x.Repository})
			}
		}
	}
	c.pulls = all
	return all, nil
}

// byPull finds the task and the target that a pull belongs to.
func (c *collector) byPull(repository string, number int) (*release.Task, string, error) {
	table, err := c.table()
	if err != nil {
		return nil, "", err
	}
	found := table[pull{strings.ToLower(repository), number}]
	switch len(found) {
	case 0:
		return nil, "", fmt.Errorf("unknown pull %s#%d: %s", repository, number, c.pullsOf(table, repository))
	case 1:
		t, err := c.task(found[0].Task)
		return t, found[0].Repository, err
	}
	return nil, "", fmt.Errorf("%s#%d is a pull of %s and of %s; name the one by instance_id, as %s", repository, number,
		found[0].Task, found[1].Task, InstanceID(found[0].Task, found[0].Repository))
}

// pullsOf lists the pulls that the release has of a repository.
func (c *collector) pullsOf(table pullTable, repository string) string {
	const shown = 10
	var numbers []int
	for p := range table {
		if p.Repository == strings.ToLower(repository) {
			numbers = append(numbers, p.Number)
		}
	}
	if len(numbers) == 0 {
		return fmt.Sprintf("the release %s %s has none of that repository; instance_id takes a task's id, "+
			"or TASK__OWNER__NAME", c.rel.Name, c.rel.Version)
	}
	slices.Sort(numbers)
	var text []string
	for _, n := range numbers[:min(len(numbers), shown)] {
		text = append(text, fmt.Sprintf("#%d", n))
	}
	if len(numbers) > shown {
		text = append(text, "…")
	}
	return "the release has " + strings.Join(text, ", ") + " of that repository"
}

// InstanceID is what a target of a task is called where an entry is for one repository.
func InstanceID(task, repository string) string { return task + "__" + schema.FileName(repository) }

// Pulls finds the pulls that name the targets of a release.
type Pulls struct{ c *collector }

// NewPulls returns the pulls of a release.
func NewPulls(rel *release.Release) Pulls { return Pulls{newCollector(rel)} }

// Number returns the first pull of a target that is of no other task.
func (p Pulls) Number(task, repository string) (int, error) {
	t, err := p.c.task(task)
	if err != nil {
		return 0, err
	}
	return p.c.number(t, repository)
}

// The ids that name a pull: SWE-bench's owner__name-12, and Multi-SWE-bench's owner/name:pr-12.
var pullIDs = []*regexp.Regexp{
	regexp.MustCompile(`^([\w.-]+?)__([\w.-]+)-([0-9]{1,9})$`),
	regexp.MustCompile(`^([\w.-]+)/([\w.-]+):pr-([0-9]{1,9})$`),
}

// find finds what an instance id names: a task, a target of it, or the target of a pull.
func (c *collector) find(id string) (*release.Task, string, error) {
	if c.has(id) {
		t, err := c.task(id)
		return t, "", err
	}
	for _, known := range c.rel.Tasks {
		n := len(known.ID) + len("__")
		if len(id) > n && strings.EqualFold(id[:n], known.ID+"__") { // SWE-rebench's ids are in lower case
			return c.repositoryNamed(known.ID, id[n:])
		}
	}
	for _, form := range pullIDs {
		if m := form.FindStringSubmatch(id); m != nil {
			number, _ := strconv.Atoi(m[3])
			return c.byPull(m[1]+"/"+m[2], number)
		}
	}
	_, err := c.task(id)
	return nil, "", err
}

// repositoryNamed finds a repository of a task's workspace by OWNER__NAME.
func (c *collector) repositoryNamed(id, file string) (*release.Task, string, error) {
	t, err := c.task(id)
	if err != nil {
		return nil, "", err
	}
	for _, w := range t.Workspace.Repositories {
		if strings.EqualFold(schema.FileName(w.Repository), file) {
			return t, w.Repository, nil
		}
	}
	return nil, "", fmt.Errorf("unknown repository %q of task %s", file, id)
}

func (c *collector) has(id string) bool {
	return slices.ContainsFunc(c.rel.Tasks, func(t schema.ReleaseTask) bool { return t.ID == id })
}
