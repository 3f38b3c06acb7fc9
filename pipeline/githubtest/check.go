package githubtest

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

var namePart = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// check refuses a description that could not be a GitHub: the builder and the
// server rely on it.
func check(eco Ecosystem) error {
	c := checker{accounts: map[string]bool{}, names: map[string]bool{}, ids: map[int64]string{},
		numbers: map[string]bool{}}
	for _, a := range slices.Concat(eco.Owners, eco.People) {
		c.account(a)
	}
	for _, r := range eco.Repositories {
		c.repository(r)
	}
	for _, i := range eco.Issues {
		c.numbered(i.Repository, i.Number, i.Author)
		c.comments(i.Repository, i.Number, i.Comments)
	}
	for _, p := range eco.Pulls {
		c.numbered(p.Repository, p.Number, p.Author)
		c.comments(p.Repository, p.Number, p.Comments)
		c.pull(p)
	}
	return c.err
}

// checker keeps the first error.
type checker struct {
	accounts, names, numbers map[string]bool
	ids                      map[int64]string
	err                      error
}

func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("ecosystem: "+format, args...)
	}
}

func (c *checker) account(a Account) {
	login := strings.TrimSuffix(a.Login, "[bot]")
	if !namePart.MatchString(login) || a.ID <= 0 {
		c.fail("account %q needs a login and an id", a.Login)
	}
	if c.accounts[strings.ToLower(a.Login)] {
		c.fail("account %s is listed twice", a.Login)
	}
	c.accounts[strings.ToLower(a.Login)] = true
}

func (c *checker) repository(r Repository) {
	for _, name := range append([]string{r.Name}, r.OldNames...) {
		owner, short, ok := schema.SplitRepository(name)
		if !ok || !namePart.MatchString(owner) || !namePart.MatchString(short) || strings.HasSuffix(short, ".git") {
			c.fail("repository %q is not of the form owner/name", name)
		}
		if c.names[strings.ToLower(name)] {
			c.fail("repository name %s is used twice", name)
		}
		c.names[strings.ToLower(name)] = true
	}
	if owner, _, _ := schema.SplitRepository(r.Name); !c.accounts[strings.ToLower(owner)] {
		c.fail("repository %s has an owner that is no account", r.Name)
	}
	if r.ID <= 0 || c.ids[r.ID] != "" {
		c.fail("repository %s needs an id of its own", r.Name)
	}
	c.ids[r.ID] = r.Name
	if r.CreatedAt.IsZero() {
		c.fail("repository %s needs created_at", r.Name)
	}
	c.paths(r.Name, r.Files)
}

func (c *checker) numbered(repository string, number int, author string) {
	name := schema.PullName(repository, number)
	if !slices.ContainsFunc(values(c.ids), func(r string) bool { return r == repository }) || number <= 0 {
		c.fail("%s is in no listed repository", name)
	}
	if c.numbers[name] {
		c.fail("%s is used twice", name)
	}
	c.numbers[name] = true
	c.author(name, author)
}

func (c *checker) author(where, login string) {
	if login != "" && !c.accounts[strings.ToLower(login)] {
		c.fail("%s: author %q is no account", where, login)
	}
}

func (c *checker) comments(repository string, number int, comments []Comment) {
	for _, comment := range comments {
		c.author(schema.PullName(repository, number), comment.Author)
	}
}

func (c *checker) pull(p Pull) {
	name := schema.PullName(p.Repository, p.Number)
	if !slices.Contains([]Merge{MergeCommit, Squash, Rebase}, p.Merge) {
		c.fail("%s: merge is %q, not merge, squash or rebase", name, p.Merge)
	}
	if p.CreatedAt.IsZero() || p.Title == "" || p.Branch == "" {
		c.fail("%s needs title, branch and created_at", name)
	}
	if end := p.closed(); !end.IsZero() && !end.After(p.CreatedAt) {
		c.fail("%s ends before it begins", name)
	}
	if p.landed() && (p.Merged() || p.ClosedAt.IsZero() || !c.accounts[strings.ToLower(p.LandedBy)]) {
		c.fail("%s: landed_by names an account, and the pull is closed and not merged", name)
	}
	if !p.LandingRevertedAt.IsZero() && (!p.landed() || p.LandingRevertedAt.Before(p.ClosedAt)) {
		c.fail("%s: only a landing can be reverted, after it", name)
	}
	if p.HeadGone && (!p.Merged() || p.Merge == MergeCommit) {
		c.fail("%s: a head can be gone only where it was squashed or rebased", name)
	}
	c.paths(name, p.Files)
	var taken []string
	for _, commit := range p.Commits {
		taken = append(taken, commit.Paths...)
	}
	if slices.Sort(taken); !slices.Equal(taken, p.changed()) {
		c.fail("%s: its commits must take each changed path once: %v, not %v", name, taken, p.changed())
	}
}

func (c *checker) paths(where string, files []File) {
	seen := map[string]bool{}
	for _, f := range files {
		parts := strings.Split(strings.ToLower(f.Path), "/")
		if !fs.ValidPath(f.Path) || f.Path == "." || slices.Contains(parts, ".git") {
			c.fail("%s: %q is no path of a tree", where, f.Path)
		}
		if seen[f.Path] {
			c.fail("%s: %s appears twice", where, f.Path)
		}
		seen[f.Path] = true
	}
}

func values(m map[int64]string) []string {
	var all []string
	for _, v := range m {
		all = append(all, v)
	}
	return all
}
