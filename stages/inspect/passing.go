package inspect

import (
	"context"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// StorePassing writes facts by which pulls pass this stage although nobody looked at them: each is taken to be
// available and complete, with tests and sources, for Linux.
func StorePassing(ctx context.Context, tx pipeline.Tx, pulls []schema.PullKey) error {
	var facts [][]any
	for _, p := range pulls {
		facts = append(facts, []any{p.RepositoryID, p.Number, true, 0, true, true, true, true, "", []string{}, []string{},
			""})
	}
	return tx.Append(ctx, "pull_facts", facts)
}
