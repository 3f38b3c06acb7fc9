package link

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// versions gives stored versions of pulls. No choice of the newest is made here:
// most pulls have one, and bodies would pass through it.
const versions = `SELECT repository_id, number, epoch_us(fetched_at), rowid, source = 'linked',
		CASE WHEN merged_at IS NULL THEN 0 WHEN merged_at >= ` + since + ` THEN 2 ELSE 1 END,
		title, body, author, author_type, head_ref
	FROM pull_versions WHERE `

// What a version says of a pull's merge.
const (
	notMerged    = iota
	mergedBefore // before the crawl's cut-off
	mergedSince
)

// readAll reads a batch at once where its rows lie together, or where its
// repositories are so many that a pass over the table is quicker than a search for
// each; else each repository by itself.
func (s Stage) readAll(ctx context.Context, inv *inventory, batch []repository) (found, error) {
	r := reader{stage: s, inv: inv, byID: map[int64]repository{}, pulls: map[pullKey]*latest{}}
	for _, one := range batch {
		r.byID[one.ID] = one
	}
	if len(batch) <= inv.limits.few && !inv.together(batch) {
		for _, one := range batch {
			if err := r.read(ctx, fmt.Sprintf("repository_id = %d", one.ID)); err != nil {
				return found{}, err
			}
		}
		return r.found(), nil
	}
	for _, where := range inv.pieces(batch) {
		if err := r.read(ctx, within(where, batch)); err != nil {
			return found{}, err
		}
	}
	return r.found(), nil
}

// reader streams the texts of repositories' merged pulls and keeps what the newest
// version of each refers to.
type reader struct {
	stage Stage
	inv   *inventory
	byID  map[int64]repository
	pulls map[pullKey]*latest
}

type pullKey struct {
	repository int64
	number     int
}

// latest is the newest version of a pull of those read so far.
type latest struct {
	fetched, row int64
	merged       int
	linked       bool // any version was fetched because a link names the pull
	found
}

func (r *reader) read(ctx context.Context, where string) error {
	rows, err := r.stage.DB.Query(ctx, versions+where)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key pullKey
		var v latest
		var p pull
		if err := rows.Scan(&key.repository, &key.number, &v.fetched, &v.row, &v.linked, &v.merged,
			&p.title, &p.body, &p.author, &p.authorType, &p.headRef); err != nil {
			return err
		}
		p.number = key.number
		r.add(key, v, p)
	}
	return rows.Err()
}

func (r *reader) add(key pullKey, v latest, p pull) {
	if old := r.pulls[key]; old != nil {
		old.linked = old.linked || v.linked
		if v.fetched < old.fetched || v.fetched == old.fetched && v.row < old.row {
			return
		}
		v.linked = old.linked
	}
	if v.merged != notMerged {
		v.found.add(r.inv, r.byID[key.repository], p)
	}
	r.pulls[key] = &v
}

// found joins what was found, in the order of repositories and numbers.
func (r *reader) found() (all found) {
	var keys []pullKey
	for k, v := range r.pulls {
		if v.empty() || v.merged == mergedBefore && !v.linked {
			continue
		}
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return a.repository < b.repository || a.repository == b.repository && a.number < b.number
	})
	for _, k := range keys {
		f := r.pulls[k].found
		all.links, all.own, all.paper = append(all.links, f.links...), append(all.own, f.own...), append(all.paper,
			f.paper...)
	}
	return all
}

func (f found) empty() bool { return len(f.links)+len(f.own)+len(f.paper) == 0 }

func list(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ", ")
}
