package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// line says a verdict in one line.
func (v *verdict) line(took time.Duration) string {
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(v.Report.Targets)) {
		t := v.Report.Targets[r]
		parts = append(parts, fmt.Sprintf("%s %s F2P %d/%d P2P %d/%d", r, t.Status, t.F2P.Passed, t.F2P.Total, t.P2P.Passed, t.P2P.Total))
	}
	return fmt.Sprintf("%s (%s) %.1f s", v.Report.Status, strings.Join(parts, "; "), took.Seconds())
}

// write replaces the item's rows.
func (v *verdict) write(s *Stage, u unit) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := s.remove(u.id())(ctx, tx); err != nil {
			return err
		}
		var runs, tests [][]any
		for _, r := range v.Runs {
			runs = append(runs, []any{u.Task, u.Model, u.Mode, int32(u.Attempt), r.Target, r.Variant, u.Key, r.Status, r.Detail,
				int32(r.ExitCode), r.TimedOut, r.OOM, int32(r.Runs), r.Seconds, r.Image, r.Log})
			for _, t := range r.Tests {
				outcome := string(t.Outcome)
				if t.Outcome == schema.Missing {
					outcome = "missing"
				}
				tests = append(tests, []any{u.Task, u.Model, u.Mode, int32(u.Attempt), r.Target, r.Variant, t.ID, string(t.Class), outcome, t.Message})
			}
		}
		verdicts, err := v.rows(u)
		if err != nil {
			return err
		}
		for table, rows := range map[string][][]any{"evaluation_runs": runs, "evaluation_tests": tests, "evaluation_outcomes": v.outcomeRows(u), "evaluation_verdicts": verdicts} {
			if err := tx.Append(ctx, table, rows); err != nil {
				return err
			}
		}
		return nil
	}
}

