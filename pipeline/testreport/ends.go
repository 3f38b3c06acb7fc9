package testreport

import (
	"fmt"

	"github.com/wideswe/wideswe/schema"
)

// UnitKind is a kind of unit that comes to an end of its own.
type UnitKind string

// The kinds of units.
const (
	PackageUnit UnitKind = "package"
	FileUnit    UnitKind = "file"
	ClassUnit   UnitKind = "outermost class"
	ProgramUnit UnitKind = "program"
)

// Ends is what a report proves about the ends of units. A unit has ended where the report
// names every test that the unit has: each has an outcome, or is known and not_run. One
// that the runner could not compile, import or collect has ended too, with no test.
type Ends struct {
	// Run says that every process of the run came to its own end.
	Run bool
	// NoUnits says that the report knows nothing below the whole process, and not whether
	// that stopped before its end: what it does not name needs another run.
	NoUnits bool `json:",omitempty"`
	// Units maps the units that the report names to whether they ended.
	Units map[string]bool `json:",omitempty"`
	// Open is the first reason for which something has not ended.
	Open string `json:",omitempty"`
}

// Ended reports whether a test's unit ended in the run of a report, so that a test that
// the report does not name does not exist.
func (f Format) Ended(r Report, id string) bool {
	unit, _ := schema.SplitTestID(id)
	for _, place := range f.places(unit) {
		if ended, named := r.Ends.Units[place]; named {
			return ended
		}
	}
	return r.Ends.Run
}

func (f Format) places(unit string) []string {
	if f.Places == nil {
		return []string{unit}
	}
	return f.Places(unit)
}

// isOpen reports whether a problem leaves it unknown which tests there are.
func isOpen(k Kind) bool {
	switch k {
	case Crashed, Cut, BailedOut, PlanMismatch, Unreadable, Contradiction, Distrusted:
		return true
	}
	return false
}

// ends collects what the readers prove, file by file.
type ends struct {
	open   map[string]bool // units with an open problem, or that a reader left open
	ended  map[string]bool // named by results, or by a problem that is an end
	listed map[string]bool // a reader knows every test of the unit, whatever befell it
	bare   bool            // see Ends.NoUnits
	broken bool            // a process of the run did not come to its end
	reason string
}

func (e *ends) leaveOpen(unit, reason string) {
	e.open[unit], e.broken = true, true
	if e.reason == "" {
		e.reason = unit + ": " + reason
	}
}

// Open notes that nothing proves the end of a unit, and so neither that of the run.
func (b *Builder) Open(unit, reason string) { b.ends.leaveOpen(b.place(unit), reason) }

// Listed notes that the report names every test that a unit has.
func (b *Builder) Listed(unit string) { b.ends.listed[b.place(unit)] = true }

// NoUnits notes that a report proves no unit's end.
func (b *Builder) NoUnits() { b.ends.bare = true }

// place is the unit whose end decides about a unit.
func (b *Builder) place(unit string) string { return b.format.places(MaskUnit(CleanText(unit)))[0] }

// noteEnds takes what was read of one file, or added in one call of its reader.
func (b *Builder) noteEnds(name string, read Report) {
	first := ""
	for _, p := range read.Problems {
		if !isOpen(p.Kind) {
			b.ends.ended[b.place(p.Unit)] = true
			continue
		}
		first = p.Unit + ": " + string(p.Kind)
		b.ends.leaveOpen(b.place(p.Unit), string(p.Kind))
	}
	for _, t := range read.Results {
		unit, _ := schema.SplitTestID(t.ID)
		switch place := b.place(unit); {
		case first != "" && !b.format.Apart:
			b.ends.leaveOpen(place, fmt.Sprintf("%s was read with it (%s)", name, first))
		default:
			b.ends.ended[place] = true
		}
	}
}

// contain takes the outcomes from the units that the report contradicts itself about.
func (b *Builder) contain() {
	if !b.format.Contained {
		return
	}
	of := map[string]bool{}
	for _, t := range b.report.Results {
		unit, _ := schema.SplitTestID(t.ID)
		of[b.place(unit)] = true
	}
	distrusted := map[string]bool{}
	for i := range b.report.Problems {
		if p := &b.report.Problems[i]; p.Kind == Contradiction && of[b.place(p.Unit)] {
			p.Kind, distrusted[b.place(p.Unit)] = Distrusted, true
		}
	}
	for i := range b.report.Results {
		t := &b.report.Results[i]
		if unit, _ := schema.SplitTestID(t.ID); distrusted[b.place(unit)] {
			t.Outcome, t.Message = schema.NotRun, "the report contradicts itself about this test's unit"
		}
	}
}

// proven sums up what the readers proved.
func (b *Builder) proven() Ends {
	e := Ends{Run: !b.ends.broken, NoUnits: b.ends.bare, Units: map[string]bool{}, Open: b.ends.reason}
	for unit := range b.ends.ended {
		e.Units[unit] = true
	}
	for unit := range b.ends.open {
		e.Units[unit] = false
	}
	for unit := range b.ends.listed {
		e.Units[unit] = true
	}
	return e
}
