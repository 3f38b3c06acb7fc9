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

// Run is one of its runs. The counts of what was resolved are the evaluation's own.
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
	NotScored          int             `json:"not_scored"` // tasks that the rule does not score
	ByTask             map[string]Task `json:"by_task"`
	BaseOutcomesMissed int             `json:"targets_without_base_outcomes,omitempty"`
}

// Task is a task's state under the rule, and as evaluated.
type Task struct {
	Grade
	Was     string            `json:"was"`
	Targets map[string]Target `json:"targets"`
}

// Target is a target's state under the rule, and as evaluated.
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
		if !anyChangesNothing(r) {
			continue
		}
		runs, err := results.ReadTestRuns(ctx, db, r.Key())
		if err != nil {
			return nil, err
		}
		base.add(r, runs)
	}
	return base, nil
}

// add adds the runs whose prediction changes nothing; of two in one place the first counts.
func (b Base) add(r schema.ReportRun, runs results.TestRuns) {
	for p, run := range runs {
		place := results.Place{Task: p.Task, Target: p.Target}
		unchanged := p.Variant == verdict.Submitted && changesNothing(r.Tasks[p.Task], r.Mode, p.Target)
		if unchanged && b[place] == nil {
			b[place] = run.FirstOutcomes()
		}
	}
}

// anyChangesNothing tells whether any target of a run was judged by an empty prediction.
func anyChangesNothing(r schema.ReportRun) bool {
	for _, t := range r.Tasks {
		for target := range t.Targets {
			if changesNothing(t, r.Mode, target) {
				return true
			}
		}
	}
	return false
}

// changesNothing tells whether the prediction that a target was judged by is empty.
func changesNothing(t schema.TaskReport, mode, target string) bool {
	if mode == schema.Independent {
		return !slices.Contains(t.Patched, target)
	}
	return len(t.Patched) == 0
}

// ByRule judges every run of an evaluation by a rule, from what was stored. base may
// be nil.
func ByRule(ctx context.Context, rule Rule, rep schema.Report, db pipeline.Queryer, base Base) (Evaluation, error) {
	out := Evaluation{Rule: rule, Runs: []Run{}}
	for _, r := range results.Runs(rep) {
		runs, err := results.ReadTestRuns(ctx, db, r.Key())
		if err != nil {
			return out, err
		}
		for p, x := range runs {
			if lacksOutcomes(x) {
				return out, pipeline.Usage("what the tests of %s in %s reported was not stored by the wideswe that "+
					"evaluated it; the same evaluate command again stores it", p.Target, p.Task)
			}
		}
		out.Runs = append(out.Runs, regradeRun(rule, r, runs, base))
	}
	return out, nil
}

// lacksOutcomes tells whether tests have outcomes while nothing that was reported is
// stored.
func lacksOutcomes(r *verdict.Run) bool {
	return len(r.Outcomes) == 0 && slices.ContainsFunc(r.Tests, func(t verdict.Test) bool {
		return t.Outcome != schema.Missing && t.Outcome != schema.NotRun
	})
}

func regradeRun(rule Rule, r schema.ReportRun, runs results.TestRuns, base Base) Run {
	out := Run{Model: r.Model, Mode: r.Mode, Attempt: r.Attempt, ByTask: map[string]Task{}}
	for _, id := range slices.Sorted(maps.Keys(r.Tasks)) {
		was := r.Tasks[id]
		task := out.regradeTask(rule, id, was, runs, base)
		out.Tasks++
		out.TasksResolved += oneIf(task.Resolved)
		out.TasksWereResolved += oneIf(was.Resolved)
		out.NotScored += oneIf(task.Status == NotScored)
		out.ByTask[id] = task
	}
	return out
}

// regradeTask gives a task's state, and counts its targets.
func (r *Run) regradeTask(rule Rule, id string, was schema.TaskReport, runs results.TestRuns, base Base) Task {
	task := Task{Was: was.Status, Targets: map[string]Target{}}
	states := map[string]schema.TargetReport{}
	for _, target := range slices.Sorted(maps.Keys(was.Targets)) {
		x := was.Targets[target]
		e := evidence{run: runs[results.Place{Task: id, Target: target, Variant: verdict.Submitted}],
			guarded:        runs[results.Place{Task: id, Target: target, Variant: verdict.BaseConfig}],
			changesNothing: changesNothing(was, r.Mode, target), base: base[results.Place{Task: id, Target: target}]}
		g := gradeTarget(rule, x, e)
		task.Targets[target] = Target{g, x.Status}
		task.F2P, task.P2P = task.F2P.Add(g.F2P), task.P2P.Add(g.P2P)
		states[target] = schema.TargetReport{Status: g.Status, Reason: g.Reason}
		r.Targets++
		r.TargetsResolved += oneIf(g.Resolved)
		r.TargetsWere += oneIf(x.Resolved)
		r.BaseOutcomesMissed += oneIf(e.run != nil && e.base == nil)
	}
	task.Status, task.Reason = stateOf(was, states)
	task.Resolved = task.Status == schema.StatusResolved
	return task
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stateOf gives a task's state by its targets'. A target that is not scored decides for
// the task, as one that is infra does.
func stateOf(was schema.TaskReport, states map[string]schema.TargetReport) (status, reason string) {
	if len(states) == 0 {
		return was.Status, was.Reason
	}
	for _, target := range slices.Sorted(maps.Keys(states)) {
		if states[target].Status == NotScored {
			return NotScored, states[target].Reason
		}
	}
	return verdict.TaskState(states)
}

// gradeTarget applies the rule to a target that ran. One that did not has its own
// state under every rule, except for what the authors call an invalid run.
func gradeTarget(rule Rule, x schema.TargetReport, e evidence) Grade {
	if e.run != nil && x.Status != schema.StatusInfra && x.Status != schema.StatusMissing {
		return rule.grade(e)
	}
	g := Grade{Resolved: x.Resolved, Status: x.Status, Reason: x.Reason,
		F2P: schema.Tally{Total: x.F2P.Total}, P2P: schema.Tally{Total: x.P2P.Total}}
	invalid := []string{schema.StatusPatchFailed, schema.StatusPatchUnsafe, schema.StatusInjectionFailed}
	if rule.Name == "authors" && slices.Contains(invalid, x.Status) {
		g.Status, g.Reason = NotScored, "the run is invalid: "+x.Status
	}
	return g
}
