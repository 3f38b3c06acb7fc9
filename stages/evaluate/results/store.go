// Package results is what an evaluation's folder holds: the store's tables, the report,
// and where patches and logs lie. It alone knows the columns of the evaluation's
// tables: it writes verdicts there and reads them again.
//
// What a verdict is, is verdict's; how one is reached, the evaluate stage's.
package results

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// StoreName is the file in an evaluation's folder that holds its tables.
const StoreName = "evaluation.duckdb"

// WriteVerdict replaces the rows of a verdict. digest is the predictions'.
func WriteVerdict(k Key, digest string, v *verdict.Verdict) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := RemoveVerdict(k.ID())(ctx, tx); err != nil {
			return err
		}
		verdicts, err := verdictRows(k, v)
		if err != nil {
			return err
		}
		for table, rows := range map[string][][]any{"evaluation_runs": runRows(k, digest, v),
			"evaluation_tests": testRows(k, v), "evaluation_outcomes": outcomeRows(k, v),
			"evaluation_verdicts": verdicts} {
			if err := tx.Append(ctx, table, rows); err != nil {
				return err
			}
		}
		return nil
	}
}

// RemoveVerdict deletes the rows of the verdict with a key's id.
func RemoveVerdict(id string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		for _, table := range []string{"evaluation_runs", "evaluation_tests", "evaluation_outcomes",
			"evaluation_verdicts"} {
			q := "DELETE FROM " + table + " WHERE task_id || '/' || model || '/' || mode || '/' || attempt::VARCHAR = ?"
			if err := tx.Exec(ctx, q, id); err != nil {
				return err
			}
		}
		return nil
	}
}

// columns begin every row of the key's.
func (k Key) columns(more ...any) []any {
	return append([]any{k.Task, k.Model, k.Mode, int32(k.Attempt)}, more...)
}

func runRows(k Key, digest string, v *verdict.Verdict) (rows [][]any) {
	for _, r := range v.Runs {
		rows = append(rows, k.columns(r.Target, r.Variant, digest, r.Status, r.Detail, int32(r.ExitCode), r.TimedOut,
			r.OOM,
			int32(r.Runs), r.Seconds, r.Image, r.Log, r.Unbuilt))
	}
	return rows
}

func testRows(k Key, v *verdict.Verdict) (rows [][]any) {
	for _, r := range v.Runs {
		for _, t := range r.Tests {
			outcome := string(t.Outcome)
			if t.Outcome == schema.Missing {
				outcome = "missing"
			}
			rows = append(rows, k.columns(r.Target, r.Variant, t.ID, string(t.Class), outcome, t.Message))
		}
	}
	return rows
}

func outcomeRows(k Key, v *verdict.Verdict) (rows [][]any) {
	for _, r := range v.Runs {
		for _, t := range r.Outcomes {
			rows = append(rows, k.columns(r.Target, r.Variant, int32(t.Run), t.ID, string(t.Outcome), t.Seconds,
				t.Message))
		}
	}
	return rows
}

// verdictRows are the task's, whose target is "", and one for each target.
func verdictRows(k Key, v *verdict.Verdict) (rows [][]any, err error) {
	add := func(target string, resolved bool, status, reason string, report any) {
		b, failed := json.Marshal(report)
		if failed != nil {
			err = failed
		}
		rows = append(rows, k.columns(target, resolved, status, reason, string(b)))
	}
	add("", v.Report.Resolved, v.Report.Status, v.Report.Reason, v.Report)
	for _, r := range slices.Sorted(maps.Keys(v.Report.Targets)) {
		t := v.Report.Targets[r]
		add(r, t.Resolved, t.Status, t.Reason, t)
	}
	return rows, err
}

// TaskReports reads the tasks' reports of all verdicts, by the id of their key.
func TaskReports(ctx context.Context, db pipeline.Queryer) (map[string]schema.TaskReport, error) {
	rows, err := db.Query(ctx, `SELECT task_id, model, mode, attempt, report FROM evaluation_verdicts WHERE target = ''
		ORDER BY task_id, model, mode, attempt`)
	if err != nil {
		return nil, err
	}
	type row struct {
		Key
		report string
	}
	list, err := pipeline.Scan(rows,
		func(r *row) []any { return []any{&r.Task, &r.Model, &r.Mode, &r.Attempt, &r.report} })
	if err != nil {
		return nil, err
	}
	out := map[string]schema.TaskReport{}
	for _, r := range list {
		var t schema.TaskReport
		if err := json.Unmarshal([]byte(r.report), &t); err != nil {
			return nil, fmt.Errorf("the stored verdict on %s: %w", r.ID(), err)
		}
		out[r.ID()] = t
	}
	return out, nil
}
