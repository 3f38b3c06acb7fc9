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

// NotScored is the state, under another rule, of what its own harness gives no score.
const NotScored = "not_scored"

// Rule judges a target by what its test run reported. The rules of other benchmarks
// are written down from their own graders, named in Source; what those get by running
// the tests in their own way (parsers of text, fuzzy application of patches) is not
// replayed: the outcomes are ours.
type Rule struct {
	Name   string `json:"rule"`
	Source string `json:"source"`
	// Counts says what the rule counts, a sentence a thing.
	Counts []string `json:"counts"`

	grade func(evidence) Grade
}

// Grade is a verdict under a rule.
type Grade struct {
	Resolved bool         `json:"resolved"`
	Status   string       `json:"status"`
	Reason   string       `json:"reason,omitempty"`
	F2P      schema.Tally `json:"f2p"`
	P2P      schema.Tally `json:"p2p"`
}

// evidence is what a rule judges of a target whose tests ran.
type evidence struct {
	run     *verdict.Run // as submitted
	guarded *verdict.Run // with the runner configuration of base; nil where that did not run
	// blank says that the prediction changes nothing.
	blank bool
	// base is what the tests reported where nothing was changed; nil where no such run
	// is at hand.
	base map[string]schema.TestOutcome
}

// Rules lists the rules, ours first.
func Rules() []Rule {
	return []Rule{
		{Name: "ours", Source: "wideswe evaluate", grade: gradeOurs, Counts: []string{
			"F2P and P2P must pass; missing, skipped and never reached (not_run) fail. What a crash hid counts by its rerun.",
			"A run that met its time limit, whose build failed, or whose exit, counts and report disagree, gives no test a pass.",
			"An empty patch runs, and is empty where it does not resolve.",
			"A patch that resolves only with its own runner configuration is disputed: not resolved.",
		}},
		{Name: "authors", Source: "WideSWE's released harness: ecosync_harness.py evaluate_hidden_test_oracle, match_oracle_row; run_validity.py (7fbec7e)", grade: gradeAuthors, Counts: []string{
			"F2P and P2P must pass; missing and skipped fail. An id that is not reported counts by its numbered twins: all of them must pass.",
			"A target needs at least one F2P; no P2P is all P2P.",
			"Exit codes 124 (time limit), 126, 127, 137 and 143 make the run invalid: it is not scored. A time limit that was met after a complete report counts by the report, and so does one with a failure in it.",
			"Other exit codes, crashes and contradictions don't count; there is no second run. A patch that does not apply, or hidden tests that don't go on, make the run invalid.",
			"An empty patch is scored like any other.",
		}},
		{Name: "swe-bench", Source: "SWE-bench: swebench/harness/grading.py get_eval_tests_report, get_resolution_status (2ff017b)", grade: gradeSWEBench, Counts: []string{
			"F2P must pass; missing, skipped, failed and error fail.",
			"P2P must pass or be skipped; missing, failed and error fail.",
			"An empty list is complete. Exit codes, crashes and contradictions don't count; a run that met its time limit gives no test a pass.",
			"An empty patch is not run: it is not resolved. Repositories that report failures alone (FAIL_ONLY_REPOS) are not told apart.",
		}},
		{Name: "swe-bench-live", Source: "SWE-bench-Live: evaluation/evaluation.py run_instance (0327714)", grade: gradeLive, Counts: []string{
			"No F2P and no P2P may fail (failed or error); missing and skipped count as neither failed nor passed.",
			"At least one F2P must pass.",
			"Exit codes, crashes, contradictions and time limits don't count: what the log held is judged.",
			"An empty patch is not run: it is not resolved.",
		}},
		{Name: "multi-swe-bench", Source: "multi-swe-bench: harness/report.py Report.check, gen_report.py safe_generate_report (24f493f)", grade: gradeMulti, Counts: []string{
			"F2P and P2P must pass; missing and skipped fail.",
			"No test at all, in a list or not, may fail that passed on base; known where the evaluation, or the one given with --base, holds a run that changes nothing (predictions empty).",
			"Something must have been reported, and something fixed. Exit codes, crashes and contradictions don't count.",
			"An empty patch is run like any other. Its tests that passed from skipped (s2p) are in no list of ours, and the pattern \"passed before the hidden tests were there\" can't be seen.",
		}},
	}
}

// RuleNamed finds a rule.
func RuleNamed(name string) (Rule, bool) {
	all := Rules()
	i := slices.IndexFunc(all, func(r Rule) bool { return r.Name == name })
	if i < 0 {
		return Rule{}, false
	}
	return all[i], true
}

// counted tallies the deciding tests; passes says which outcomes of a class do.
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

// gradeOurs is judge and the guard over what was stored.
func gradeOurs(e evidence) Grade {
	g := oursOnce(e.run, e.blank)
	if e.guarded == nil {
		return g
	}
	if second := oursOnce(e.guarded, e.blank); second.Resolved != g.Resolved {
		g.Reason = fmt.Sprintf("%s as submitted, %s with the runner configuration of base", g.Status, second.Status)
		g.Resolved, g.Status = false, schema.StatusDisputed
	}
	return g
}

func oursOnce(run *verdict.Run, blank bool) Grade {
	counts := verdict.Counts(testrun.Status(run.Status))
	pass := map[string]bool{}
	for _, t := range run.Tests {
		pass[string(t.Class)+t.ID] = counts && t.Outcome == schema.Pass
	}
	f2p, p2p, _ := evidence{run: run}.counted(func(c schema.Class, id string) bool { return pass[string(c)+id] })
	g := Grade{F2P: f2p, P2P: p2p}
	g.Status, g.Reason = verdict.OfRun(testrun.Attempt{Status: testrun.Status(run.Status), Detail: run.Detail, ExitCode: run.ExitCode}, f2p, p2p)
	g.Resolved = g.Status == schema.StatusResolved
	if g.Status == schema.StatusUnresolved && blank {
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
		return together(twins[verdict.WithoutNumber(id)])
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
		return Grade{Status: NotScored, Reason: fmt.Sprintf("the run is invalid: evaluator_profile_exit_%d", code), F2P: f2p, P2P: p2p}
	}
	return g
}

// together is the outcome of several tests of one name.
func together(all []schema.TestOutcome) schema.TestOutcome {
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
	if e.blank {
		return Grade{Status: schema.StatusEmpty, Reason: "an empty patch is not run", F2P: schema.Tally{Total: f2p.Total}, P2P: schema.Tally{Total: p2p.Total}}
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
	if e.blank {
		return Grade{Status: schema.StatusEmpty, Reason: "an empty patch is not run", F2P: schema.Tally{Total: f2p.Total}, P2P: schema.Tally{Total: p2p.Total}}
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

// brokenTests passed on base and fail now.
func brokenTests(base, now map[string]schema.TestOutcome) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if base[id] == schema.Pass && (now[id] == schema.Fail || now[id] == schema.Error) {
			ids = append(ids, id)
		}
	}
	return ids
}
