package githubtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/wideswe/wideswe/schema"
)

// Commits are the commit ids of one pull.
type Commits struct {
	// Base is the tip of the base branch when the pull was opened: the merge base.
	Base string
	// Head is the last of the pull's own commits, Own lists them all.
	Head string
	Own  []string
	// Before is the base branch's tip just before the merge, Merged the commit that
	// the merge left there; both are empty where the pull was not merged.
	Before, Merged string
}

// Built is an ecosystem with its git histories on disk.
type Built struct {
	Ecosystem
	// Dir holds a bare repository owner/name.git for each repository.
	Dir     string
	commits map[string]Commits
}

// Commits gives the commit ids of a pull, owner/name#N.
func (b *Built) Commits(pull string) (Commits, bool) {
	c, ok := b.commits[pull]
	return c, ok
}

// GitDir is the bare repository of owner/name.
func (b *Built) GitDir(repository string) string {
	return filepath.Join(b.Dir, filepath.FromSlash(repository)+".git")
}

// Build makes a bare git repository for every repository of the ecosystem below
// dir. Authors, dates and order come from the description alone, so the commit
// ids are the same everywhere. A change that would conflict at its merge is an
// error that names the pull and the path.
func Build(ctx context.Context, eco Ecosystem, dir string) (*Built, error) {
	if err := check(eco); err != nil {
		return nil, err
	}
	b := &Built{Ecosystem: eco, Dir: dir, commits: map[string]Commits{}}
	for _, r := range eco.Repositories {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := b.repository(r); err != nil {
			return nil, fmt.Errorf("building %s: %w", r.Name, err)
		}
	}
	return b, nil
}

// builder makes one repository.
type builder struct {
	repository Repository
	people     map[string]Account
	git        *git.Repository
	tips       map[string]tip // by branch
	open       map[int]opened
	result     map[string]Commits
	landed     map[string]tree // of the commits that pushes left, and those before them
	lost       []tip           // commits that nobody may fetch any more
}

// tip is the end of a branch.
type tip struct {
	commit plumbing.Hash
	tree   tree
}

// opened is a pull whose commits are made.
type opened struct {
	base tip
	own  []tip
}

func (b *Built) repository(r Repository) error {
	if err := os.MkdirAll(filepath.Dir(b.GitDir(r.Name)), 0o755); err != nil {
		return err
	}
	repo, err := initBare(b.GitDir(r.Name), r.DefaultBranch)
	if err != nil || len(r.Files) == 0 {
		return err
	}
	w := &builder{repository: r, people: b.people(), git: repo, tips: map[string]tip{}, open: map[int]opened{},
		result: b.commits, landed: map[string]tree{}}
	if err := w.first(); err != nil {
		return err
	}
	for _, e := range w.events(b.Pulls) {
		if err := e.do(); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	if err := w.drop(b.GitDir(r.Name)); err != nil {
		return err
	}
	return w.writeBranches()
}

// drop removes the commits of lost heads: a commit that is there could be fetched by its id.
func (w *builder) drop(dir string) error {
	for _, t := range w.lost {
		id := t.commit.String()
		if err := os.Remove(filepath.Join(dir, "objects", id[:2], id[2:])); err != nil {
			return fmt.Errorf("dropping a lost head: %w", err)
		}
	}
	return nil
}

// initBare makes a bare repository that serves partial clones and single commits, as GitHub does.
func initBare(dir, branch string) (*git.Repository, error) {
	repo, err := git.PlainInitWithOptions(dir, &git.PlainInitOptions{
		Bare: true, InitOptions: git.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName(branch)},
	})
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	c, err := repo.Config()
	if err != nil {
		return nil, err
	}
	section := c.Raw.Section("uploadpack")
	for _, option := range []string{"allowFilter", "allowAnySHA1InWant"} {
		section.SetOption(option, "true")
	}
	return repo, repo.SetConfig(fixed(c))
}

// fixed keeps the machine's own git settings out of the repository's file.
func fixed(c *config.Config) *config.Config {
	c.User, c.Author, c.Committer = config.NewConfig().User, config.NewConfig().Author, config.NewConfig().Committer
	return c
}

func (e Ecosystem) people() map[string]Account {
	all := map[string]Account{}
	for _, a := range slices.Concat(e.Owners, e.People) {
		all[strings.ToLower(a.Login)] = a
	}
	return all
}

func (w *builder) first() error {
	t := tree{}
	for _, f := range w.repository.Files {
		if err := t.writeFile(w.git.Storer, f); err != nil {
			return err
		}
	}
	owner, _, _ := schema.SplitRepository(w.repository.Name)
	who := w.signature(owner, w.repository.CreatedAt)
	commit, err := commitOf(w.git.Storer, t, who, who, "First version")
	w.tips[w.repository.DefaultBranch] = tip{commit: commit, tree: t}
	return err
}

// event is something that happened in the repository's life.
type event struct {
	at    time.Time
	order int // cuts before openings before ends before reverts, at the same time
	name  string
	do    func() error
}

func (w *builder) events(pulls []Pull) []event {
	var all []event
	for _, br := range w.repository.Branches {
		all = append(all, event{br.At, 0, "branch " + br.Name, func() error {
			w.tips[br.Name] = w.tips[w.repository.DefaultBranch]
			return nil
		}})
	}
	for _, p := range pulls {
		if p.Repository != w.repository.Name {
			continue
		}
		name := schema.PullName(p.Repository, p.Number)
		all = append(all, event{p.CreatedAt, 1, name, func() error { return w.opening(p) }})
		if p.Merged() {
			all = append(all, event{p.MergedAt, 2, name, func() error { return w.merging(p) }})
		}
		if p.landed() {
			all = append(all, event{p.ClosedAt, 2, name, func() error { return w.landing(p) }})
		}
		if !p.LandingRevertedAt.IsZero() {
			all = append(all, event{p.LandingRevertedAt, 3, name, func() error { return w.reverting(p) }})
		}
	}
	slices.SortStableFunc(all, func(a, b event) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.order - b.order
	})
	return all
}

func (w *builder) base(p Pull) string {
	if p.Base != "" {
		return p.Base
	}
	return w.repository.DefaultBranch
}

func (w *builder) writeBranches() error {
	for name, t := range w.tips {
		if err := w.setRef(string(plumbing.NewBranchReferenceName(name)), t.commit); err != nil {
			return err
		}
	}
	return nil
}

func (w *builder) setRef(name string, commit plumbing.Hash) error {
	return w.git.Storer.SetReference(plumbing.NewHashReference(plumbing.ReferenceName(name), commit))
}

// signature is an account as git writes it; an account that is gone keeps a name.
func (w *builder) signature(login string, at time.Time) signature {
	a, known := w.people[strings.ToLower(login)]
	if !known {
		a = Account{Login: "ghost"}
	}
	name := a.Name
	if name == "" {
		name = a.Login
	}
	return signature{name: name, email: strings.ToLower(a.Login) + "@users.noreply.example", at: at}
}
