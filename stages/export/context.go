package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"time"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// The rules for context repositories.
const (
	// ContextEcosystem takes every other repository that is a target of some task
	// of the release in the same ecosystem.
	ContextEcosystem = "targets"
	// ContextNearest takes the repositories of the ecosystem that are linked with
	// the targets most often.
	ContextNearest = "nearest"
)

// plan is one release in the making.
type plan struct {
	cfg     config
	git     Git
	content *content
	writer  *release.Writer
	pins    map[string]*pin // by repository@commit
	context map[string][]contextRepository
	funnel  schema.FunnelFile
}

type pin struct {
	schema.Source
	licenseFiles []string
}

type contextRepository struct {
	repository, commit, reason string
	committed                  time.Time
}

// choose fixes every task's repositories and their commits.
func (p *plan) choose(ctx context.Context) error {
	p.context = map[string][]contextRepository{}
	for _, t := range p.content.Tasks {
		for _, x := range t.Targets {
			if err := p.pin(ctx, x.Repository, x.BaseCommit); err != nil {
				return fmt.Errorf("%s: %w", t.ID, err)
			}
		}
		for _, repository := range p.neighbours(t) {
			c, err := p.snapshot(ctx, t, repository)
			if err != nil {
				return fmt.Errorf("%s: context %s: %w", t.ID, repository, err)
			}
			p.context[t.ID] = append(p.context[t.ID], c)
		}
	}
	return nil
}

func (p *plan) pin(ctx context.Context, repository, commit string) error {
	key := repository + "@" + commit
	if p.pins[key] != nil {
		return nil
	}
	tree, err := p.git.Tree(ctx, repository, commit)
	if err != nil {
		return fmt.Errorf("the tree of %s: %w", key, err)
	}
	p.pins[key] = &pin{schema.Source{Repository: repository, Commit: commit, Tree: tree.ID,
		License: p.content.Licenses[repository], Submodules: tree.Submodules}, tree.LicenseFiles}
	return nil
}

// neighbours lists a task's context repositories, those linked most often first
// where there are too many, then by name.
func (p *plan) neighbours(t *task) []string {
	own := map[string]bool{}
	for _, x := range t.Targets {
		own[x.Repository] = true
	}
	weight := map[string]int{}
	add := func(repository string) {
		if own[repository] {
			return
		}
		weight[repository] = 0
		for target := range own {
			weight[repository] += p.content.Linked[repository+" "+target] + p.content.Linked[target+" "+repository]
		}
	}
	if p.cfg.Context == ContextNearest {
		for _, r := range p.content.Inventory[t.Ecosystem] {
			add(r)
		}
	} else {
		for _, other := range p.content.Tasks {
			if other.Ecosystem != t.Ecosystem {
				continue
			}
			for _, x := range other.Targets {
				add(x.Repository)
			}
		}
	}
	var out []string
	for r, n := range weight {
		if n > 0 || p.cfg.Context != ContextNearest {
			out = append(out, r)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if weight[out[i]] != weight[out[j]] {
			return weight[out[i]] > weight[out[j]]
		}
		return out[i] < out[j]
	})
	out = out[:min(len(out), p.cfg.ContextLimit)]
	sort.Strings(out)
	return out
}

// snapshot fixes a context repository's commit: nothing later than the earliest
// target base may be seen.
func (p *plan) snapshot(ctx context.Context, t *task, repository string) (contextRepository, error) {
	c := contextRepository{repository: repository, committed: t.earliest()}
	sha, when, err := p.git.CommitBefore(ctx, repository, t.earliest())
	var gone *UnavailableError
	switch {
	case errors.As(err, &gone):
		c.reason = "left out: " + gone.What
		return c, nil
	case err != nil:
		return c, err
	case sha == "":
		c.reason = "left out: no commit as early as the earliest target base"
		return c, nil
	}
	c.commit, c.committed, c.reason = sha, when, p.why(t)
	return c, p.pin(ctx, repository, sha)
}

func (p *plan) why(t *task) string {
	if p.cfg.Context == ContextNearest {
		return "among the repositories of " + t.Ecosystem + " linked most often with the targets"
	}
	return "a target of another task in " + t.Ecosystem
}

func (t *task) earliest() time.Time {
	first := t.Targets[0].BaseTime
	for _, x := range t.Targets {
		if x.BaseTime.Before(first) {
			first = x.BaseTime
		}
	}
	return first
}

// packSources lays the trees into the release: those that are asked for, and those
// that an older release in the same place holds already. A context repository of
// which a part is nowhere to be had is left out.
func (p *plan) packSources(ctx context.Context) error {
	targets := map[string]bool{}
	for _, t := range p.content.Tasks {
		for _, x := range t.Targets {
			targets[x.Repository+"@"+x.BaseCommit] = true
		}
	}
	for _, key := range sortedKeys(p.pins) {
		s := p.pins[key].Source
		kept, err := p.writer.KeepSource(ctx, s)
		if err != nil || kept || !p.cfg.WithSources {
			if err != nil {
				return err
			}
			continue
		}
		err = p.writer.Source(ctx, s, func(w io.Writer) error { return p.git.Snapshot(ctx, s.Repository, s.Commit, w) })
		var gone *UnavailableError
		if errors.As(err, &gone) && !targets[key] {
			p.leaveOut(s.Repository, s.Commit, gone.What)
			continue
		}
		if err != nil {
			return fmt.Errorf("packing %s: %w", key, err)
		}
	}
	return nil
}

func (p *plan) leaveOut(repository, commit, why string) {
	delete(p.pins, repository+"@"+commit)
	for _, list := range p.context {
		for i := range list {
			if list[i].repository == repository && list[i].commit == commit {
				list[i].commit, list[i].reason = "", "left out: "+why
			}
		}
	}
}

// contextRows are the rows of context_repositories; an empty commit says why the
// repository is not in the workspace.
func (p *plan) contextRows() [][]any {
	var rows [][]any
	for _, t := range p.content.Tasks {
		for _, c := range p.context[t.ID] {
			rows = append(rows, []any{t.ID, c.repository, c.commit, c.committed.UTC(), c.reason})
		}
	}
	return rows
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
