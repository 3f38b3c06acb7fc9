package regrade

import (
	"context"
	"maps"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// Evaluation is an evaluation under a rule.
type Evaluation struct {
	Rule
	Runs []Run `json:"runs"`
}

// Run is one run of it. Was counts are the evaluation's own.
type Run struct {
	Model              string          `json:"model"`
	Mode               string          `json:"mode"`
	Attempt            int             `json:"attempt"`
	Tasks              int             `json:"tasks"`
	TasksResolved      int             `json:"tasks_resolved"`
	TasksWereResolved  int             `json:"tasks_were_resolved"`
	Targets            int             `json:"targets"`
	TargetsResolved    int             `json:"targets_resolved"`
	TargetsWere        int             `json:"targets_were_resolved"`
	NotScored          int             `json:"not_scored"` // tasks that the rule gives no score
	ByTask             map[string]Task `json:"by_task"`
	BaseOutcomesMissed int             `json:"targets_without_base_outcomes,omitempty"`
}

// Task is a task's state under the rule, and as evaluated.
type Task struct {
	Grade
	Was     string            `json:"was"`
	Targets map[string]Target `json:"targets"`
}

// Target is a target's.
type Target struct {
	Grade
	Was string `json:"was"`
}

// Base holds what tests reported where nothing was changed, by task and target.
type Base map[results.Place]map[string]schema.TestOutcome

// BaseOutcomes finds the runs of an evaluation whose prediction changes nothing.
func BaseOutcomes(ctx context.Context, rep schema.Report, db pipeline.Queryer) (Base, error) {
	base := Base{}
	for _, r := range results.Runs(rep) {
		if !slices.ContainsFunc(slices.Sorted(maps.Keys(r.Tasks)), func(id string) bool { return someBlank(r.Tasks[id], r.Mode) }) {
			continue
		}
		runs, err := results.ReadTestRuns(ctx, db, r.Key())
		if err != nil {
			return nil, err
		}
		for p, s := range runs {
			at := results.Place{Task: p.Task, Target: p.Target}
			if p.Variant == verdict.Submitted && blankFor(r.Tasks[p.Task], r.Mode, p.Target) && base[at] == nil {
				base[at] = s.FirstOutcomes()
			}
		}
	}
	return base, nil
}

func someBlank(t schema.TaskReport, mode string) bool {
	return slices.ContainsFunc(slices.Sorted(maps.Keys(t.Targets)), func(target string) bool { return blankFor(t, mode, target) })
}

// blankFor says whether the prediction that a target was judged by changes nothing.
func blankFor(t schema.TaskReport, mode, target string) bool {
	if mode == schema.Independent {
		return !slices.Contains(t.Patched, target)
	}
	return len(t.Patched) == 0
}

// ByRule judges every run of an evaluation by a rule, from what was stored. Base may
// be nil.
func ByRule(ctx context.Context, rule Rule, rep schema.Report, db pipeline.Queryer, base Base) (Evaluation, error) {
	out := Evaluation{Rule: rule, Runs: []Run{}}
	for _, r := range results.Runs(rep) {
		runs, err := results.ReadTestRuns(ctx, db, r.Key())
		if err != nil {
			return out, err
		}
		for p, x := range runs {
			if unstored(x) {
				return out, pipeline.Usage("what the tests of %s in %s reported was not stored by the wideswe that evaluated it; the same evaluate command again stores it", p.Target, p.Task)
			}
		}
		out.Runs = append(out.Runs, regradeRun(rule, r, runs, base))
	}
	return out, nil
}

// unstored: tests have outcomes, and nothing that was reported is there.
func unstored(r *verdict.Run) bool {
	return len(r.Outcomes) == 0 && slices.ContainsFunc(r.Tests, func(t verdict.Test) bool { return t.Outcome != schema.Missing && t.Outcome != schema.NotRun })
}

func regradeRun(rule Rule, r schema.ReportRun, runs results.TestRuns, base Base) Run {
	out := Run{Model: r.Model, Mode: r.Mode, Attempt: r.Attempt, ByTask: map[string]Task{}}
	for _, id := range slices.Sorted(maps.Keys(r.Tasks)) {
		t := r.Tasks[id]
		task := Task{Was: t.Status, Targets: map[string]Target{}}
		states := map[string]schema.TargetReport{}
		for _, target := range slices.Sorted(maps.Keys(t.Targets)) {
			x := t.Targets[target]
			e := evidence{run: runs[results.Place{Task: id, Target: target, Variant: verdict.Submitted}], guarded: runs[results.Place{Task: id, Target: target, Variant: verdict.BaseConfig}], blank: blankFor(t, r.Mode, target),
				base: base[results.Place{Task: id, Target: target}]}
			g := gradeTarget(rule, x, e)
			if e.run != nil && e.base == nil {
				out.BaseOutcomesMissed++
			}
			task.Targets[target] = Target{g, x.Status}
			task.F2P, task.P2P = task.F2P.Add(g.F2P), task.P2P.Add(g.P2P)
			states[target] = schema.TargetReport{Status: g.Status, Reason: g.Reason}
			out.Targets++
			out.TargetsResolved += number(g.Resolved)
			out.TargetsWere += number(x.Resolved)
		}
		task.Status, task.Reason = whole(t, states)
		task.Resolved = task.Status == schema.StatusResolved
		out.Tasks++
		out.TasksResolved += number(task.Resolved)
		out.TasksWereResolved += number(t.Resolved)
		out.NotScored += number(task.Status == NotScored)
		out.ByTask[id] = task
	}
	return out
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// whole gives a task's state. A rule's not_scored speaks for the task as infra does.
func whole(t schema.TaskReport, states map[string]schema.TargetReport) (status, reason string) {
	if len(states) == 0 {
		return t.Status, t.Reason
	}
	for _, target := range slices.Sorted(maps.Keys(states)) {
		if states[target].Status == NotScored {
			return NotScored, states[target].Reason
		}
	}
	return verdict.OfTask(states)
}

// gradeTarget applies the rule to a target that ran. One that did not has its own
// state under every rule, but for what the authors' calls an invalid run.
func gradeTarget(rule Rule, x schema.TargetReport, e evidence) Grade {
	if e.run != nil && x.Status != schema.StatusInfra && x.Status != schema.StatusMissing {
		return rule.grade(e)
	}
	g := Grade{Resolved: x.Resolved, Status: x.Status, Reason: x.Reason, F2P: schema.Tally{Total: x.F2P.Total}, P2P: schema.Tally{Total: x.P2P.Total}}
	if rule.Name == "authors" && (x.Status == schema.StatusPatchFailed || x.Status == schema.StatusPatchUnsafe || x.Status == schema.StatusInjectionFailed) {
		g.Status, g.Reason = NotScored, "the run is invalid: "+x.Status
	}
	return g
}
