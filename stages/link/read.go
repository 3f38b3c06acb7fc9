package link

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// batchPulls is about how many pulls are read, and their links stored, at a time.
const batchPulls = 16_000

// batches splits the items into neighbours in time: pulls that were stored one
// after the other lie together in the file.
func batches(todo []pipeline.Item[repository]) (out [][]pipeline.Item[repository]) {
	todo = append([]pipeline.Item[repository]{}, todo...)
	sort.SliceStable(todo, func(i, j int) bool { return todo[i].Value.last.Before(todo[j].Value.last) })
	for len(todo) > 0 {
		n, pulls := 0, int64(0)
		for n < len(todo) && (n == 0 || pulls+todo[n].Value.versions <= batchPulls) {
			pulls += todo[n].Value.versions
			n++
		}
		out, todo = append(out, todo[:n]), todo[n:]
	}
	return out
}

// latestPulls gives the merged pulls of some repositories as they are now. The
// bounds stand in the text, not as parameters: only so the database passes over
// what lies outside of them. The choice of the newest version is narrow, so that
// bodies don't pass through it.
const latestPulls = `WITH latest AS (
		SELECT arg_max(rowid, (fetched_at, rowid)) AS id, bool_or(source = 'linked') AS linked
		FROM pull_versions
		WHERE %[1]s AND repository_id IN (%[2]s)
		GROUP BY repository_id, number)
	SELECT p.repository_id, p.number, p.title, p.body, p.author, p.author_type, p.head_ref
	FROM pull_versions p JOIN latest l ON p.rowid = l.id
	WHERE p.%[1]s AND p.merged_at IS NOT NULL AND (l.linked OR p.merged_at >= ` + since + `)`

// readAll reads a batch at once where its rows lie together, else each repository
// by itself.
func (s Stage) readAll(ctx context.Context, inv *inventory, batch []repository) (found, error) {
	if len(batch) > 1 && !inv.together(batch) {
		var all found
		for _, r := range batch {
			f, err := s.read(ctx, inv, []repository{r})
			if err != nil {
				return found{}, err
			}
			all.join(f)
		}
		return all, nil
	}
	return s.read(ctx, inv, batch)
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
	return all <= 4*own+batchPulls
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

// read streams the texts of repositories' merged pulls and keeps what they refer to.
func (s Stage) read(ctx context.Context, inv *inventory, batch []repository) (found, error) {
	first, last := span(batch)
	within, ids, byID := "fetched_at BETWEEN "+literal(first)+" AND "+literal(last), []int64{}, map[int64]repository{}
	for _, r := range batch {
		ids, byID[r.ID] = append(ids, r.ID), r
	}
	if len(ids) == 1 {
		within = fmt.Sprintf("repository_id = %d", ids[0])
	}
	rows, err := s.DB.Query(ctx, fmt.Sprintf(latestPulls, within, list(ids)))
	if err != nil {
		return found{}, err
	}
	defer rows.Close()
	type one struct {
		repository int64
		number     int
		found
	}
	var pulls []one
	for rows.Next() {
		var p pull
		var id int64
		if err := rows.Scan(&id, &p.number, &p.title, &p.body, &p.author, &p.authorType, &p.headRef); err != nil {
			return found{}, err
		}
		f := one{repository: id, number: p.number}
		f.add(inv, byID[id], p)
		if len(f.links)+len(f.own)+len(f.paper) > 0 {
			pulls = append(pulls, f)
		}
	}
	sort.Slice(pulls, func(i, j int) bool {
		a, b := pulls[i], pulls[j]
		return a.repository < b.repository || a.repository == b.repository && a.number < b.number
	})
	var all found
	for _, f := range pulls {
		all.join(f.found)
	}
	return all, rows.Err()
}

func (f *found) join(o found) {
	f.links, f.own, f.paper = append(f.links, o.links...), append(f.own, o.own...), append(f.paper, o.paper...)
}

func list(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ", ")
}

func literal(t time.Time) string { return t.UTC().Format("TIMESTAMP '2006-01-02 15:04:05.999999'") }
