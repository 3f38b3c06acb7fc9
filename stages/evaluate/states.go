package evaluate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// writeStates keeps a report as a table, so that views count what it counts.
func (s *Stage) writeStates(ctx context.Context, rep schema.Report) error {
	var rows [][]any
	for _, r := range RunsOf(rep) {
		for _, known := range s.Release.Tasks {
			t := r.Tasks[known.ID]
			row := func(target, status, reason, log string, resolved bool, f2p, p2p schema.Tally, seconds float64, requests any, patched, replaced, flags []string) {
				rows = append(rows, []any{r.Model, r.Mode, int32(r.Attempt), known.ID, known.Ecosystem, known.Kind, target, status, resolved, reason,
					int32(f2p.Passed), int32(f2p.Total), int32(p2p.Passed), int32(p2p.Total), seconds, requests, list(patched), list(replaced), list(flags), log})
			}
			var f2p, p2p schema.Tally
			for _, target := range slices.Sorted(maps.Keys(t.Targets)) {
				x := t.Targets[target]
				f2p, p2p = f2p.Add(x.F2P), p2p.Add(x.P2P)
				row(target, x.Status, x.Reason, x.Log, x.Resolved, x.F2P, x.P2P, x.Seconds, nil, nil, x.Replaced, x.Flags)
			}
			var requests any
			if t.APIRequests > 0 {
				requests = t.APIRequests
			}
			row("", t.Status, t.Reason, "", t.Resolved, f2p, p2p, t.Seconds, requests, t.Patched, nil, t.Flags)
		}
	}
	err := s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM evaluation_states"); err != nil {
			return err
		}
		return tx.Append(ctx, "evaluation_states", rows)
	})
	if err != nil {
		return fmt.Errorf("storing the report's states: %w", err)
	}
	return nil
}

// list is never NULL.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
