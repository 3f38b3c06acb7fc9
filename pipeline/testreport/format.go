package testreport

import (
	"fmt"
	"maps"
	"slices"
)

// Format is one report format: what runners of one kind write, and how it is read.
type Format struct {
	// Name is what recipes call the format.
	Name string
	// Version changes when the same files would now give other outcomes; the wording
	// of messages does not count. It is part of the keys of the tasks that use the
	// format, and of no others.
	Version string
	// Doc is one line: the files, and the runners that write them.
	Doc string
	// Read reads one file of a run; it is called for each.
	Read ReadFunc
	// Consistent compares a runner's exit code with its report; nil is [ConsistentExit].
	Consistent func(r Report, exitCode int) (ok bool, why string)
	// Unit is the kind of unit that ends by itself, and Proof says in a line what proves that
	// one ended. A test that gold passes and base did not report is missing only there.
	Unit  UnitKind
	Proof string
	// Places gives what decides whether a unit ended, the narrowest first: an outermost
	// class, the module that holds it. Nil is the unit itself.
	Places func(unit string) []string
	// Apart says that one process runs several units, each with an end of its own.
	Apart bool
	// Contained says that a contradiction about a unit with results costs that unit alone:
	// its tests are not_run. Elsewhere it costs the run.
	Contained bool
	// Framing is what the format's runners write into messages and no test said.
	Framing []Frame
}

// ReadFunc reads one file of a run into the report; whatever is wrong with the file
// becomes a problem.
type ReadFunc func(b *Builder, name string, data []byte)

// Parse reads the files of one run, name → bytes, in the order of their names.
// Whatever is wrong with the files is in the report's problems.
func (f Format) Parse(files map[string][]byte) Report {
	b := newBuilder(f, files)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		from, data := b.Position(), files[name]
		if len(data) > MaxFile {
			data = data[:MaxFile]
			b.Problem(name, Cut, fmt.Sprintf("longer than %d bytes", MaxFile))
		}
		b.report.Counts.Files++
		f.Read(b, name, data)
		b.noteEnds(name, b.Since(from))
	}
	return b.done()
}

// Judge reports whether the runner's exit code and its report tell the same story,
// and if not, where they differ. An inconsistent run is scored for nobody:
// something wrote the report or ended the runner that should not have.
func (f Format) Judge(r Report, exitCode int) (ok bool, why string) {
	if f.Consistent != nil {
		return f.Consistent(r, exitCode)
	}
	return ConsistentExit(r, exitCode)
}
