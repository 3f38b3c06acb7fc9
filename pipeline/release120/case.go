package release120

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Case is one case as it was released.
type Case struct {
	Entry
	Prompt  string
	Targets []Target
	Context []Context
	Pulls   []Pull
	// Warnings are what is wrong and keeps nobody from using the case.
	Warnings []Problem
}

// Target is a repository that must change.
type Target struct {
	Repository  string // owner/name
	Role        string
	BaseCommit  string
	GoldCommit  string // recorded; gold is base and the gold patch
	MergeCommit string
	Gold        []byte
	Layers      []Layer
	F2P, P2P    []Test
	// MissingOnBase are those of F2P that base did not report.
	MissingOnBase []Test
}

// Layer is a patch of hidden tests, in the order in which they go on.
type Layer struct {
	Name    string // of the file
	Patch   []byte
	Profile string
	Origin  string
	Changes []string // what the authors changed of upstream's tests
	// Relocated are files that lie elsewhere than upstream: from → to.
	Relocated map[string]string
}

// Test is a test by the authors' id, in the profile that runs it.
type Test struct {
	Profile string `json:"profile"`
	ID      string `json:"id"`
}

// Context is a repository given to read.
type Context struct {
	Repository string
	Commit     string
}

// Pull is a pull that the case was made of.
type Pull struct {
	Repository string `yaml:"repo"`
	Number     int    `yaml:"pr"`
	Title      string `yaml:"title"`
	URL        string `yaml:"url"`
	MergedAt   string `yaml:"merged_at"`
}

// taskFile is task.yaml, as far as it is used.
type taskFile struct {
	ID           string           `yaml:"id"`
	Repositories []taskRepository `yaml:"repositories"`
	Pulls        []Pull           `yaml:"source_prs"`
}

type taskRepository struct {
	Name        string `yaml:"name"`
	Path        string `yaml:"path"` // repos/owner/name
	Role        string `yaml:"role"`
	BaseCommit  string `yaml:"base_commit"`
	GoldCommit  string `yaml:"gold_commit"`
	MergeCommit string `yaml:"merge_commit"`
	GoldPatch   string `yaml:"gold_patch"`
}

// reposFile is repos.yaml.
type reposFile struct {
	Repos map[string]workspaceRepository `yaml:"repos"`
}

type workspaceRepository struct {
	LocalPath  string `yaml:"local_path"`
	InTask     bool   `yaml:"included_in_task"`
	Snapshot   string `yaml:"snapshot_commit"`
	BaseCommit string `yaml:"base_commit"`
	Available  *bool  `yaml:"historical_snapshot_available"` // absent of targets
}

// commitID is a full commit id.
var commitID = regexp.MustCompile(`^[0-9a-f]{40}$`)

// Case reads a case. An error is a [Problem]; what only warns is in the case.
func (f *Folder) Case(e Entry) (Case, error) {
	files := caseFiles{f, e}
	c := Case{Entry: e}
	for _, read := range []func(*Case) error{files.prompt, files.task, files.workspace, files.hidden, files.scoring} {
		if err := read(&c); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (f caseFiles) prompt(c *Case) error {
	b, err := f.bytes("prompt.md", maxYAML)
	if err == nil && strings.TrimSpace(string(b)) == "" {
		err = f.problem("prompt.md", "", "is empty")
	}
	c.Prompt = string(b)
	return err
}

func (f caseFiles) task(c *Case) error {
	const name = "task.yaml"
	var t taskFile
	if err := f.yaml(name, &t); err != nil {
		return err
	}
	if t.ID != c.Case {
		return f.problem(name, "id", "%q, and its folder is %s", t.ID, c.Case)
	}
	c.Pulls = t.Pulls
	var short []string
	for i, r := range t.Repositories {
		x, err := f.target(fmt.Sprintf("repositories[%d].", i), r)
		if err != nil {
			return err
		}
		c.Targets, short = append(c.Targets, x), append(short, r.Name)
	}
	listed := slices.Sorted(slices.Values(c.Repositories))
	if slices.Sort(short); !slices.Equal(short, listed) {
		return f.problem(name, "repositories", "%s, and %s has %s", strings.Join(short, ", "), indexName,
			strings.Join(listed, ", "))
	}
	return nil
}

// target reads a repository that must change; at names its fields.
func (f caseFiles) target(at string, r taskRepository) (x Target, err error) {
	const name = "task.yaml"
	x = Target{Role: r.Role, BaseCommit: r.BaseCommit, GoldCommit: r.GoldCommit, MergeCommit: r.MergeCommit}
	if x.Repository, err = f.repository(name, at+"path", r.Path); err != nil {
		return x, err
	}
	for field, id := range map[string]string{"base_commit": r.BaseCommit, "gold_commit": r.GoldCommit,
		"merge_commit": r.MergeCommit} {
		if !commitID.MatchString(id) {
			return x, f.problem(name, at+field, "%q is no commit's id of 40 digits", id)
		}
	}
	x.Gold, err = f.patch(name, at+"gold_patch", r.GoldPatch)
	return x, err
}

// repository reads repos/owner/name.
func (f caseFiles) repository(file, field, p string) (string, error) {
	parts := strings.Split(p, "/")
	if len(parts) != 3 || parts[0] != "repos" || !plainName(parts[1]) || !plainName(parts[2]) {
		return "", f.problem(file, field, "%q is not repos/OWNER/NAME", p)
	}
	return parts[1] + "/" + parts[2], nil
}

func (f caseFiles) workspace(c *Case) error {
	const name = "repos.yaml"
	var w reposFile
	if err := f.yaml(name, &w); err != nil {
		return err
	}
	bases := map[string]string{}
	for _, x := range c.Targets {
		bases[x.Repository] = x.BaseCommit
	}
	for _, key := range sortedKeys(w.Repos) {
		r, at := w.Repos[key], "repos."+key+"."
		repository, err := f.repository(name, at+"local_path", r.LocalPath)
		if err != nil {
			return err
		}
		base, target := bases[repository]
		delete(bases, repository)
		switch {
		case target && r.BaseCommit != base:
			return f.problem(name, at+"base_commit", "%q, and task.yaml has %s", r.BaseCommit, base)
		case target:
		case r.Available != nil && !*r.Available:
			c.Warnings = append(c.Warnings, Problem{f.entry.Case, name, at + "historical_snapshot_available",
				"false: the repository is left out of the workspace"})
		case !commitID.MatchString(r.Snapshot):
			return f.problem(name, at+"snapshot_commit", "%q is no commit's id of 40 digits", r.Snapshot)
		default:
			c.Context = append(c.Context, Context{repository, r.Snapshot})
		}
	}
	for _, missing := range sortedKeys(bases) {
		return f.problem(name, "repos", "%s of task.yaml is missing", missing)
	}
	return nil
}
