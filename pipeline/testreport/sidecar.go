package testreport

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// The extensions of the files that lie beside a report. Toolchains that run one
// process per file write all three: what it printed, the test it was running, and
// its exit code, which a shell writes after its end. Others write the log alone.
const (
	LogExt     = ".log"
	RunningExt = ".running"
	EndExt     = ".end"
	// DoneExt is the extension of the file that node's own runner leaves by a script of
	// ours: the process came to its own end.
	DoneExt = ".done"
)

// Sidecar is a report of a process of its own, with what lies beside it.
type Sidecar struct {
	Report string // the report's file
	Unit   string // the report's name without its extension, where that names a file
	// Data is the report; empty where the process wrote none.
	Data         []byte
	Log, Running string
	Code         int
	Ended        bool // the exit code is known

	from Position
}

// Sidecar gives the report to read for a file, which is the report itself or lies
// beside one that is missing. ok is false for a file that is read with its report.
func (b *Builder) Sidecar(name string, data []byte, ext string) (s Sidecar, ok bool) {
	s = Sidecar{Report: name, Data: data, from: b.Position()}
	for _, beside := range []string{EndExt, LogExt, RunningExt} {
		report, found := strings.CutSuffix(name, beside)
		if !found {
			continue
		}
		b.NotAReport()
		if !b.readsWithout(report, beside) {
			return s, false
		}
		s.Report, s.Data = report, nil
		break
	}
	b.readBeside(&s, ext)
	return s, true
}

// readsWithout reports whether a report is missing and the file with this extension
// stands for it: of several files beside it, one does.
func (b *Builder) readsWithout(report, ext string) bool {
	_, written := b.Files[report]
	_, end := b.Files[report+EndExt]
	return !written && (ext == EndExt || ext == LogExt && !end)
}

func (b *Builder) readBeside(s *Sidecar, ext string) {
	text := func(ext string) string { return CleanText(string(b.Files[s.Report+ext])) }
	s.Log, s.Running = text(LogExt), text(RunningExt)
	if unit, ok := strings.CutSuffix(s.Report, ext); ok && strings.Contains(unit, ".") {
		s.Unit = unit
	}
	code, err := strconv.Atoi(strings.TrimSpace(text(EndExt)))
	s.Code, s.Ended = code, err == nil
}

// Empty reports whether the process wrote no report.
func (s Sidecar) Empty() bool { return len(bytes.TrimSpace(s.Data)) == 0 }

// Name names what is wrong with the run as a whole.
func (s Sidecar) Name() string {
	if s.Unit != "" {
		return s.Unit
	}
	return s.Report
}

// Read gives what was read of the report so far.
func (b *Builder) Read(s Sidecar) Report { return b.Since(s.from) }

// CheckExit compares the process's exit code with what was read of its report: in a
// run of many files, the exit code of the whole hides the one that lies.
func (b *Builder) CheckExit(s Sidecar) {
	if !s.Ended {
		return
	}
	read := b.Read(s)
	bad, broken := read.Failed(), read.broken() != ""
	switch {
	case s.Code == 0 && read.Count(Crashed)+read.Count(Cut) > 0: // the program under test ended the process with 0
	case s.Code == 0 && bad > 0:
		b.Problem(s.Name(), Contradiction, fmt.Sprintf("the runner ended with 0, the report has %d failed tests", bad))
	case s.Code == 0 && broken:
		b.Problem(s.Name(), Contradiction, "the runner ended with 0, the report is "+string(read.Problems[0].Kind))
	case s.Code != 0 && bad == 0 && !broken:
		b.Problem(s.Name(), Contradiction, noFailedTest(s.Code)+"\n"+LastPart(s.Log))
	}
}

// Died adds the test that ran when the process ended without a report.
func (b *Builder) Died(s Sidecar, name string) {
	id := b.ID(s.Unit, name)
	b.Add(id, schema.Error, 0, s.Log)
	b.MarkDied(id)
	b.Problem(s.Name(), Crashed, s.Log)
}

// IsSignal reports whether an exit code is that of a process which a signal ended, as a
// shell tells it.
func IsSignal(code int) bool { return code < 0 || code > 128 && code <= 128+64 }

// NoReport adds the problem of a process that left no report and began no test.
func (b *Builder) NoReport(s Sidecar) {
	if s.Ended && s.Code != 0 && !IsSignal(s.Code) {
		b.Problem(s.Name(), CollectionError, s.Log)
		return
	}
	b.Problem(s.Name(), Cut, "the runner wrote no report\n"+s.Log)
}
