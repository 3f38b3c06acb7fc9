package crawl

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// looked is when a repository was last read, for whatever reason, and when last
// although nothing was pushed.
type looked struct{ read, look sql.NullTime }

// looks gives what is known of every repository.
func (s Stage) looks(ctx context.Context) (map[int64]looked, error) {
	rows, err := s.DB.Query(ctx, `SELECT repository_id, max(at), max(at) FILTER (look) FROM (
			SELECT repository_id, high_water AS at, false AS look FROM crawl_passes
			UNION ALL SELECT repository_id, looked_at, true FROM crawl_looks) GROUP BY repository_id`)
	if err != nil {
		return nil, err
	}
	type row struct {
		id int64
		looked
	}
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.id, &r.read, &r.look} })
	if err != nil {
		return nil, fmt.Errorf("reading when repositories were looked at: %w", err)
	}
	out := make(map[int64]looked, len(list))
	for _, r := range list {
		out[r.id] = r.looked
	}
	return out, nil
}

// due says whether it is time for a look although nothing was pushed, and the
// time that the item's hash holds: of this look, or of the last one.
func (l looked) due(r repository, every time.Duration, now time.Time) (bool, time.Time) {
	last := l.look.Time.UTC()
	if !l.look.Valid {
		last = time.Time{}
	}
	switch {
	case r.State == ok && l.read.Valid: // one that was never read is due by itself
	case r.State == blocked, r.State == pullsOff, r.State == empty && r.PushedAt.Valid:
	default:
		return false, last // what a list says is looked at with every list
	}
	if every <= 0 || l.read.Valid && now.Sub(l.read.Time.UTC()) < every {
		return false, last
	}
	return true, now
}

// look stores that a repository was looked at.
func look(ctx context.Context, tx pipeline.Tx, id int64, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	return tx.Append(ctx, "crawl_looks", [][]any{{id, at}})
}

// recovered stores that a repository can be read again which could not.
func (p *pass) recovered(ctx context.Context, tx pipeline.Tx, at time.Time) error {
	if p.repo.State == ok {
		return nil
	}
	r := p.repo
	r.State = ok
	if err := p.stage.remark(note{Kind: noteState, Repository: r.ID, Ecosystem: r.Ecosystem, State: r.State,
		At: at}); err != nil {
		return err
	}
	return tx.Append(ctx, "repository_versions", [][]any{r.row(at)})
}
