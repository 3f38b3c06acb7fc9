package testreport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Toolchains that run one process a file lay three files beside its report: what it
// printed, what it was running, and its exit code, which a shell writes after its end.
const (
	runningExt = ".running"
	endExt     = ".end"
)

// beside is what lies beside a report.
type beside struct {
	unit         string // the report's name less its extension, where that names a file
	report       string
	log, running string
	code         int
	ended        bool // the exit code is known
}

// aside says whether a file lies beside a report, and whether that report must be
// read now, since there is none that would be.
func (b *builder) aside(name string) (report string, aside, absent bool) {
	for _, ext := range []string{endExt, LogExt, runningExt} {
		report, aside = strings.CutSuffix(name, ext)
		if !aside {
			continue
		}
		b.report.Counts.Files--
		_, written := b.files[report]
		_, end := b.files[report+endExt]
		return report, true, !written && (ext == endExt || ext == LogExt && !end)
	}
	return name, false, false
}

// beside reads what lies beside a report.
func (b *builder) beside(report, ext string) beside {
	text := func(ext string) string { return cleanText(string(b.files[report+ext])) }
	s := beside{report: report, log: text(LogExt), running: text(runningExt)}
	if unit, ok := strings.CutSuffix(report, ext); ok && strings.Contains(unit, ".") {
		s.unit = unit
	}
	code, err := strconv.Atoi(strings.TrimSpace(text(endExt)))
	s.code, s.ended = code, err == nil
	return s
}

// of names the unit of what is wrong with the run.
func (s beside) of() string {
	if s.unit != "" {
		return s.unit
	}
	return s.report
}

// judge compares the process's exit code with what its report says since a number
// of results and problems: a run of many files hides the one that lies.
func (b *builder) judge(s beside, results, problems int) {
	if !s.ended {
		return
	}
	bad := badIn(b.report.Results[results:])
	found := Report{Problems: b.report.Problems[problems:]}
	broken := found.broken() != ""
	switch {
	case s.code == 0 && found.count(Crashed)+found.count(Cut) > 0: // what is tested ended the process, and well

	case s.code == 0 && bad > 0:
		b.problem(s.of(), Contradiction, fmt.Sprintf("the runner ended with 0, the report has %d failed tests", bad))
	case s.code == 0 && broken:
		b.problem(s.of(), Contradiction, "the runner ended with 0, the report is "+string(b.report.Problems[problems].Kind))
	case s.code != 0 && bad == 0 && !broken:
		b.problem(s.of(), Contradiction, fmt.Sprintf("the runner ended with %d, the report has no failed test\n%s", s.code, tail(s.log)))
	}
}

func badIn(results []schema.TestResult) (n int) {
	for _, r := range results {
		if r.Outcome == schema.Fail || r.Outcome == schema.Error {
			n++
		}
	}
	return n
}

// consistentBeside: a program that is tested may end the runner with 0; the report
// says so, and the tests that were lost are missing.
func consistentBeside(r Report, exitCode, bad int) (bool, string) {
	if exitCode == 0 && r.count(Crashed)+r.count(Cut) > 0 {
		bad -= len(r.Crashed)
		r.Problems = slices.DeleteFunc(slices.Clone(r.Problems), func(p Problem) bool { return p.Kind == Crashed || p.Kind == Cut })
	}
	return consistentExit(r, exitCode, bad)
}

// died notes the test that ran when the runner came to its end without a report.
func (b *builder) died(s beside, name string) {
	id := b.id(s.unit, name)
	b.add(id, schema.Error, 0, s.log)
	b.report.Crashed, b.report.Running = append(b.report.Crashed, id), append(b.report.Running, id)
	b.problem(s.of(), Crashed, s.log)
}

// silent is a runner that left no report and began no test.
func (b *builder) silent(s beside) {
	if s.ended && s.code != 0 {
		b.problem(s.of(), CollectionError, s.log)
		return
	}
	b.problem(s.of(), Cut, "the runner wrote no report\n"+s.log)
}
