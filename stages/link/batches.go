package link

import (
	"context"
	"sort"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// limits say how many rows are read, and their links stored, at a time.
type limits struct {
	together int64 // where they lie together in the file
	wide     int64 // where each batch needs a pass over the whole table
	few      int   // so many repositories are read quicker one by one than by a pass
	piece    int64 // rows of the table that one query of a pass looks at
}

var usual = limits{together: 16_000, wide: 200_000, few: 64, piece: 40_960}

// batches splits the items into neighbours in time: pulls that were stored one
// after the other lie together in the file. Repositories that were stored over a
// long time, by updates, come in large batches.
func (inv *inventory) batches(todo []pipeline.Item[repository]) (out [][]pipeline.Item[repository]) {
	todo = append([]pipeline.Item[repository]{}, todo...)
	sort.SliceStable(todo, func(i, j int) bool { return todo[i].Value.last.Before(todo[j].Value.last) })
	var scattered []pipeline.Item[repository]
	for _, batch := range split(todo, inv.limits.together) {
		if inv.together(values(batch)) {
			out = append(out, batch)
		} else {
			scattered = append(scattered, batch...)
		}
	}
	size := inv.limits.wide
	if len(scattered) <= inv.limits.few {
		size = inv.limits.together
	}
	return append(out, split(scattered, size)...)
}

func split(todo []pipeline.Item[repository], size int64) (out [][]pipeline.Item[repository]) {
	for len(todo) > 0 {
		n, pulls := 0, int64(0)
		for n < len(todo) && (n == 0 || pulls+todo[n].Value.versions <= size) {
			pulls += todo[n].Value.versions
			n++
		}
		out, todo = append(out, todo[:n]), todo[n:]
	}
	return out
}

func values(batch []pipeline.Item[repository]) []repository {
	all := make([]repository, len(batch))
	for i, it := range batch {
		all[i] = it.Value
	}
	return all
}

// together says whether not many more rows were stored in the time of the batch
// than its own.
func (inv *inventory) together(batch []repository) bool {
	first, last := span(batch)
	own, all := int64(0), int64(0)
	for _, r := range batch {
		own += r.versions
	}
	for _, r := range inv.all {
		if !r.first.After(last) && !r.last.Before(first) {
			all += r.versions
		}
	}
	return all <= 4*own+inv.limits.together
}

func span(batch []repository) (first, last time.Time) {
	first, last = batch[0].first, batch[0].last
	for _, r := range batch[1:] {
		if r.first.Before(first) {
			first = r.first
		}
		if r.last.After(last) {
			last = r.last
		}
	}
	return first, last
}

// cuts are times between which about as many rows were stored, so that no query's
// answer, which the driver keeps whole, is large. The first is that of the oldest row.
const cuts = `SELECT DISTINCT min(fetched_at) AS at FROM pull_versions GROUP BY rowid // ? ORDER BY at`

func (s Stage) cuts(ctx context.Context, piece int64) ([]time.Time, error) {
	rows, err := s.DB.Query(ctx, cuts, piece)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan[time.Time](rows, nil)
}

// pieces are conditions that each row of a batch meets one of, the newest rows
// first. The bounds stand in the text, not as parameters: only so the database
// passes over what lies outside of them.
func (inv *inventory) pieces(batch []repository) (where []string) {
	first, last := span(batch)
	to := last.Add(time.Microsecond)
	for i := len(inv.cuts) - 1; i >= 0 && to.After(first); i-- {
		if from := inv.cuts[i]; from.Before(to) {
			where = append(where, between(from, to))
			to = from
		}
	}
	if to.After(first) {
		where = append(where, between(first, to))
	}
	return where
}

func between(from, to time.Time) string {
	return "fetched_at >= " + literal(from) + " AND fetched_at < " + literal(to)
}

func literal(t time.Time) string {
	return t.UTC().Format("TIMESTAMP '2006-01-02 15:04:05.999999'")
}

func within(where string, batch []repository) string {
	ids := make([]int64, len(batch))
	for i, r := range batch {
		ids[i] = r.ID
	}
	return strings.Join([]string{where, "repository_id IN (" + list(ids) + ")"}, " AND ")
}
