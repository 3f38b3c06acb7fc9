package regrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// counted tallies the tests that decide; passes tells which of them pass.
func (e evidence) counted(passes func(class schema.Class, id string) bool) (f2p, p2p schema.Tally, failing []string) {
	for _, t := range e.run.Tests {
		n := &f2p
		if t.Class == schema.P2P {
			n = &p2p
		}
		n.Total++
		if passes(t.Class, t.ID) {
			n.Passed++
			continue
		}
		failing = append(failing, t.ID)
	}
	return f2p, p2p, failing
}

func graded(f2p, p2p schema.Tally, resolved bool, failing []string) Grade {
	g := Grade{Resolved: resolved, Status: schema.StatusUnresolved, F2P: f2p, P2P: p2p}
	if resolved {
		g.Status = schema.StatusResolved
	} else if len(failing) > 0 {
		g.Reason = failing[0]
		if n := len(failing) - 1; n > 0 {
			g.Reason += fmt.Sprintf(" and %d more", n)
		}
	}
	return g
}

// gradeOurs scores the stored runs as verdict does, the second one included.
func gradeOurs(e evidence) Grade {
	g := gradeRun(e.run, e.changesNothing)
	if e.guarded == nil || !g.Resolved {
		return g
	}
	second := gradeRun(e.guarded, e.changesNothing)
	switch {
	case second.Resolved:
	case e.guarded.IsUnbuilt():
		g.Reason = "resolved as submitted; the second run's tree does not build"
		g.Resolved, g.Status = false, schema.StatusUnbuilt
	default:
		g.Reason = fmt.Sprintf("resolved as submitted, %s in the second run", second.Status)
		g.Resolved, g.Status = false, schema.StatusDisputed
	}
	return g
}

func gradeRun(run *verdict.Run, changesNothing bool) Grade {
	counts := verdict.PassesCount(testrun.Status(run.Status))
	pass := map[string]bool{}
	for _, t := range run.Tests {
		pass[string(t.Class)+t.ID] = counts && t.Outcome == schema.Pass
	}
	f2p, p2p, _ := evidence{run: run}.counted(func(c schema.Class, id string) bool { return pass[string(c)+id] })
	g := Grade{F2P: f2p, P2P: p2p}
	g.Status, g.Reason = verdict.RunState(testrun.Attempt{Status: testrun.Status(run.Status), Detail: run.Detail,
		ExitCode: run.ExitCode}, f2p, p2p)
	g.Resolved = g.Status == schema.StatusResolved
	if g.Status == schema.StatusUnresolved && changesNothing {
		g.Status = schema.StatusEmpty
	}
	return g
}

func gradeAuthors(e evidence) Grade {
	first := e.run.FirstOutcomes()
	twins := map[string][]schema.TestOutcome{}
	failed := false
	for id, o := range first {
		name := verdict.WithoutNumber(id)
		twins[name] = append(twins[name], o)
		failed = failed || o == schema.Fail || o == schema.Error
	}
	outcome := func(id string) schema.TestOutcome {
		if o, ok := first[id]; ok {
			return o
		}
		return jointOutcome(twins[verdict.WithoutNumber(id)])
	}
	complete := true
	f2p, p2p, failing := e.counted(func(_ schema.Class, id string) bool {
		o := outcome(id)
		complete = complete && o != schema.Missing && o != schema.NotRun
		return o == schema.Pass
	})
	g := graded(f2p, p2p, f2p.Whole() && p2p.Passed == p2p.Total, failing)
	code := e.run.ExitCode
	switch {
	case e.run.TimedOut && (failed || complete && len(e.run.Tests) > 0):
		return g
	case e.run.TimedOut:
		code = 124
	}
	if slices.Contains([]int{124, 126, 127, 137, 143}, code) {
		return Grade{Status: NotScored, Reason: fmt.Sprintf("the run is invalid: evaluator_profile_exit_%d", code),
			F2P: f2p, P2P: p2p}
	}
	return g
}

// jointOutcome is the outcome of several tests of one name.
func jointOutcome(all []schema.TestOutcome) schema.TestOutcome {
	if len(all) == 0 {
		return schema.Missing
	}
	for _, o := range []schema.TestOutcome{schema.Fail, schema.Error, schema.NotRun, schema.Skip} {
		if slices.Contains(all, o) {
			return o
		}
	}
	return schema.Pass
}

func gradeSWEBench(e evidence) Grade {
	first := e.run.FirstOutcomes()
	pass := func(c schema.Class, id string) bool {
		return !e.run.TimedOut && (first[id] == schema.Pass || c == schema.P2P && first[id] == schema.Skip)
	}
	f2p, p2p, failing := e.counted(pass)
	if e.changesNothing {
		return Grade{Status: schema.StatusEmpty, Reason: "an empty patch is not run",
			F2P: schema.Tally{Total: f2p.Total}, P2P: schema.Tally{Total: p2p.Total}}
	}
	g := graded(f2p, p2p, f2p.Passed == f2p.Total && p2p.Passed == p2p.Total, failing)
	if e.run.TimedOut {
		g.Resolved, g.Status, g.Reason = false, schema.StatusUnresolved, "it met its time limit"
	}
	return g
}

func gradeLive(e evidence) Grade {
	first := e.run.FirstOutcomes()
	var failed []string
	f2p, p2p, _ := e.counted(func(_ schema.Class, id string) bool {
		if o := first[id]; o == schema.Fail || o == schema.Error {
			failed = append(failed, id)
		}
		return first[id] == schema.Pass
	})
	if e.changesNothing {
		return Grade{Status: schema.StatusEmpty, Reason: "an empty patch is not run",
			F2P: schema.Tally{Total: f2p.Total}, P2P: schema.Tally{Total: p2p.Total}}
	}
	g := graded(f2p, p2p, len(failed) == 0 && f2p.Passed > 0, failed)
	if len(failed) == 0 && f2p.Passed == 0 {
		g.Reason = "no F2P passed"
	}
	return g
}

func gradeMulti(e evidence) Grade {
	first := e.run.FirstOutcomes()
	f2p, p2p, failing := e.counted(func(_ schema.Class, id string) bool { return first[id] == schema.Pass })
	g := graded(f2p, p2p, f2p.Passed == f2p.Total && p2p.Passed == p2p.Total, failing)
	reported := false
	for _, o := range first {
		reported = reported || o != schema.NotRun
	}
	switch broken := brokenTests(e.base, first); {
	case !reported:
		g.Resolved, g.Status, g.Reason = false, schema.StatusUnresolved, "no test was reported"
	case len(broken) > 0:
		g.Resolved, g.Status = false, schema.StatusUnresolved
		g.Reason = fmt.Sprintf("passed on base and fails now: %s", strings.Join(broken[:min(3, len(broken))], ", "))
	case g.Resolved && f2p.Passed == 0:
		g.Resolved, g.Status, g.Reason = false, schema.StatusUnresolved, "nothing was fixed"
	case g.Resolved && e.base == nil:
		g.Reason = "tests in no list were not looked at: no run that changes nothing is at hand"
	}
	return g
}

// brokenTests are the tests that passed on base and fail now.
func brokenTests(base, now map[string]schema.TestOutcome) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if base[id] == schema.Pass && (now[id] == schema.Fail || now[id] == schema.Error) {
			ids = append(ids, id)
		}
	}
	return ids
}
