package results

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// Place is where a test run belongs within one run of an evaluation.
type Place struct{ Task, Target, Variant string }

// TestRuns are the stored test runs of one run of an evaluation. Of a run they have
// what it reported; what it took is not read.
type TestRuns map[Place]*verdict.Run

func (runs TestRuns) at(p Place) *verdict.Run {
	if runs[p] == nil {
		runs[p] = &verdict.Run{Target: p.Target, Variant: p.Variant}
	}
	return runs[p]
}

// ReadTestRuns reads the test runs of one run of an evaluation.
func ReadTestRuns(ctx context.Context, db pipeline.Queryer, k schema.RunKey) (TestRuns, error) {
	runs := TestRuns{}
	if err := runs.readRuns(ctx, db, k); err != nil {
		return nil, fmt.Errorf("reading test runs: %w", err)
	}
	if err := runs.readTests(ctx, db, k); err != nil {
		return nil, fmt.Errorf("reading tests: %w", err)
	}
	if err := runs.readOutcomes(ctx, db, k); err != nil {
		return nil, fmt.Errorf("reading outcomes: %w", err)
	}
	return runs, nil
}

func (runs TestRuns) readRuns(ctx context.Context, db pipeline.Queryer, k schema.RunKey) error {
	type row struct {
		Place
		run verdict.Run
	}
	list, err := query(ctx, db,
		"task_id, target, variant, status, detail, exit_code, timed_out, log, coalesce(unbuilt, false)",
		"evaluation_runs",
		"ALL", k, func(r *row) []any {
			return []any{&r.Task, &r.Target, &r.Variant, &r.run.Status, &r.run.Detail, &r.run.ExitCode, &r.run.TimedOut,
				&r.run.Log, &r.run.Unbuilt}
		})
	for _, r := range list {
		r.run.Target, r.run.Variant = r.Target, r.Variant
		runs[r.Place] = &r.run
	}
	return err
}

func (runs TestRuns) readTests(ctx context.Context, db pipeline.Queryer, k schema.RunKey) error {
	type row struct {
		Place
		verdict.Test
	}
	list, err := query(ctx, db,
		"task_id, target, variant, test_id, class, CASE outcome WHEN 'missing' THEN '' ELSE outcome END, message",
		"evaluation_tests", "task_id, target, variant, class, test_id", k, func(r *row) []any {
			return []any{&r.Task, &r.Target, &r.Variant, &r.ID, &r.Class, &r.Outcome, &r.Message}
		})
	for _, r := range list {
		run := runs.at(r.Place)
		run.Tests = append(run.Tests, r.Test)
	}
	return err
}

func (runs TestRuns) readOutcomes(ctx context.Context, db pipeline.Queryer, k schema.RunKey) error {
	type row struct {
		Place
		verdict.Outcome
	}
	list, err := query(ctx, db, "task_id, target, variant, test_id, run, outcome", "evaluation_outcomes", "ALL", k,
		func(r *row) []any {
			return []any{&r.Task, &r.Target, &r.Variant, &r.ID, &r.Run, &r.Outcome.Outcome}
		})
	for _, r := range list {
		run := runs.at(r.Place)
		run.Outcomes = append(run.Outcomes, r.Outcome)
	}
	return err
}

// query reads the rows of one run in a table.
func query[T any](ctx context.Context, db pipeline.Queryer, columns, table, order string, k schema.RunKey,
	fields func(*T) []any) ([]T, error) {
	rows, err := db.Query(ctx, "SELECT "+columns+" FROM "+table+
		" WHERE model = ? AND mode = ? AND attempt = ? ORDER BY "+order,
		k.Model, k.Mode, k.Attempt)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, fields)
}
