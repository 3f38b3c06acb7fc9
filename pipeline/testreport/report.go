package testreport

import (
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Version is the version of the rules that all formats share: ids, masks, bounds,
// consistency. It changes when the same files of any format would now give other
// outcomes. What one format alone changes is its own [Format.Version].
const Version = "5"

// Kind is what was wrong with a unit, apart from its tests.
type Kind string

// The kinds of problems.
const (
	BuildFailed     Kind = "build_failed"     // the unit did not compile or load; it has no tests
	Crashed         Kind = "crashed"          // the runner died while tests were running
	Cut             Kind = "cut"              // the report ends before its end
	CollectionError Kind = "collection_error" // the runner could not load a file of tests
	PlanMismatch    Kind = "plan_mismatch"    // the report announces other tests than it lists
	BailedOut       Kind = "bailed_out"       // the tests stopped the run themselves
	NoTests         Kind = "no_tests"         // the unit ran and has no test
	Unreadable      Kind = "unreadable"       // the file is not in the format
	// Contradiction: the report says two things about one test, or lists more tests than it announces.
	Contradiction Kind = "contradiction"
	// Distrusted: the report contradicts itself about one unit, none of whose tests count.
	Distrusted Kind = "distrusted"
	// UnitFailed: the runner says that the unit failed, and none of its tests did.
	UnitFailed Kind = "unit_failed"
)

// Problem is one thing wrong with a unit.
type Problem struct {
	Unit    string `json:"unit"`
	Kind    Kind   `json:"kind"`
	Message string `json:"message,omitempty"`
}

// Counts counts what the files held.
type Counts struct {
	Files   int `json:"files"`
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Error   int `json:"error"`
	Skip    int `json:"skip"`
	NotRun  int `json:"not_run"`
	Ignored int `json:"ignored"` // lines that are not the format's
}

func (c *Counts) add(o schema.TestOutcome) {
	switch o {
	case schema.Pass:
		c.Pass++
	case schema.Fail:
		c.Fail++
	case schema.Error:
		c.Error++
	case schema.Skip:
		c.Skip++
	case schema.NotRun:
		c.NotRun++
	}
}

// Report is what the files of one run say.
type Report struct {
	Format string // the name of the [Format]
	// Results are sorted by id; an id appears once.
	Results []schema.TestResult
	// Problems are sorted by unit and kind.
	Problems []Problem
	// Running lists the ids that had started and never ended, whatever outcome they got.
	Running []string
	// Crashed lists the ids that brought the runner down: those to leave out, or,
	// where there are several and only one can be meant, to run one by one.
	Crashed []string
	Counts  Counts
	Ends    Ends
}

// Count counts the problems of a kind.
func (r Report) Count(k Kind) int {
	n := 0
	for _, p := range r.Problems {
		if p.Kind == k {
			n++
		}
	}
	return n
}

// Failed counts the results that are a failure or an error.
func (r Report) Failed() int {
	n := 0
	for _, t := range r.Results {
		if IsBad(t.Outcome) {
			n++
		}
	}
	return n
}

// IsBad reports whether an outcome is a failure or an error.
func IsBad(o schema.TestOutcome) bool { return o == schema.Fail || o == schema.Error }

func (r Report) first(k Kind) string {
	for _, p := range r.Problems {
		if p.Kind == k {
			return p.Unit + ": " + p.Message
		}
	}
	return ""
}

// broken names the problems that a runner reports by its exit code.
func (r Report) broken() string {
	var named []string
	for _, p := range r.Problems {
		switch p.Kind {
		case BuildFailed, Crashed, Cut, CollectionError, BailedOut, PlanMismatch, Unreadable, UnitFailed:
			named = append(named, string(p.Kind)+" in "+p.Unit)
		}
		if len(named) == 3 {
			break
		}
	}
	return strings.Join(named, ", ")
}
