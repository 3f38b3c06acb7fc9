package group

import (
	"context"
	"sort"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// result is what one ecosystem's rows are.
type result struct {
	ecosystem                         string
	first                             bool // there are no rows to replace
	edges, groups, members, campaigns [][]any
	// named are the members of each candidate, for the lineage.
	named map[string][]string
}

func (g *graph) result(groups []*set) result {
	r := result{ecosystem: g.in.Ecosystem, named: map[string][]string{}}
	for _, e := range g.sorted() {
		r.edges = append(r.edges, []any{r.ecosystem, e.a.Repository, e.a.Number, e.b.Repository, e.b.Number, e.score,
			e.relation,
			e.reciprocal(), e.issue, round(e.gapDays), e.refused == "", e.reason(), e.snippet()})
	}
	for _, s := range groups {
		g.groupRows(&r, s)
	}
	for _, c := range g.campaigns {
		r.campaigns = append(r.campaigns, []any{r.ecosystem, c.hub, c.kind, c.repositories, c.pulls, c.reason})
	}
	return r
}

func (g *graph) groupRows(r *result, s *set) {
	id, anchor := candidateID(s.members), g.anchor(s)
	via := g.via(s, anchor)
	repositories := map[string]bool{}
	latest := time.Time{}
	for _, k := range s.members {
		p := g.pulls[k]
		name, _, _ := schema.ParsePullName(p.Name)
		repositories[name] = true
		if p.MergedAt.After(latest) {
			latest = *p.MergedAt
		}
		r.members = append(r.members, []any{id, k.Repository, k.Number, via[k]})
		r.named[id] = append(r.named[id], p.Name)
	}
	sort.Strings(r.named[id])
	days := g.span(s.members)
	flags := []string{}
	if days > float64(g.options.WindowDays) {
		flags = append(flags, "gap_days")
	}
	if s.person {
		flags = append(flags, "person")
	}
	r.groups = append(r.groups, []any{id, r.ecosystem, g.pulls[anchor].Name, sortedNames(repositories), len(s.members),
		s.weakest,
		round(days), flags, latest})
}

func sortedNames(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// round keeps thousandths: a day's fraction at a minute's precision.
func round(days float64) float64 { return float64(int64(days*1000+0.5)) / 1000 }

// store replaces the ecosystem's rows and adds to the lineage how the candidates
// changed.
func (r result) store(ctx context.Context, tx pipeline.Tx, now time.Time) error {
	var old map[string][]string
	if !r.first {
		var err error
		if old, err = r.before(ctx, tx); err != nil {
			return err
		}
		if err := r.remove(ctx, tx); err != nil {
			return err
		}
	}
	for _, t := range []struct {
		table string
		rows  [][]any
	}{{"edges", r.edges}, {"candidate_groups", r.groups}, {"group_members", r.members}, {"campaigns", r.campaigns},
		{"lineage", lineage(old, r.named, now)}} {
		if err := tx.Append(ctx, t.table, t.rows); err != nil {
			return err
		}
	}
	return nil
}

func (r result) remove(ctx context.Context, tx pipeline.Tx) error {
	for _, q := range []string{
		"DELETE FROM group_members WHERE candidate_id IN (SELECT candidate_id FROM candidate_groups WHERE ecosystem = ?)",
		"DELETE FROM candidate_groups WHERE ecosystem = ?",
		"DELETE FROM edges WHERE ecosystem = ?",
		"DELETE FROM campaigns WHERE ecosystem = ?",
	} {
		if err := tx.Exec(ctx, q, r.ecosystem); err != nil {
			return err
		}
	}
	return nil
}

// before reads the members of the candidates that are there now.
func (r result) before(ctx context.Context, tx pipeline.Tx) (map[string][]string, error) {
	rows, err := tx.Query(ctx, `SELECT m.candidate_id, coalesce(p.repository, m.repository_id::VARCHAR) || '#' || m.number
		FROM group_members m
		JOIN candidate_groups c USING (candidate_id)
		LEFT JOIN repositories p ON p.repository_id = m.repository_id
		WHERE c.ecosystem = ? ORDER BY 1, 2`, r.ecosystem)
	if err != nil {
		return nil, err
	}
	type row struct{ id, pull string }
	all, err := pipeline.Scan(rows, func(m *row) []any { return []any{&m.id, &m.pull} })
	old := map[string][]string{}
	for _, m := range all {
		old[m.id] = append(old[m.id], m.pull)
	}
	return old, err
}

// lineage tells what became of each candidate that is no more: every new one that
// has members of it, or none.
func lineage(old, now map[string][]string, at time.Time) [][]any {
	holds := map[string]string{}
	for id, pulls := range now {
		for _, p := range pulls {
			holds[p] = id
		}
	}
	var rows [][]any
	for _, id := range sortedKeys(old) {
		if _, still := now[id]; still {
			continue
		}
		heirs := map[string]bool{}
		for _, p := range old[id] {
			if heir, ok := holds[p]; ok {
				heirs[heir] = true
			}
		}
		if len(heirs) == 0 {
			rows = append(rows, []any{id, "", []string{}, old[id], at})
		}
		for _, heir := range sortedNames(heirs) {
			rows = append(rows, []any{id, heir, without(now[heir], old[id]), without(old[id], now[heir]), at})
		}
	}
	return rows
}

func sortedKeys(m map[string][]string) []string {
	names := map[string]bool{}
	for k := range m {
		names[k] = true
	}
	return sortedNames(names)
}

// without gives the strings of a that are not in b.
func without(a, b []string) []string {
	out := []string{}
	in := map[string]bool{}
	for _, s := range b {
		in[s] = true
	}
	for _, s := range a {
		if !in[s] {
			out = append(out, s)
		}
	}
	return out
}
