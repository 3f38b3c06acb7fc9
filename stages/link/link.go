// Package link finds the references that merged pulls make to other repositories.
//
// It reads titles and bodies that crawl stored and writes link_occurrences and
// own_issues, by the grammar of pipeline/reference, and paper_links, by the rule of
// the authors' script. It asks nothing of the network and joins nothing: grouping is for the
// next stage. An item is a repository.
package link

import (
	"context"
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/reference"
	"github.com/wideswe/wideswe/schema"
)

// Stage is the stage; its fields are what it needs.
type Stage struct {
	DB     pipeline.DB
	limits limits // zero: the usual ones
}

// Name is the stage's name.
func (Stage) Name() string { return "link" }

// Version changes with the rules of pipeline/reference and of this stage.
func (Stage) Version() string { return "1+" + reference.Version + "+" + reference.PaperVersion }

// Plan lists the repositories with merged pulls.
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, _, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run reads the texts of every repository whose texts, or the inventory, changed.
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, inv, err := s.items(ctx)
	if err != nil {
		return err
	}
	var present []string
	for _, it := range items {
		present = append(present, fmt.Sprint(it.Value.ID))
	}
	if inv.cuts, err = s.cuts(ctx, inv.limits.piece); err != nil {
		return err
	}
	written, err := s.written(ctx)
	if err != nil {
		return err
	}
	defer collectLate()()
	return pipeline.EachBatch(ctx, run, s, items, inv.batches, func(ctx context.Context,
		batch []repository) (pipeline.Write, error) {
		found, err := s.readAll(ctx, inv, batch)
		if err != nil {
			return nil, err
		}
		return found.write(batch, written), nil
	}, func(string) pipeline.Write { return removeOthers(present) })
}

// written gives the repositories that have rows of an earlier run: the others
// need no deletion, which reads a whole table.
func (s Stage) written(ctx context.Context) (map[int64]bool, error) {
	rows, err := s.DB.Query(ctx, "SELECT repository_id FROM "+strings.Join(tables, " UNION SELECT repository_id FROM "))
	if err != nil {
		return nil, err
	}
	ids, err := pipeline.Scan[int64](rows, nil)
	has := map[int64]bool{}
	for _, id := range ids {
		has[id] = true
	}
	return has, err
}

// removeOthers removes the rows of repositories that are no items any more; by
// their ids, since a renamed repository is a new item with the old id.
func removeOthers(present []string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		for _, table := range tables {
			if err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE repository_id NOT IN
				(SELECT TRY_CAST(unnest(string_split(?, ',')) AS BIGINT))`, strings.Join(present, ",")+",-1"); err != nil {
				return err
			}
		}
		return nil
	}
}

// tables are the stage's own.
var tables = []string{"link_occurrences", "own_issues", "paper_links"}

// found are the rows of some pulls.
type found struct{ links, own, paper [][]any }

func (f found) write(batch []repository, written map[int64]bool) pipeline.Write {
	var old []int64
	for _, r := range batch {
		if written[r.ID] {
			old = append(old, r.ID)
		}
	}
	return func(ctx context.Context, tx pipeline.Tx) error {
		for i, rows := range [][][]any{f.links, f.own, f.paper} {
			table := tables[i]
			if len(old) > 0 {
				if err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE repository_id IN ("+list(old)+")"); err != nil {
					return err
				}
			}
			if err := tx.Append(ctx, table, rows); err != nil {
				return err
			}
		}
		return nil
	}
}

type pull struct {
	number                                   int
	title, body, author, authorType, headRef string
}

func (f *found) add(inv *inventory, r repository, p pull) {
	owner, name, _ := schema.SplitRepository(r.Name)
	src := reference.Source{Owner: owner, Name: name, Author: p.author, AuthorType: p.authorType, HeadRef: p.headRef,
		Title: p.title}
	own := reference.ExtractOwn(p.body, src)
	matters := inv.matters(reference.BotAuthor(p.author, p.authorType) || reference.BotBranch(p.headRef))
	for _, text := range []struct {
		location reference.Location
		text     string
	}{{reference.Title, p.title}, {reference.Body, p.body}} {
		src.Location = text.location
		for _, ref := range reference.ExtractIf(text.text, src, matters) {
			if row := inv.row(r, p.number, text.location, ref); row != nil {
				f.links = append(f.links, row)
			} else if t, ok := inv.Resolve(ref); ok && t.ID == r.ID && (ref.Relation == reference.Closes ||
				ref.Relation == reference.PartOf) {
				own = append(own, reference.OwnReference{Number: ref.Number, Relation: ref.Relation})
			}
		}
	}
	f.addOwn(r, p, own)
	for i, l := range reference.PaperLinks(p.title, p.body) {
		if row := inv.paperRow(r, p.number, i, l); row != nil {
			f.paper = append(f.paper, row)
		}
	}
}

// matters says of what is written whether it can make a row: see [inventory.row].
func (inv *inventory) matters(bot bool) func(reference.Reference) bool {
	return func(ref reference.Reference) bool {
		if _, inside := inv.Resolve(ref); inside {
			return true
		}
		return !bot && ref.Form != reference.NameOnly && ref.RepositoryID == 0
	}
}

// addOwn keeps which issues of its own repository a pull closes or is part of,
// each once.
func (f *found) addOwn(r repository, p pull, own []reference.OwnReference) {
	seen := map[reference.OwnReference]bool{}
	for _, o := range own {
		o.Offset, o.Length = 0, 0
		if o.Number > 0 && o.Number != p.number && !seen[o] {
			seen[o] = true
			f.own = append(f.own, []any{r.ID, p.number, o.Number, string(o.Relation), reference.Version})
		}
	}
}

// row makes the row of a reference, nil for those that are not kept: to the
// source itself, a bare name that is no repository, and what programs write about
// repositories of others.
func (inv *inventory) row(r repository, number int, at reference.Location, ref reference.Reference) []any {
	source := r.Repository
	target, inside := inv.Resolve(ref)
	var id, targetNumber any
	name, may, reason := ref.Owner+"/"+ref.Name, false, "outside the inventory"
	switch {
	case inside && target.ID == source.ID:
		return nil
	case inside:
		id, name = target.ID, target.Name
		may, reason = inv.MayGroup(ref, source, target)
	case ref.Form == reference.NameOnly || ref.RepositoryID != 0 || ref.Has(reference.Bot) || ref.Has(reference.Changelog):
		return nil
	}
	if ref.Kind != reference.Commit {
		targetNumber = int32(ref.Number)
	}
	flags := make([]string, len(ref.Flags))
	for i, f := range ref.Flags {
		flags[i] = string(f)
	}
	return []any{r.ID, number, string(at), ref.Offset, ref.Length, string(ref.Form), ref.Written, id, name, targetNumber,
		ref.SHA,
		string(ref.Kind), string(ref.Relation), flags, may, reason, ref.Snippet, reference.Version}
}

// paperRow makes the row of a link by the authors' rule: the same repository
// drops, and only active repositories of the source's own ecosystem are inside.
func (inv *inventory) paperRow(r repository, number, position int, l reference.PaperLink) []any {
	name := l.Owner + "/" + l.Name
	if strings.EqualFold(name, r.Name) {
		return nil
	}
	var id any
	if t, ok := inv.active[strings.ToLower(name)]; ok && t.Ecosystem == r.Ecosystem {
		id, name = t.ID, t.Name
	}
	return []any{r.ID, number, id, name, l.Number, position, reference.PaperVersion}
}
