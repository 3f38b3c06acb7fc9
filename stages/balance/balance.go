// Package balance chooses the tasks of a release among those that validation
// found eligible: all of the scarcer kind, as many of the other, picked for their
// variety. A person's pins in selection.yaml come before any rule.
//
// The result is in that file for people and in the table selections for export.
// What makes a test F2P is validate's matter.
package balance

import (
	"context"
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Files is what the stage reads and writes of the curator's folder.
type Files interface {
	Selection() (schema.Selection, error)
	WriteTasks([]schema.SelectedTask) error
}

// Stage writes the table selections and the tasks of selection.yaml.
type Stage struct {
	DB    pipeline.DB
	Files Files
}

// Name implements [pipeline.Stage].
func (Stage) Name() string { return "balance" }

// Version implements [pipeline.Stage].
func (Stage) Version() string { return "1" }

// Plan implements [pipeline.Planner].
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, _, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run implements [pipeline.Stage].
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, pins, err := s.items(ctx)
	if err != nil {
		return err
	}
	for _, id := range unknown(pins, items[0].Value) {
		run.Log.Warn("selection.yaml pins a task that is not there", "task", id)
	}
	if err := pipeline.Each(ctx, run, s, items, write, nil); err != nil {
		return err
	}
	// Whatever happened to the file since: it holds what the table holds.
	selection, err := s.Files.Selection()
	if err != nil {
		return err
	}
	if tasks := listed(items[0].Value); !slices.Equal(tasks, selection.Tasks) {
		return s.Files.WriteTasks(tasks)
	}
	return nil
}

// items is one item, the whole selection: each choice depends on all others.
func (s Stage) items(ctx context.Context) ([]pipeline.Item[[]Choice], schema.Pins, error) {
	tasks, err := s.tasks(ctx)
	if err != nil {
		return nil, schema.Pins{}, fmt.Errorf("reading tasks: %w", err)
	}
	selection, err := s.Files.Selection()
	if err != nil {
		return nil, schema.Pins{}, err
	}
	choices := Choose(tasks, selection.Pins)
	return []pipeline.Item[[]Choice]{{ID: "selection", Hash: pipeline.Hash(choices), Value: choices}}, selection.Pins, nil
}

func (s Stage) tasks(ctx context.Context) ([]Task, error) {
	rows, err := s.DB.Query(ctx, `SELECT t.task_id, t.ecosystem, t.kind, t.change_type,
			count(tt.repository),
			coalesce(max(o.status), ''), coalesce(max(o.reason), ''),
			coalesce(string_agg(tt.repository, ', ' ORDER BY tt.repository) FILTER (coalesce(v.f2p, 0) = 0), ''),
			coalesce(string_agg(tt.repository, ', ' ORDER BY tt.repository) FILTER (g.input <> n.input), '')
		FROM task_list t
		JOIN task_targets tt ON tt.task_id = t.task_id
		LEFT JOIN targets v ON v.task_id = t.task_id AND v.repository = tt.repository
		LEFT JOIN task_inputs n ON n.task_id = t.task_id AND n.repository = tt.repository
		LEFT JOIN task_images g ON g.task_id = t.task_id AND g.repository = tt.repository
		LEFT JOIN outcomes_latest o ON o.stage = 'validate' AND o.item = t.task_id
		GROUP BY ALL ORDER BY t.task_id`)
	if err != nil {
		return nil, err
	}
	type row struct {
		Task
		status, reason, without, changed string
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.ID, &r.Ecosystem, &r.Kind, &r.ChangeType, &r.Targets, &r.status, &r.reason, &r.without, &r.changed}
	})
	tasks := make([]Task, len(list))
	for i, r := range list {
		r.Task.Ineligible = ineligible(schema.Status(r.status), r.reason, r.without, r.changed)
		tasks[i] = r.Task
	}
	return tasks, err
}

func ineligible(status schema.Status, reason, without, changed string) string {
	switch {
	case status == schema.Skipped:
		return "not runnable: " + reason
	case status == schema.Failed:
		return "validation failed, the next run tries again"
	case status != schema.Done:
		return "not validated yet"
	case changed != "":
		return "assembled anew since it was validated: " + changed
	case without != "":
		return "no F2P test in " + without
	}
	return ""
}

func write(_ context.Context, choices []Choice) (pipeline.Write, error) {
	w := func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM selections"); err != nil {
			return err
		}
		rows := make([][]any, len(choices))
		for i, c := range choices {
			rows[i] = []any{c.Task, c.Selected, c.Pinned, c.Position, c.Reason}
		}
		return tx.Append(ctx, "selections", rows)
	}
	if !slices.ContainsFunc(choices, func(c Choice) bool { return c.Selected }) {
		return w, pipeline.Skip("no eligible task")
	}
	return w, nil
}

// listed is the selection as the file holds it: what is in first, in order.
func listed(choices []Choice) []schema.SelectedTask {
	tasks := make([]schema.SelectedTask, len(choices))
	for i, c := range choices {
		tasks[i] = schema.SelectedTask{Task: c.Task, Selected: c.Selected, Reason: c.Reason}
	}
	return tasks
}

func unknown(pins schema.Pins, choices []Choice) []string {
	var out []string
	for _, id := range slices.Concat(pins.Include, pins.Exclude) {
		if !slices.ContainsFunc(choices, func(c Choice) bool { return c.Task == id }) {
			out = append(out, id)
		}
	}
	return out
}
