// Package verdict says what test runs mean: a target's state and counts by what one
// run reported, a task's state by its targets, and the deviations in words. It also
// has the records of runs and tests that an evaluation stores.
//
// It is a pure function of a run's report and a release's lists. It runs nothing,
// reads no file and knows no table.
package verdict

import (
	"maps"
	"slices"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// Verdict is one task's in one run. It is kept as JSON, too, to be used again for a
// prediction of the same content.
type Verdict struct {
	Report schema.TaskReport `json:"report"`
	Runs   []Run             `json:"runs"`
}

// New makes a verdict without targets.
func New() *Verdict {
	return &Verdict{Report: schema.TaskReport{Targets: map[string]schema.TargetReport{}}}
}

// Note adds a deviation of the whole task.
func (v *Verdict) Note(kind, repository, detail string, files ...string) {
	var n Notes
	n.Add(kind, repository, detail, files...)
	v.AddNotes(n)
}

// AddNotes adds deviations of the whole task.
func (v *Verdict) AddNotes(n Notes) {
	v.Report.Flags = append(v.Report.Flags, n.Flags...)
	v.Report.Deviations = append(v.Report.Deviations, n.Deviations...)
}

// AddPutBack names the files that the second run replaces, by repository.
func (v *Verdict) AddPutBack(files map[string][]string) {
	for repository, list := range files {
		if v.Report.PutBack == nil {
			v.Report.PutBack = map[string][]string{}
		}
		all := slices.Concat(v.Report.PutBack[repository], list)
		slices.Sort(all)
		all = slices.Compact(all)
		v.Report.PutBack[repository] = all[:min(len(all), schema.MaxPutBack)]
	}
}

// AddTarget adds a target's report, and the runs that it was judged by.
func (v *Verdict) AddTarget(repository string, r schema.TargetReport, runs ...Run) {
	v.Report.Targets[repository] = r
	v.Runs = append(v.Runs, runs...)
}

// AddUnscored adds targets whose tests did not run, in one state.
func (v *Verdict) AddUnscored(targets []release.Target, status, reason string) {
	for _, t := range targets {
		v.AddTarget(t.Repository, UnscoredTarget(t, status, reason))
	}
}

// SetState gives the task the state that follows from its targets.
func (v *Verdict) SetState() {
	r := &v.Report
	r.Status, r.Reason = TaskState(r.Targets)
	r.Resolved = r.Status == schema.StatusResolved
	r.AsSubmitted = len(r.Targets) > 0
	for _, t := range r.Targets {
		r.AsSubmitted = r.AsSubmitted && t.AsSubmitted
	}
	slices.Sort(r.Patched)
	r.Patched = slices.Compact(r.Patched)
}

// SetIdentity adds what belongs to the run and not to the patches. The requests of an
// independent task are known where those of each of its predictions are.
func (v *Verdict) SetIdentity(k schema.RunKey, predictions []schema.Prediction) {
	r := &v.Report
	r.Model, r.Mode, r.Attempt, r.APIRequests = k.Model, k.Mode, k.Attempt, 0
	for _, p := range predictions {
		if p.Run == nil || p.Run.APIRequests == 0 {
			r.APIRequests = 0
			break
		}
		r.APIRequests += p.Run.APIRequests
	}
}

// BySeverity lists the states for a task whose targets differ: first what says that the
// score is not known, then what says most about the prediction.
func BySeverity() []string {
	return []string{schema.StatusInfra, schema.StatusMissing, schema.StatusPatchUnsafe, schema.StatusPatchFailed,
		schema.StatusRejected, schema.StatusInjectionFailed, schema.StatusInconsistent, schema.StatusTimeout,
		schema.StatusUnresolved, schema.StatusEmpty, schema.StatusDisputed, schema.StatusUnbuilt,
		schema.StatusResolved}
}

// TaskState gives a task's state: the most severe of its targets', so that it is resolved
// where every target is.
func TaskState(targets map[string]schema.TargetReport) (status, reason string) {
	for _, s := range BySeverity() {
		for _, r := range slices.Sorted(maps.Keys(targets)) {
			if targets[r].Status == s {
				return s, targets[r].Reason
			}
		}
	}
	return schema.StatusInfra, "no target was judged"
}

// UnscoredTarget is the report of a target whose tests did not run.
func UnscoredTarget(t release.Target, status, reason string) schema.TargetReport {
	return schema.TargetReport{Status: status, Reason: reason,
		F2P: schema.Tally{Total: len(t.Tests.F2P)}, P2P: schema.Tally{Total: len(t.Tests.P2P)}}
}

// UniformTask puts a task and its targets in one state, without a run.
func UniformTask(k schema.RunKey, targets []release.Target, status, reason string) schema.TaskReport {
	r := schema.TaskReport{Status: status, Reason: reason, Model: k.Model, Mode: k.Mode, Attempt: k.Attempt,
		Targets: map[string]schema.TargetReport{}}
	for _, t := range targets {
		r.Targets[t.Repository] = UnscoredTarget(t, status, reason)
	}
	return r
}

// RunState gives the state that a run's end and its tallies make.
func RunState(a testrun.Attempt, f2p, p2p schema.Tally) (status, reason string) {
	switch a.Status {
	case testrun.Timeout:
		return schema.StatusTimeout, a.Detail
	case testrun.Inconsistent:
		return schema.StatusInconsistent, a.Detail
	case testrun.NoReport:
		// A runner that says all is well and reports nothing was taken over.
		if a.ExitCode == 0 {
			return schema.StatusInconsistent, a.Detail
		}
		return schema.StatusUnresolved, "no test report: " + a.Detail
	case testrun.BuildFailed:
		return schema.StatusUnresolved, "build failed: " + a.Detail
	}
	if f2p.Whole() && p2p.Passed == p2p.Total {
		return schema.StatusResolved, ""
	}
	return schema.StatusUnresolved, a.Detail
}
