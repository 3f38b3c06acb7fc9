package group

import (
	"context"
	"errors"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Named is a candidate whose pulls a person names. No link ties them and no rule of this stage was asked.
type Named struct {
	ID           string
	Ecosystem    string
	Anchor       string   // owner/name#N
	Repositories []string // sorted
	Pulls        []schema.PullKey
}

// StoreNamed writes the rows that this stage would have written of a candidate had it found it.
func StoreNamed(ctx context.Context, tx pipeline.Tx, c Named, now time.Time) error {
	var members [][]any
	for _, p := range c.Pulls {
		members = append(members, []any{c.ID, p.RepositoryID, p.Number, ""})
	}
	group := []any{c.ID, c.Ecosystem, c.Anchor, c.Repositories, len(c.Pulls), 0, 0.0, []string{}, now.UTC()}
	return errors.Join(tx.Append(ctx, "candidate_groups", [][]any{group}), tx.Append(ctx, "group_members", members))
}
