package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// StoreName is the file in an evaluation's folder that holds its tables.
const StoreName = "evaluation.duckdb"

// ReadReport reads the report of an evaluation's folder.
func ReadReport(out string) (schema.Report, error) {
	var rep schema.Report
	name := filepath.Join(out, "report.json")
	b, err := os.ReadFile(name)
	if err != nil {
		return rep, pipeline.Usage("%s is no evaluation (%v); give the folder that wideswe evaluate wrote with --out", out, err)
	}
	if err := json.Unmarshal(b, &rep); err != nil {
		return rep, pipeline.Usage("%s is not a report (%v); wideswe evaluate writes it anew", name, err)
	}
	return rep, nil
}

// RunsOf gives the runs of a report, also where it holds one alone.
func RunsOf(rep schema.Report) []schema.ReportRun {
	if len(rep.Runs) > 0 {
		return rep.Runs
	}
	for _, id := range slices.Sorted(maps.Keys(rep.Tasks)) {
		t := rep.Tasks[id]
		return []schema.ReportRun{{Model: t.Model, Mode: t.Mode, Attempt: t.Attempt, Summary: rep.Summary, Tasks: rep.Tasks}}
	}
	return nil
}

// RunName names a run as evaluate's lines do.
func RunName(r schema.ReportRun) string { return runKey{r.Model, r.Mode, r.Attempt}.String() }

// place is a test run's, within one run of an evaluation.
type place struct{ Task, Target, Variant string }

// stored is a test run as the store has it.
type stored struct {
	Status, Detail string
	Exit           int
	TimedOut       bool
	Log            string
	Tests          []scored
	Outcomes       []outcome
}

// first gives what the run itself reported, without the reruns.
func (s *stored) first() map[string]schema.TestOutcome {
	out := map[string]schema.TestOutcome{}
	for _, t := range s.Outcomes {
		if t.Run == 1 {
			out[t.ID] = t.Outcome
		}
	}
	return out
}

const thisRun = " WHERE model = ? AND mode = ? AND attempt = ?"

// readStored reads the test runs of one run of an evaluation.
func readStored(ctx context.Context, db pipeline.Queryer, k runKey) (map[place]*stored, error) {
	out := map[place]*stored{}
	at := func(p place) *stored {
		if out[p] == nil {
			out[p] = &stored{}
		}
		return out[p]
	}
	type runRow struct {
		place
		stored
	}
	runs, err := query(ctx, db, "SELECT task_id, target, variant, status, detail, exit_code, timed_out, log FROM evaluation_runs"+thisRun+" ORDER BY ALL", k,
		func(r *runRow) []any {
			return []any{&r.Task, &r.Target, &r.Variant, &r.Status, &r.Detail, &r.Exit, &r.TimedOut, &r.Log}
		})
	if err != nil {
		return nil, fmt.Errorf("reading test runs: %w", err)
	}
	for _, r := range runs {
		s := r.stored
		out[r.place] = &s
	}
	type testRow struct {
		place
		scored
	}
	tests, err := query(ctx, db, "SELECT task_id, target, variant, test_id, class, CASE outcome WHEN 'missing' THEN '' ELSE outcome END, message FROM evaluation_tests"+thisRun+
		" ORDER BY task_id, target, variant, class, test_id", k,
		func(r *testRow) []any {
			return []any{&r.Task, &r.Target, &r.Variant, &r.ID, &r.Class, &r.Outcome, &r.Message}
		})
	if err != nil {
		return nil, fmt.Errorf("reading tests: %w", err)
	}
	for _, t := range tests {
		at(t.place).Tests = append(at(t.place).Tests, t.scored)
	}
	type outcomeRow struct {
		place
		outcome
	}
	all, err := query(ctx, db, "SELECT task_id, target, variant, test_id, run, outcome FROM evaluation_outcomes"+thisRun+" ORDER BY ALL", k,
		func(r *outcomeRow) []any {
			return []any{&r.Task, &r.Target, &r.Variant, &r.ID, &r.Run, &r.Outcome}
		})
	if err != nil {
		return nil, fmt.Errorf("reading outcomes: %w", err)
	}
	for _, t := range all {
		at(t.place).Outcomes = append(at(t.place).Outcomes, t.outcome)
	}
	return out, nil
}

func query[T any](ctx context.Context, db pipeline.Queryer, q string, k runKey, fields func(*T) []any) ([]T, error) {
	rows, err := db.Query(ctx, q, k.Model, k.Mode, k.Attempt)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, fields)
}
