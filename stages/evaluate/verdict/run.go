package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// The variants of a run. A run that met its time limit beside other runs, or crashed
// there and did not by itself, keeps its row under the name with TimedOut or Crashed
// added; the run that counts is the one made alone.
const (
	Submitted  = "submitted"
	BaseConfig = "base_config" // with what the guard puts back as on base
	TimedOut   = "_timeout"
	Crashed    = "_crash"
	Denied     = "_denied"  // added where gold's run, too, has to write its hidden files
	NotBuilt   = "_unbuilt" // added where test files were left out of a further run, since they did not build
	// Where the hidden tests could be built only with the prediction's own tests aside,
	// that run is the submitted one, and the first keeps its rows as OwnTests; OwnAside
	// is such a run that came no further.
	OwnTests = "own_tests"
	OwnAside = "own_aside"
)

// Run is one run of a target.
type Run struct {
	Target   string  `json:"target"`
	Variant  string  `json:"variant"`
	Status   string  `json:"status"`
	Detail   string  `json:"detail"`
	ExitCode int     `json:"exit_code"`
	TimedOut bool    `json:"timed_out"`
	OOM      bool    `json:"oom"`
	Runs     int     `json:"runs"`
	Seconds  float64 `json:"seconds"`
	Image    string  `json:"image"`
	Log      string  `json:"log"`
	// Unbuilt says that something that the tests need could not be built or loaded.
	Unbuilt bool   `json:"unbuilt"`
	Tests   []Test `json:"tests"`
	// Outcomes are all that the runs reported, see [Outcomes].
	Outcomes []Outcome `json:"outcomes"`
}

// Test is one test that decides, with its outcome.
type Test struct {
	ID      string             `json:"id"`
	Class   schema.Class       `json:"class"`
	Outcome schema.TestOutcome `json:"outcome"`
	Message string             `json:"message"`
}

// Outcome is what a run reported of one test, whether it decides or not.
type Outcome struct {
	ID      string             `json:"id"`
	Run     int                `json:"run"` // 1, or of the reruns that fill in what a crash hid
	Outcome schema.TestOutcome `json:"outcome"`
	Seconds float64            `json:"seconds,omitempty"`
	Message string             `json:"message,omitempty"`
}

// newRun is the record of a run, whose variant, image and log the caller knows.
func newRun(rep *testrun.Report, target string, tests []Test) Run {
	a := rep.First()
	return Run{Target: target, Status: string(a.Status), Detail: a.Detail, ExitCode: a.ExitCode, TimedOut: a.TimedOut,
		OOM: a.OOM, Runs: len(rep.Attempts), Seconds: seconds(rep), Unbuilt: Unbuilt(rep), Tests: tests,
		Outcomes: Outcomes(rep)}
}

// seconds are what a run and its reruns took.
func seconds(rep *testrun.Report) (sum float64) {
	for _, a := range rep.Attempts {
		sum += a.Duration.Seconds()
	}
	return sum
}

// Outcomes gives everything that a run and its reruns reported, as it was reported,
// so that another rule can judge it without running anything.
func Outcomes(rep *testrun.Report) []Outcome {
	var out []Outcome
	known := map[string]bool{}
	for i, a := range rep.Attempts {
		for _, t := range a.Taken {
			out, known[t.ID] = append(out, Outcome{t.ID, i + 1, t.Outcome, t.Seconds, t.Message}), true
		}
	}
	for _, t := range rep.Results { // a report that is not of a run has no attempts' own
		if !known[t.ID] && t.Outcome != schema.Missing {
			out = append(out, Outcome{t.ID, 1, t.Outcome, t.Seconds, t.Message})
		}
	}
	return out
}

// PassesCount tells whether a run of this status gives tests their passes.
func PassesCount(s testrun.Status) bool { return s == testrun.OK || s == testrun.Crashed }

// Unbuilt tells whether hidden tests did not run since something could not be built.
func Unbuilt(rep *testrun.Report) bool {
	a := rep.First()
	return a.Status == testrun.BuildFailed || slices.ContainsFunc(a.Parsed.Problems, func(p testreport.Problem) bool {
		return p.Kind == testreport.BuildFailed || p.Kind == testreport.CollectionError
	})
}

// IsUnbuilt tells whether a run says nothing of its tests since something could not be
// built: no test that decides failed, and some did not run.
func (r *Run) IsUnbuilt() bool {
	if !r.Unbuilt {
		return false
	}
	return !slices.ContainsFunc(r.Tests, func(t Test) bool {
		return t.Outcome != schema.Pass && t.Outcome != schema.Missing && t.Outcome != schema.NotRun
	})
}

// BuildErrors is the text of the first run in which files that do not build are named: the
// problems that its report has, or what it printed.
func BuildErrors(rep *testrun.Report) string {
	a := rep.First()
	var b strings.Builder
	for _, p := range a.Parsed.Problems {
		if p.Kind == testreport.BuildFailed || p.Kind == testreport.CollectionError {
			b.WriteString(p.Unit + "\n" + p.Message + "\n")
		}
	}
	if b.Len() == 0 {
		b.Write(a.Output)
	}
	return b.String()
}

// LogText is what the runs printed, each under a line that says how it ended.
func LogText(rep *testrun.Report) []byte {
	var b strings.Builder
	for i, a := range rep.Attempts {
		fmt.Fprintf(&b, "== run %d: %s, exit %d, %.1f s %s\n", i+1, a.Status, a.ExitCode, a.Duration.Seconds(),
			a.Detail)
		if len(a.Only) > 0 || len(a.Skip) > 0 {
			fmt.Fprintf(&b, "== only %q, without %q\n", a.Only, a.Skip)
		}
		b.Write(a.Output)
		if a.Truncated > 0 {
			fmt.Fprintf(&b, "\n== %d bytes of output were left out\n", a.Truncated)
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// FirstOutcomes gives what the run itself reported, by test, without the reruns.
func (r *Run) FirstOutcomes() map[string]schema.TestOutcome {
	out := map[string]schema.TestOutcome{}
	for _, t := range r.Outcomes {
		if t.Run == 1 {
			out[t.ID] = t.Outcome
		}
	}
	return out
}
