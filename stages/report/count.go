package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/wideswe/wideswe/schema"
)

// Run is the score of one model's attempt in one mode.
type Run struct {
	Model   string `json:"model"`
	Mode    string `json:"mode"`
	Attempt int    `json:"attempt"`
	// Rules is the version of the rules that the verdicts follow, "" before version 6.
	Rules string `json:"rules,omitempty"`
	// Unfinished counts the tasks that are not judged: no prediction, or our own trouble.
	Unfinished int     `json:"unfinished"`
	Slices     []Slice `json:"slices"` // the first is all tasks
	Tasks      []Row   `json:"tasks"`
}

// All is the score over all tasks.
func (r Run) All() schema.ReportSummary { return r.Slices[0].Summary }

// Slice is the score over the tasks that have one value of a property.
type Slice struct {
	Property string               `json:"property"`
	Value    string               `json:"value"`
	Summary  schema.ReportSummary `json:"summary"`
	// APIRequests is the mean over the tasks whose usage is known, 0 where none is.
	APIRequests float64 `json:"api_requests,omitempty"`
}

// Row is one task's verdict, with its targets in the release's order.
type Row struct {
	DataTask
	Verdict schema.TaskReport `json:"verdict"`
	Targets []TargetRow       `json:"targets"`

	from  Source
	rules string
}

// TargetRow is one target's verdict.
type TargetRow struct {
	DataTarget
	Verdict schema.TargetReport `json:"verdict"`
	// Settled is what a person decided, nil where nobody did.
	Settled *Settlement `json:"settled,omitempty"`
}

// runsOf counts an evaluation's runs over a data set.
func runsOf(data *Dataset, e evaluation, warn func(string, ...any)) (list []Run) {
	report := e.report
	if report.Rules == "" && len(report.Tasks) > 0 {
		warn("%s was evaluated by the rules of an earlier version: its verdicts are shown as they were reached, and what "+
			"resolves as submitted is not known. The same evaluate command judges it anew", line(e.Folder, maxID))
	}
	runs := report.Runs
	if len(runs) == 0 {
		runs = []schema.ReportRun{named(report.Tasks)}
	}
	for _, r := range runs {
		run := Run{Model: line(r.Model, maxTitle), Mode: line(cmp.Or(r.Mode, schema.Joint), maxTitle), Attempt: max(1,
			r.Attempt),
			Rules: line(report.Rules, maxTitle)}
		for _, t := range data.Tasks {
			row := row(t, r.Tasks, warn)
			row.from, row.rules = e.Source, report.Rules
			row.settle(r.Key(), e.settled, warn)
			if unfinished(row.Verdict.Status) {
				run.Unfinished++
			}
			run.Tasks = append(run.Tasks, row)
		}
		for _, id := range slices.Sorted(maps.Keys(r.Tasks)) {
			if !slices.ContainsFunc(data.Tasks, func(t DataTask) bool { return t.ID == id }) {
				warn("the evaluation has a task %s that the release has not; it is not counted", line(id, maxTitle))
			}
		}
		run.Slices = slice(run.Tasks)
		list = append(list, run)
	}
	return list
}

// named makes a run of a report that holds only one.
func named(tasks map[string]schema.TaskReport) schema.ReportRun {
	r := schema.ReportRun{Tasks: tasks}
	for _, id := range slices.Sorted(maps.Keys(tasks)) {
		t := tasks[id]
		r.Model, r.Mode, r.Attempt = cmp.Or(r.Model, t.Model), cmp.Or(r.Mode, t.Mode), cmp.Or(r.Attempt, t.Attempt)
	}
	return r
}

