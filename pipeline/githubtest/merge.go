package githubtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/wideswe/wideswe/schema"
)

// opening makes a pull's own commits on the present tip of its base branch.
func (w *builder) opening(p Pull) error {
	base, ok := w.tips[w.base(p)]
	if !ok {
		return fmt.Errorf("base branch %s does not exist then", w.base(p))
	}
	o := opened{base: base}
	now := base
	for i, c := range p.Commits {
		next, err := w.step(p, c, now.tree)
		if err != nil {
			return err
		}
		who := w.signature(p.Author, p.ownTime(i))
		commit, err := commitOf(w.git.Storer, next, who, who, c.Message, now.commit)
		if err != nil {
			return err
		}
		now = tip{commit: commit, tree: next}
		o.own = append(o.own, now)
	}
	w.open[p.Number] = o
	if p.HeadGone {
		w.lost = append(w.lost, o.own...)
	}
	w.record(p, func(c *Commits) {
		c.Base, c.Head = base.commit.String(), now.commit.String()
		for _, t := range o.own {
			c.Own = append(c.Own, t.commit.String())
		}
	})
	return w.headRefs(p, now.commit)
}

// step is one commit's change laid on a tree.
func (w *builder) step(p Pull, c Commit, before tree) (tree, error) {
	next := maps.Clone(before)
	for _, path := range c.Paths {
		if slices.Contains(p.Delete, path) {
			if _, there := next[path]; !there {
				return nil, fmt.Errorf("deletes %s, which is not there", path)
			}
			delete(next, path)
		}
	}
	for _, f := range p.Files {
		if slices.Contains(c.Paths, f.Path) {
			if err := next.writeFile(w.git.Storer, f); err != nil {
				return nil, err
			}
		}
	}
	if len(changedPaths(before, next)) != len(c.Paths) {
		return nil, fmt.Errorf("commit %q lists paths it does not change: %v, of which %v change", c.Message, c.Paths,
			changedPaths(before, next))
	}
	return next, nil
}

// headRefs writes refs/pull/N/head and, where it stays, the branch.
func (w *builder) headRefs(p Pull, head plumbing.Hash) error {
	if !p.HeadGone {
		if err := w.setRef(fmt.Sprintf("refs/pull/%d/head", p.Number), head); err != nil {
			return err
		}
	}
	if p.Fork != "" || (!p.closed().IsZero() && !p.KeepBranch) {
		return nil
	}
	return w.setRef("refs/heads/"+p.Branch, head)
}

// merging brings a pull into its base branch in the way it says.
func (w *builder) merging(p Pull) error {
	o, ok := w.open[p.Number]
	if !ok {
		return errors.New("merged before it was opened")
	}
	before := w.tips[w.base(p)]
	after, err := w.merge(p, o, before)
	if err != nil {
		return fmt.Errorf("merging: %w", err)
	}
	w.tips[w.base(p)] = after
	w.record(p, func(c *Commits) { c.Before, c.Merged = before.commit.String(), after.commit.String() })
	return nil
}

func (w *builder) merge(p Pull, o opened, before tip) (tip, error) {
	if p.Merge == Rebase {
		return w.rebase(p, o, before)
	}
	head := o.own[len(o.own)-1]
	merged, err := before.tree.laidOver(o.base.tree, head.tree)
	if err != nil {
		return tip{}, err
	}
	parents := []plumbing.Hash{before.commit}
	message := fmt.Sprintf("%s (#%d)", p.Title, p.Number)
	if p.Merge == MergeCommit {
		parents = append(parents, head.commit)
		owner, _, _ := schema.SplitRepository(p.Repository)
		if p.Fork != "" {
			owner = p.Fork
		}
		message = fmt.Sprintf("Merge pull request #%d from %s/%s\n\n%s", p.Number, owner, p.Branch, p.Title)
	}
	commit, err := commitOf(w.git.Storer, merged, w.signature(p.Author, p.MergedAt), host(p.MergedAt), message, parents...)
	return tip{commit: commit, tree: merged}, err
}

// landing pushes the pull's change in one commit that names it.
func (w *builder) landing(p Pull) error {
	o, ok := w.open[p.Number]
	if !ok {
		return errors.New("landed before it was opened")
	}
	before := w.tips[w.base(p)]
	tree, err := before.tree.laidOver(o.base.tree, o.own[len(o.own)-1].tree)
	if err != nil {
		return fmt.Errorf("landing: %w", err)
	}
	message := fmt.Sprintf("%s (#%d)\n\n%s\n\nPull Request resolved: https://github.com/%s/pull/%d\nApproved by: a "+
		"reviewer", p.Title, p.Number, p.Body, p.Repository, p.Number)
	return w.push(p, tree, w.signature(p.Author, p.ClosedAt), w.signature(p.LandedBy, p.ClosedAt), message)
}

// reverting takes the landing back.
func (w *builder) reverting(p Pull) error {
	c := w.result[schema.PullName(p.Repository, p.Number)]
	who := w.signature(p.LandedBy, p.LandingRevertedAt)
	now := w.tips[w.base(p)]
	tree, err := now.tree.laidOver(w.landed[c.Merged], w.landed[c.Before])
	if err != nil {
		return fmt.Errorf("reverting: %w", err)
	}
	message := fmt.Sprintf("Revert \"%s (#%d)\"\n\nThis reverts commit %s.", p.Title, p.Number, c.Merged)
	commit, err := commitOf(w.git.Storer, tree, who, who, message, now.commit)
	w.tips[w.base(p)] = tip{commit: commit, tree: tree}
	return err
}

// push puts one commit on the pull's base branch, and records it as where the
// pull's change came in.
func (w *builder) push(p Pull, t tree, author, committer signature, message string) error {
	before := w.tips[w.base(p)]
	commit, err := commitOf(w.git.Storer, t, author, committer, message, before.commit)
	if err != nil {
		return err
	}
	w.landed[commit.String()], w.landed[before.commit.String()] = t, before.tree
	w.tips[w.base(p)] = tip{commit: commit, tree: t}
	w.record(p, func(c *Commits) { c.Before, c.Merged = before.commit.String(), commit.String() })
	return nil
}

// rebase replays the pull's commits one by one.
func (w *builder) rebase(p Pull, o opened, before tip) (tip, error) {
	now, last := before, o.base
	for i, own := range o.own {
		next, err := now.tree.laidOver(last.tree, own.tree)
		if err != nil {
			return tip{}, err
		}
		author := w.signature(p.Author, p.ownTime(i))
		commit, err := commitOf(w.git.Storer, next, author, host(p.MergedAt), p.Commits[i].Message, now.commit)
		if err != nil {
			return tip{}, err
		}
		now, last = tip{commit: commit, tree: next}, own
	}
	return now, nil
}

func (w *builder) record(p Pull, change func(*Commits)) {
	name := schema.PullName(p.Repository, p.Number)
	c := w.result[name]
	change(&c)
	w.result[name] = c
}

// host is who commits when the merge button is pressed.
func host(at time.Time) signature {
	return signature{name: "GitHub", email: "noreply@users.noreply.example", at: at}
}