func (v *verdict) rows(u unit) ([][]any, error) {
	row := func(target string, resolved bool, status, reason string, report any) ([]any, error) {
		b, err := json.Marshal(report)
		return []any{u.Task, u.Model, u.Mode, int32(u.Attempt), target, resolved, status, reason, string(b)}, err
	}
	whole, err := row("", v.Report.Resolved, v.Report.Status, v.Report.Reason, v.Report)
	if err != nil {
		return nil, err
	}
	rows := [][]any{whole}
	for _, r := range slices.Sorted(maps.Keys(v.Report.Targets)) {
		t := v.Report.Targets[r]
		one, err := row(r, t.Resolved, t.Status, t.Reason, t)
		if err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

// writeReport writes OUT/report.json: every task of the release in exactly one
// state, in each run that the predictions hold.
func (s *Stage) writeReport(ctx context.Context, run *pipeline.Run, items []pipeline.Item[unit]) error {
	verdicts, err := s.verdicts(ctx, run, items)
	if err != nil {
		return fmt.Errorf("reading verdicts: %w", err)
	}
	kept, err := s.keep(items)
	if err != nil {
		return err
	}
	rep := schema.Report{Format: 1, Release: schema.ReportRelease{Name: s.Release.Name, Version: s.Release.Version, SHA256: s.Release.SHA256}}
	for _, k := range s.runs() {
		r := schema.ReportRun{Model: k.Model, Mode: k.Mode, Attempt: k.Attempt, Tasks: map[string]schema.TaskReport{}}
		for _, t := range s.Release.Tasks {
			id := unit{runKey: k, Task: t.ID}.id()
			v, ok := verdicts[id]
			if !ok {
				if v, err = s.absent(t.ID, k); err != nil {
					return err
				}
			}
			v.Patches = kept[id]
			r.Tasks[t.ID] = v
		}
		r.Summary = summarize(r.Tasks)
		rep.Runs = append(rep.Runs, r)
	}
	if len(rep.Runs) > 0 {
		rep.Summary, rep.Tasks = rep.Runs[0].Summary, rep.Runs[0].Tasks
	}
	if len(rep.Runs) == 1 {
		rep.Runs = nil
	}
	if err := s.writeStates(ctx, rep); err != nil {
		return err
	}
	return writeJSON(filepath.Join(s.Out, "report.json"), rep)
}

// runs are the predictions' (model, mode, attempt), in the order of the file.
func (s *Stage) runs() []runKey {
	var out []runKey
	for _, p := range s.Predictions {
		if k := (runKey{p.Model, p.Mode, p.Attempt}); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// verdicts gives the reports of the items whose outcome stands; others are infra.
func (s *Stage) verdicts(ctx context.Context, run *pipeline.Run, items []pipeline.Item[unit]) (map[string]schema.TaskReport, error) {
	latest, err := run.Ledger.Latest(ctx, s.Name())
	if err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]schema.TaskReport{}
	for _, it := range items {
		o, known := latest[it.ID]
		report, ok := stored[it.ID]
		if known && ok && pipeline.Stands(o, s.Version(), it.Hash) {
			out[it.ID] = report
			continue
		}
		reason := "not run yet; run the same command again"
		if known && o.Status == schema.Failed && o.InputHash == it.Hash {
			reason = o.Reason
		}
		if out[it.ID], err = s.uniform(it.Value.Task, it.Value.runKey, schema.StatusInfra, reason); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Stage) stored(ctx context.Context) (map[string]schema.TaskReport, error) {
	rows, err := s.DB.Query(ctx, `SELECT task_id, model, mode, attempt, report FROM evaluation_verdicts WHERE target = ''
		ORDER BY task_id, model, mode, attempt`)
	if err != nil {
		return nil, err
	}
	type row struct {
		unit
		report string
	}
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.Task, &r.Model, &r.Mode, &r.Attempt, &r.report} })
	if err != nil {
		return nil, err
	}
	out := map[string]schema.TaskReport{}
	for _, r := range list {
		var t schema.TaskReport
		if err := json.Unmarshal([]byte(r.report), &t); err != nil {
			return nil, fmt.Errorf("the stored verdict on %s: %w", r.id(), err)
		}
		out[r.id()] = t
	}
	return out, nil
}

// absent is the state of a task that a run has no prediction for.
func (s *Stage) absent(task string, k runKey) (schema.TaskReport, error) {
	return s.uniform(task, k, schema.StatusMissing, "no prediction for this task")
}

// uniform puts a task and its targets in one state.
func (s *Stage) uniform(task string, k runKey, status, reason string) (schema.TaskReport, error) {
	t, err := s.Release.Task(task)
	if err != nil {
		return schema.TaskReport{}, err
	}
	r := schema.TaskReport{Status: status, Reason: reason, Model: k.Model, Mode: k.Mode, Attempt: k.Attempt, Targets: map[string]schema.TargetReport{}}
	for _, h := range t.Hidden {
		r.Targets[h.Repository] = unscored(h, status, reason)
	}
	return r, nil
}

// summarize counts; the denominators are all tasks and targets.
func summarize(tasks map[string]schema.TaskReport) schema.ReportSummary {
	s := schema.ReportSummary{Tasks: len(tasks), ByStatus: map[string]int{}}
	whole := func(t schema.Tally) schema.Tally {
		switch {
		case t.Total == 0:
			return schema.Tally{}
		case t.Passed == t.Total:
			return schema.Tally{Passed: 1, Total: 1}
		}
		return schema.Tally{Total: 1}
	}
	for _, t := range tasks {
		s.ByStatus[t.Status]++
		any := false
		for _, x := range t.Targets {
			s.Targets++
			if x.Resolved {
				s.TargetsResolved++
				any = true
			}
			s.Incomplete = s.Incomplete || x.Status == schema.StatusInfra || x.Status == schema.StatusMissing
			s.F2P, s.P2P = s.F2P.Add(x.F2P), s.P2P.Add(x.P2P)
			s.F2PComplete, s.P2PPreserved = s.F2PComplete.Add(whole(x.F2P)), s.P2PPreserved.Add(whole(x.P2P))
		}
		if t.Resolved {
			s.TasksResolved++
		}
		if any {
			s.TasksAnyResolved++
		}
	}
	return s
}

// writeJSON replaces a file in one step.
func writeJSON(file string, v any) error {
	b, err := release.EncodeJSON(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	tmp := file + ".tmp"
	if err := os.WriteFile(tmp, b, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
