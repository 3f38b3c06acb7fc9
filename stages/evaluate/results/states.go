package results

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// writeStates keeps a report as a table, so that views count what it counts. tasks are
// the release's.
func writeStates(ctx context.Context, db pipeline.DB, tasks []schema.ReleaseTask, rep schema.Report) error {
	var rows [][]any
	for _, r := range Runs(rep) {
		for _, t := range tasks {
			rows = append(rows, stateRows(r, t, rep.Rules)...)
		}
	}
	err := db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
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

// stateRows are one task's in one run: one for each target, and the task's own, whose
// target is "". rules are those of the report.
func stateRows(r schema.ReportRun, known schema.ReleaseTask, rules string) (rows [][]any) {
	t := r.Tasks[known.ID]
	add := func(target string, x schema.TargetReport, requests any, patched []string) {
		rows = append(rows, []any{r.Model, r.Mode, int32(r.Attempt), known.ID, known.Ecosystem, known.Kind, target,
			x.Status, x.Resolved, x.Reason, int32(x.F2P.Passed), int32(x.F2P.Total), int32(x.P2P.Passed),
			int32(x.P2P.Total),
			x.Seconds, requests, notNull(patched), notNull(x.Replaced), notNull(x.Flags), x.Log, x.AsSubmitted, rules})
	}
	whole := schema.TargetReport{Status: t.Status, Resolved: t.Resolved, AsSubmitted: t.AsSubmitted,
		Reason: t.Reason, Seconds: t.Seconds,
		Flags: t.Flags}
	for _, target := range slices.Sorted(maps.Keys(t.Targets)) {
		x := t.Targets[target]
		whole.F2P, whole.P2P = whole.F2P.Add(x.F2P), whole.P2P.Add(x.P2P)
		add(target, x, nil, nil)
	}
	var requests any // NULL where it is not known
	if t.APIRequests > 0 {
		requests = t.APIRequests
	}
	add("", whole, requests, t.Patched)
	return rows
}

func notNull(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
