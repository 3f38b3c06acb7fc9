package evaluate

import (
	"context"
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// writeReport writes OUT/report.json: every task of the release in exactly one
// state, in each run that the predictions hold.
func (s *Stage) writeReport(ctx context.Context, run *pipeline.Run, items []pipeline.Item[item]) error {
	earlier, err := s.standing(ctx, run)
	if err != nil {
		return err
	}
	given := map[results.Key]pipeline.Item[item]{}
	for _, it := range items {
		given[it.Value.Key] = it
	}
	rep := schema.Report{Format: 1,
		Release: schema.ReportRelease{Name: s.Release.Name, Version: s.Release.Version, SHA256: s.Release.SHA256}}
	for _, k := range s.runKeys() {
		r, err := s.reportRun(k, given, earlier)
		if err != nil {
			return err
		}
		rep.Runs = append(rep.Runs, r)
	}
	if len(rep.Runs) > 0 {
		rep.Summary, rep.Tasks = rep.Runs[0].Summary, rep.Runs[0].Tasks
	}
	if len(rep.Runs) == 1 {
		rep.Runs = nil
	}
	return results.WriteReport(ctx, s.DB, s.Out, s.Release.Tasks, rep)
}

// reportRun is one run over all tasks of the release.
func (s *Stage) reportRun(k schema.RunKey, given map[results.Key]pipeline.Item[item], earlier standing) (
	r schema.ReportRun, err error) {
	r = schema.ReportRun{Model: k.Model, Mode: k.Mode, Attempt: k.Attempt, Tasks: map[string]schema.TaskReport{}}
	for _, t := range s.Release.Tasks {
		key := results.Key{RunKey: k, Task: t.ID}
		it, ok := given[key]
		if ok {
			r.Tasks[t.ID], err = s.taskReport(it, earlier)
		} else {
			r.Tasks[t.ID], err = s.uniform(key, schema.StatusMissing, "no prediction for this task")
		}
		if err != nil {
			return r, err
		}
	}
	r.Summary = verdict.Summarize(r.Tasks)
	return r, nil
}

// taskReport is an item's verdict where its outcome stands, with the patches that were
// judged; else the task is infra.
func (s *Stage) taskReport(it pipeline.Item[item], earlier standing) (report schema.TaskReport, err error) {
	report, ok := earlier.reports[it.ID]
	if !ok || !earlier.isCurrent(it) {
		if report, err = s.uniform(it.Value.Key, schema.StatusInfra, earlier.missingReason(it)); err != nil {
			return report, fmt.Errorf("reading verdicts: %w", err)
		}
	}
	report.Patches, err = results.KeepPatches(s.Out, it.Value.Key, it.Value.Predictions)
	return report, err
}

// runKeys are the predictions' runs, in the order of the file.
func (s *Stage) runKeys() []schema.RunKey {
	var out []schema.RunKey
	for _, p := range s.Predictions {
		if k := p.RunKey(); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// standing are the verdicts and outcomes of earlier calls.
type standing struct {
	version  string
	outcomes map[string]schema.Outcome
	reports  map[string]schema.TaskReport
}

func (s *Stage) standing(ctx context.Context, run *pipeline.Run) (standing, error) {
	latest, err := run.Ledger.Latest(ctx, s.Name())
	if err != nil {
		return standing{}, err
	}
	reports, err := results.TaskReports(ctx, s.DB)
	if err != nil {
		return standing{}, fmt.Errorf("reading verdicts: %w", err)
	}
	return standing{s.Version(), latest, reports}, nil
}

// isCurrent tells whether an item's outcome of an earlier call still stands.
func (st standing) isCurrent(it pipeline.Item[item]) bool {
	o, known := st.outcomes[it.ID]
	return known && pipeline.Stands(o, st.version, it.Hash)
}

// missingReason says why an item has no verdict.
func (st standing) missingReason(it pipeline.Item[item]) string {
	o, known := st.outcomes[it.ID]
	if known && o.Status == schema.Failed && o.InputHash == it.Hash {
		return o.Reason
	}
	return "not run yet; run the same command again"
}

// uniform puts a task and its targets in one state.
func (s *Stage) uniform(k results.Key, status, reason string) (schema.TaskReport, error) {
	t, err := s.Release.Task(k.Task)
	if err != nil {
		return schema.TaskReport{}, err
	}
	return verdict.UniformTask(k.RunKey, t.Hidden, status, reason), nil
}
