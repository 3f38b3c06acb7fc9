// Package regrade judges stored evaluations by the rules of other benchmarks, written
// down from their own graders, and by ours: nothing runs again.
//
// It reads an evaluation's folder through results, and writes nothing.
package regrade

import (
	"slices"

	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// NotScored is the state, under another rule, of a run that its own harness does not score.
const NotScored = "not_scored"

// Rule judges a target by what its test run reported. The rules of other benchmarks
// are written down from their own graders, named in Source; what those get by running
// the tests in their own way (parsers of text, fuzzy application of patches) is not
// replayed: the outcomes are ours.
type Rule struct {
	Name   string `json:"rule"`
	Source string `json:"source"`
	// Counts says what the rule counts, a sentence each.
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
	guarded *verdict.Run // the second run; nil where there was none
	// changesNothing is the prediction's.
	changesNothing bool
	// base is what the tests reported where nothing was changed; nil where the evaluation
	// has no such run.
	base map[string]schema.TestOutcome
}

// Rules lists the rules, ours first.
func Rules() []Rule {
	return []Rule{
		{Name: "ours", Source: "wideswe evaluate", grade: gradeOurs, Counts: []string{
			"F2P and P2P must pass; missing, skipped and never reached (not_run) fail. What a crash hid counts by " +
				"its rerun.",
			"A run that met its time limit, whose build failed, or whose exit, counts and report disagree, gives no " +
				"test a pass.",
			"An empty patch runs, and is empty where it does not resolve.",
			"A patch that resolves as submitted and not in the second run is disputed, or unbuilt where that run's tree does " +
				"not build: not resolved.",
		}},
		{Name: "authors", Source: "WideSWE's released harness: ecosync_harness.py evaluate_hidden_test_oracle, " +
			"match_oracle_row; run_validity.py (7fbec7e)", grade: gradeAuthors, Counts: []string{
			"F2P and P2P must pass; missing and skipped fail. An id that is not reported counts by its numbered " +
				"twins: all of them must pass.",
			"A target needs at least one F2P; no P2P is all P2P.",
			"Exit codes 124 (time limit), 126, 127, 137 and 143 make the run invalid: it is not scored. A time " +
				"limit that was met after a complete report counts by the report, and so does one with a failure in it.",
			"Other exit codes, crashes and contradictions don't count; there is no second run. A patch that does " +
				"not apply, or hidden tests that don't go on, make the run invalid.",
			"An empty patch is scored like any other.",
		}},
		{Name: "swe-bench", Source: "SWE-bench: swebench/harness/grading.py get_eval_tests_report, " +
			"get_resolution_status (2ff017b)", grade: gradeSWEBench, Counts: []string{
			"F2P must pass; missing, skipped, failed and error fail.",
			"P2P must pass or be skipped; missing, failed and error fail.",
			"An empty list is complete. Exit codes, crashes and contradictions don't count; a run that met its time " +
				"limit gives no test a pass.",
			"An empty patch is not run: it is not resolved. Repositories that report failures alone " +
				"(FAIL_ONLY_REPOS) are not told apart.",
		}},
		{Name: "swe-bench-live", Source: "SWE-bench-Live: evaluation/evaluation.py run_instance (0327714)",
			grade: gradeLive, Counts: []string{
				"No F2P and no P2P may fail (failed or error); missing and skipped count as neither failed nor passed.",
				"At least one F2P must pass.",
				"Exit codes, crashes, contradictions and time limits don't count: what the log held is judged.",
				"An empty patch is not run: it is not resolved.",
			}},
		{Name: "multi-swe-bench",
			Source: "multi-swe-bench: harness/report.py Report.check, gen_report.py safe_generate_report (24f493f)",
			grade:  gradeMulti, Counts: []string{
				"F2P and P2P must pass; missing and skipped fail.",
				"No test at all, in a list or not, may fail that passed on base; known where the evaluation, or the " +
					"one given with --base, holds a run that changes nothing (predictions empty).",
				"Something must have been reported, and something fixed. Exit codes, crashes and contradictions " +
					"don't count.",
				"An empty patch is run like any other. Its tests that passed from skipped (s2p) are in no list of " +
					"ours, and the pattern \"passed before the hidden tests were there\" can't be seen.",
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
