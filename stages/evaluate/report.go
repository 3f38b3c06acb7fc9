package evaluate

import (
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// reportWriter makes the report of an evaluation: every task of the release in exactly
// one state, in each run that the predictions hold.
type reportWriter struct {
	release *release.Release
	out     string
	earlier earlierResults
	items   map[results.Key]pipeline.Item[item]
}

// report makes the report of runs.
func (w reportWriter) report(runs []schema.RunKey) (rep schema.Report, err error) {
	rep = schema.Report{Format: 1, Rules: w.earlier.version,
		Release: schema.ReportRelease{Name: w.release.Name, Version: w.release.Version, SHA256: w.release.SHA256}}
	for _, k := range runs {
		r := schema.ReportRun{Model: k.Model, Mode: k.Mode, Attempt: k.Attempt, Tasks: map[string]schema.TaskReport{}}
		for _, t := range w.release.Tasks {
			if r.Tasks[t.ID], err = w.task(results.Key{RunKey: k, Task: t.ID}); err != nil {
				return rep, err
			}
		}
		r.Summary = verdict.Summarize(r.Tasks)
		rep.Runs = append(rep.Runs, r)
	}
	if len(rep.Runs) > 0 {
		rep.Summary, rep.Tasks = rep.Runs[0].Summary, rep.Runs[0].Tasks
	}
	if len(rep.Runs) == 1 {
		rep.Runs = nil
	}
	return rep, nil
}

// task is a task's verdict where its item's outcome is current, with the patches that
// were judged; a task whose item has no verdict is infra, one without an item missing.
func (w reportWriter) task(k results.Key) (schema.TaskReport, error) {
	it, given := w.items[k]
	if !given {
		return w.uniform(k, schema.StatusMissing, "no prediction for this task")
	}
	var err error
	report, ok := w.earlier.reports[it.ID]
	if !ok || !w.earlier.isCurrent(it) {
		if report, err = w.uniform(k, schema.StatusInfra, w.earlier.missingReason(it)); err != nil {
			return report, fmt.Errorf("reading verdicts: %w", err)
		}
	}
	report.Patches, err = results.KeepPatches(w.out, k, it.Value.Predictions)
	return report, err
}

// uniform puts a task and its targets in one state.
func (w reportWriter) uniform(k results.Key, status, reason string) (schema.TaskReport, error) {
	t, err := w.release.Task(k.Task)
	if err != nil {
		return schema.TaskReport{}, err
	}
	return verdict.UniformTask(k.RunKey, t.Hidden, status, reason), nil
}

// runKeys are the predictions' runs, in their order.
func runKeys(list []schema.Prediction) (runs []schema.RunKey) {
	for _, p := range list {
		if k := p.RunKey(); !slices.Contains(runs, k) {
			runs = append(runs, k)
		}
	}
	return runs
}