// row joins a task of the release with its verdict. What the report does not say is
// missing, and never to anyone's credit.
func row(t DataTask, verdicts map[string]schema.TaskReport, warn func(string, ...any)) Row {
	v, ok := verdicts[t.ID]
	if !ok || v.Status == "" {
		v.Status, v.Resolved = schema.StatusMissing, false
	}
	out := Row{DataTask: t, Verdict: tidyTask(v)}
	resolved := len(t.Targets) > 0
	submitted := resolved
	for _, target := range t.Targets {
		tv := v.Targets[target.Repository]
		if tv.Status == "" {
			tv.Status, tv.Resolved = v.Status, false
		}
		// The totals are the release's, whatever the report counted.
		if scored := tv.F2P.Total > 0 || tv.P2P.Total > 0; scored && (tv.F2P.Total != target.F2P ||
			tv.P2P.Total != target.P2P) {
			warn("%s: the evaluation counts other tests of %s than the release has", t.ID, target.Repository)
		}
		tv.F2P = schema.Tally{Passed: min(tv.F2P.Passed, target.F2P), Total: target.F2P}
		tv.P2P = schema.Tally{Passed: min(tv.P2P.Passed, target.P2P), Total: target.P2P}
		if tv.Resolved && !(tv.Status == schema.StatusResolved && tv.F2P.Whole() && tv.P2P.Passed == tv.P2P.Total) {
			warn("%s: %s is called resolved though its status or its tests say otherwise; it is not counted", t.ID,
				target.Repository)
			tv.Resolved = false
		}
		if tv.AsSubmitted && !(tv.F2P.Whole() && tv.P2P.Passed == tv.P2P.Total) {
			warn("%s: %s is called resolved as submitted though its tests say otherwise; it is not counted", t.ID,
				target.Repository)
			tv.AsSubmitted = false
		}
		resolved, submitted = resolved && tv.Resolved, submitted && tv.AsSubmitted
		out.Targets = append(out.Targets, TargetRow{DataTarget: target, Verdict: tidyTarget(tv)})
	}
	if v.Resolved && !(resolved && v.Status == schema.StatusResolved) {
		warn("%s is called resolved though its status or its targets say otherwise; it is not counted", t.ID)
		out.Verdict.Resolved = false
	}
	out.Verdict.AsSubmitted = v.AsSubmitted && submitted
	return out
}

func unfinished(status string) bool {
	return status == schema.StatusInfra || status == schema.StatusMissing
}

// slice counts all tasks, then those of each value of the properties that the
// tables are divided by.
func slice(rows []Row) []Slice {
	out := []Slice{summed("all", "", rows)}
	tasks := make([]DataTask, len(rows))
	for i, r := range rows {
		tasks[i] = r.DataTask
	}
	for _, p := range properties {
		if !p.scored {
			continue
		}
		for _, value := range p.all(tasks) {
			var part []Row
			for _, r := range rows {
				if p.has(r.DataTask, value) {
					part = append(part, r)
				}
			}
			out = append(out, summed(p.name, value, part))
		}
	}
	return out
}

func summed(property, value string, rows []Row) Slice {
	s := Slice{Property: property, Value: value, Summary: schema.ReportSummary{ByStatus: map[string]int{}}}
	used, requests := 0, int64(0)
	for _, r := range rows {
		add(&s.Summary, r)
		if r.Verdict.APIRequests > 0 {
			used++
			requests += r.Verdict.APIRequests
		}
	}
	if used > 0 {
		s.APIRequests = float64(requests) / float64(used)
	}
	return s
}

func add(s *schema.ReportSummary, r Row) {
	s.Tasks++
	s.ByStatus[r.Verdict.Status]++
	s.Incomplete = s.Incomplete || unfinished(r.Verdict.Status)
	if r.Verdict.Resolved {
		s.TasksResolved++
	}
	s.TasksAsSubmitted += oneIf(r.Verdict.AsSubmitted)
	any := false
	for _, t := range r.Targets {
		v := t.Verdict
		s.Targets++
		s.TargetsAsSubmitted += oneIf(v.AsSubmitted)
		s.F2P, s.P2P = s.F2P.Add(v.F2P), s.P2P.Add(v.P2P)
		if v.Resolved {
			s.TargetsResolved++
			any = true
		}
		s.F2PComplete = s.F2PComplete.Add(whole(v.F2P))
		s.P2PPreserved = s.P2PPreserved.Add(whole(v.P2P))
	}
	if any {
		s.TasksAnyResolved++
	}
}

// whole counts one target among those that have such tests.
func whole(t schema.Tally) schema.Tally {
	switch {
	case t.Total == 0:
		return schema.Tally{}
	case t.Whole():
		return schema.Tally{Passed: 1, Total: 1}
	}
	return schema.Tally{Total: 1}
}
