package testreport

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Version changes when the same files would now give other outcomes; how a message is
// worded does not count.
const Version = "4"

// Bounds on what strangers may make us read and keep.
const (
	MaxFile    = 256 << 20 // bytes of one report file; more is read as cut
	MaxResults = 200_000   // tests of one report
	MaxMessage = 2 << 10   // bytes of one message, its end
	maxName    = 4 << 10   // bytes of one name before it becomes an id
	maxProblem = 1_000     // problems of one report
)

// Kind says what was wrong with a unit, beside its tests.
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
	Contradiction   Kind = "contradiction"    // the report says two things of one test, or lists more than it announces
	UnitFailed      Kind = "unit_failed"      // the runner says that the unit failed, and no test of it did
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

// Report is what the files of one run say.
type Report struct {
	Format string
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
}

// Parse reads the files of one run, name → bytes, in the order of their names.
// An unknown format is an error; whatever is wrong with the files is in the
// report's problems.
func Parse(format string, files map[string][]byte) (Report, error) {
	f, ok := formats[format]
	if !ok {
		return Report{}, fmt.Errorf("no parser for the report format %q; there are %s", format, strings.Join(Formats(), ", "))
	}
	b := &builder{format: format, framing: f.framing, files: files, seen: map[string]int{}, used: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		if len(data) > MaxFile {
			data = data[:MaxFile]
			b.problem(name, Cut, fmt.Sprintf("longer than %d bytes", MaxFile))
		}
		b.report.Counts.Files++
		f.parse(b, name, data)
	}
	return b.done(), nil
}

// builder collects a report; ids are numbered in the order of appearance.
type builder struct {
	format  string
	framing []framing
	files   map[string][]byte
	seen    map[string]int
	used    map[string]bool
	full    bool
	report  Report
	// unit and kind are the program whose report is read and its framework, where a
	// format holds several reports in a file.
	unit, kind string
}

// id makes the id of the next appearance of a test. How often an id was seen is
// counted on the finished id, since cleaning may fold two names into one.
func (b *builder) id(unit, name string) string {
	unit, name = maskUnit(unit), maskName(name)
	first := schema.TestID(unit, name, 1)
	for {
		b.seen[first]++
		id := schema.TestID(unit, name, b.seen[first])
		if !b.used[id] { // a test may be named "x #2" itself
			b.used[id] = true
			return id
		}
	}
}

func (b *builder) add(id string, outcome schema.TestOutcome, seconds float64, message string) {
	if len(b.report.Results) >= MaxResults {
		if !b.full {
			b.problem("", Cut, fmt.Sprintf("more than %d tests", MaxResults))
		}
		b.full = true
		return
	}
	if outcome == schema.Pass {
		message = ""
	}
	if !(seconds >= 0 && seconds < 1e9) { // NaN too
		seconds = 0
	}
	b.report.Results = append(b.report.Results, schema.TestResult{ID: id, Outcome: outcome, Message: b.said(message), Seconds: seconds})
}

// said is a message without the runner's framing, and its end where it is long.
func (b *builder) said(message string) string {
	if len(message) > 4*MaxMessage {
		message = message[len(message)-4*MaxMessage:]
	}
	return tail(said(b.framing, cleanText(message)))
}

func (b *builder) problem(unit string, kind Kind, message string) {
	if len(b.report.Problems) < maxProblem {
		b.report.Problems = append(b.report.Problems, Problem{Unit: maskUnit(cleanText(unit)), Kind: kind, Message: b.said(message)})
	}
}

func (b *builder) done() Report {
	r := &b.report
	r.Format = b.format
	sort.SliceStable(r.Results, func(i, j int) bool { return r.Results[i].ID < r.Results[j].ID })
	sort.SliceStable(r.Problems, func(i, j int) bool {
		if r.Problems[i].Unit != r.Problems[j].Unit {
			return r.Problems[i].Unit < r.Problems[j].Unit
		}
		return r.Problems[i].Kind < r.Problems[j].Kind
	})
	sort.Strings(r.Running)
	sort.Strings(r.Crashed)
	for _, t := range r.Results {
		switch t.Outcome {
		case schema.Pass:
			r.Counts.Pass++
		case schema.Fail:
			r.Counts.Fail++
		case schema.Error:
			r.Counts.Error++
		case schema.Skip:
			r.Counts.Skip++
		case schema.NotRun:
			r.Counts.NotRun++
		}
	}
	return *r
}
