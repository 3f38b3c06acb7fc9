package testreport

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/schema"
)

// Bounds on what strangers may make us read and keep.
const (
	MaxFile     = 256 << 20 // bytes of one report file; more is read as cut
	MaxResults  = 200_000   // tests of one report
	MaxMessage  = 2 << 10   // bytes of one message, its end
	MaxName     = 4 << 10   // bytes of one name before it becomes an id
	MaxProblems = 1_000     // problems of one report
)

// Builder collects the report of one run. Ids are numbered in the order of appearance.
type Builder struct {
	// Files are all files of the run, name → bytes; readers change none.
	Files map[string][]byte

	format Format
	seen   map[string]int
	used   map[string]bool
	full   bool
	ends   ends
	report Report
}

func newBuilder(f Format, files map[string][]byte) *Builder {
	return &Builder{Files: files, format: f, seen: map[string]int{}, used: map[string]bool{},
		ends: ends{open: map[string]bool{}, ended: map[string]bool{}, listed: map[string]bool{}}}
}

// ID makes the id of a test's next appearance. Appearances are counted on the
// finished id, since cleaning may fold two names into one.
func (b *Builder) ID(unit, name string) string {
	unit, name = MaskUnit(unit), maskName(name)
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

// FirstID is the id of a test's first appearance.
func (b *Builder) FirstID(unit, name string) string {
	return schema.TestID(MaskUnit(unit), maskName(name), 1)
}

// Add adds the result of a test; the message of a pass is dropped.
func (b *Builder) Add(id string, outcome schema.TestOutcome, seconds float64, message string) {
	if len(b.report.Results) >= MaxResults {
		if !b.full {
			b.Problem("", Cut, fmt.Sprintf("more than %d tests", MaxResults))
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
	b.report.Results = append(b.report.Results,
		schema.TestResult{ID: id, Outcome: outcome, Message: b.Message(message), Seconds: seconds})
}

// Full reports whether results were dropped because there are too many.
func (b *Builder) Full() bool { return b.full }

// Problem adds something wrong with a unit.
func (b *Builder) Problem(unit string, kind Kind, message string) {
	if len(b.report.Problems) < MaxProblems {
		p := Problem{Unit: MaskUnit(CleanText(unit)), Kind: kind, Message: b.Message(message)}
		b.report.Problems = append(b.report.Problems, p)
	}
}

// Message gives a message without the runner's framing, and its end where it is long.
func (b *Builder) Message(message string) string {
	if len(message) > 4*MaxMessage {
		message = message[len(message)-4*MaxMessage:]
	}
	return LastPart(withoutFraming(b.format.Framing, CleanText(message)))
}

// MarkRunning notes ids that had started and never ended.
func (b *Builder) MarkRunning(ids ...string) { b.report.Running = append(b.report.Running, ids...) }

// MarkCrashed notes ids that brought the runner down.
func (b *Builder) MarkCrashed(ids ...string) { b.report.Crashed = append(b.report.Crashed, ids...) }

// MarkDied notes an id that was running when it brought the runner down.
func (b *Builder) MarkDied(id string) {
	b.MarkCrashed(id)
	b.MarkRunning(id)
}

// NotAReport takes the file that is being read out of the count: it lies beside a report.
func (b *Builder) NotAReport() { b.report.Counts.Files-- }

// IgnoreLine counts a line that is not the format's.
func (b *Builder) IgnoreLine() { b.report.Counts.Ignored++ }

// Position is a point in a report that is being built.
type Position struct{ results, problems int }

// Position gives the current end of the report.
func (b *Builder) Position() Position { return Position{len(b.report.Results), len(b.report.Problems)} }

// Since gives the results and problems added since a position. A change to one of
// them changes the report.
func (b *Builder) Since(at Position) Report {
	return Report{Results: b.report.Results[at.results:], Problems: b.report.Problems[at.problems:]}
}

// ReplaceResults puts others in place of the results added since a position.
func (b *Builder) ReplaceResults(at Position, results []schema.TestResult) {
	b.report.Results = append(b.report.Results[:at.results:at.results], results...)
}

func (b *Builder) done() Report {
	r := &b.report
	b.contain()
	r.Format, r.Ends = b.format.Name, b.proven()
	slices.SortStableFunc(r.Results, func(x, y schema.TestResult) int { return cmp.Compare(x.ID, y.ID) })
	slices.SortStableFunc(r.Problems, func(x, y Problem) int {
		return cmp.Or(cmp.Compare(x.Unit, y.Unit), cmp.Compare(x.Kind, y.Kind))
	})
	slices.Sort(r.Running)
	slices.Sort(r.Crashed)
	for _, t := range r.Results {
		r.Counts.add(t.Outcome)
	}
	return *r
}
