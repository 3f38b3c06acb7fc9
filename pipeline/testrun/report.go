package testrun

import (
	"cmp"
	"slices"
	"time"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Status is how a run went as a whole.
type Status string

// The statuses. Anything but OK and Crashed gives no test a pass that stands.
const (
	OK           Status = "ok"
	BuildFailed  Status = "build_failed" // wiring or build ended badly; no test began
	Timeout      Status = "timeout"
	Crashed      Status = "crashed" // a test brought the runner down
	NoReport     Status = "no_report"
	Inconsistent Status = "inconsistent" // exit code and report tell different stories
)

// Attempt is one run of the script.
type Attempt struct {
	Status     Status
	Detail     string // the reason of a status other than OK, one line
	ExitCode   int
	TimedOut   bool
	Hung       bool // it met a time limit, the sandbox's or the runner's own
	OOM        bool
	LimitsMet  []string // see [sandbox.Result.LimitsMet]
	NetworkOff bool
	Started    time.Time
	Duration   time.Duration
	Phase      string // wire, build, test: how far the script came
	Seen       string `json:",omitempty"` // what a [Stress] looked at before the tests
	Skip, Only []string
	Whole      bool     `json:",omitempty"` // the command can't choose tests: all ran again
	Changed    []string `json:",omitempty"` // watched files that are not as they were laid
	Unread     []string `json:",omitempty"` // watched files that no list of sources has, where there are lists
	Names      *Names   `json:",omitempty"`
	Parsed     testreport.Report
	// Taken are the outcomes that count from this run: a rerun's only where no
	// earlier run had one.
	Taken     []schema.TestResult `json:"-"`
	Reports   map[string][]byte   `json:"-"` // raw
	Output    []byte              `json:"-"`
	Truncated int64
}

// Report is what a run and its reruns say.
type Report struct {
	// Attempts holds the first run, then the reruns.
	Attempts []Attempt
	// Results has one entry an id, sorted: the first outcome, reruns fill in only
	// what was not_run. An expected id that no report names is absent: missing.
	Results   []schema.TestResult
	Selection kit.Selection
	Notes     []string
}

// First is the run that decides the status.
func (r *Report) First() Attempt { return r.Attempts[0] }

// Vanished says that a test brought the first run down and that this did not come
// again: whatever ran when it fell passed when it was run by itself. Chance, or what
// ran beside it, did that, and what it hid of the whole (the parents of those tests
// did not pass) says nothing about the code.
func (r *Report) Vanished() bool {
	first := r.First()
	fell := first.Parsed.Crashed
	if len(fell) == 0 {
		fell = first.Parsed.Running
	}
	if first.Status != Crashed || first.Hung || first.OOM || len(fell) == 0 {
		return false
	}
	for _, a := range r.Attempts[1:] {
		if a.Status != OK {
			return false
		}
	}
	for _, id := range fell {
		if r.Outcome(id) != schema.Pass {
			return false
		}
	}
	return true
}

// Outcome gives a test's outcome.
func (r *Report) Outcome(id string) schema.TestOutcome {
	i, ok := slices.BinarySearchFunc(r.Results, id, func(t schema.TestResult, id string) int {
		return cmp.Compare(t.ID,
			id)
	})
	if !ok {
		return schema.Missing
	}
	return r.Results[i].Outcome
}
