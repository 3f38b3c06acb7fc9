// Package libtest reads what cargo test printed, or left program by program.
package libtest

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// Format is what cargo test printed, or the files of each test program.
func Format() testreport.Format {
	return testreport.Format{
		Name: "libtest", Version: "4",
		Unit: testreport.ProgramUnit, Proof: "its list of tests with the count below it, or its result line", Apart: true,
		Doc:     "what cargo test printed, or the list, log, output and exit code of each test program",
		Read:    read,
		Framing: framing,
	}
}

var framing = []testreport.Frame{
	testreport.NewFrame("; finished in ", `^(test result: .*); finished in `+testreport.Figure+`s$`, "$1"),
	testreport.NewFrame(" target(s) in ", `^( +Finished .* target\(s\)) in .*$`, "$1"),
	testreport.NewFrame("has been running for over", `^test .+ has been running for over \d+ seconds\n`, ""),
	testreport.NewFrame("thread '", `^(thread '.*') \(\d+\) (panicked at|has overflowed)`, "$1 $2"),
	testreport.NewFrame("s>", ` <`+testreport.Figure+`s>$`, ""),
}

// A report is what `cargo test` printed, in one of two shapes. Files that
// share a name and have one of these extensions are one test program's run: its
// unit and how it ran, what compiling it said where that failed, the tests it
// listed, libtest's own log, its error output, its exit code, its output. Any
// other file is the output of a cargo test of any number of programs, both
// streams in one, which name themselves in "Running" and "Doc-tests" lines.
const (
	unitExt  = ".unit"
	buildExt = ".build"
	listExt  = ".list"
	logExt   = ".log"
	errExt   = ".stderr"
	exitExt  = ".exit"
	textExt  = ".txt"
)

// rustCase is one test of a program.
type rustCase struct {
	name    string
	outcome schema.TestOutcome // "" while it has none
	message string
	again   bool // two outcomes that differ
}

// rustProgram is one test program's run.
type rustProgram struct {
	b     *testreport.Builder
	unit  string
	how   string // all, one (at a time), doc, own (not libtest)
	cases []*rustCase
	named map[string]*rustCase
	full  bool

	text     rustText
	exit     int
	exited   bool
	listed   bool
	whole    bool // the list came to its end
	stderr   string
	problems int
}

func read(b *testreport.Builder, name string, data []byte) {
	stem, ext := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	if _, ours := b.Files[stem+unitExt]; !ours {
		readCargo(b, name, data)
		return
	}
	if ext != unitExt {
		b.NotAReport()
		return
	}
	head := strings.TrimSpace(testreport.Truncate(string(data), testreport.MaxName))
	unit, how, _ := strings.Cut(head, "\n")
	p := &rustProgram{b: b, unit: unit, how: how, named: map[string]*rustCase{}}
	if log, failed := b.Files[stem+buildExt]; failed {
		if _, ran := b.Files[stem+textExt]; !ran {
			p.unbuilt(string(log), b.Files[stem+exitExt])
			return
		}
	}
	p.read(stem)
}

// read reads the files of a program that was built.
func (p *rustProgram) read(stem string) {
	files := p.b.Files
	p.stderr = string(files[stem+errExt])
	if code, err := strconv.Atoi(strings.TrimSpace(string(files[stem+exitExt]))); err == nil {
		p.exit, p.exited = code, true
	}
	for line := range bytes.Lines(files[stem+listExt]) {
		if test, ok := listedTest(string(line)); ok {
			p.test(test)
			p.listed = true
		}
		p.whole = p.whole || listedAll.Match(line)
	}
	if p.whole && p.how != "own" {
		p.b.Listed(p.unit)
	}
	p.text.read(files[stem+textExt])
	if log, ok := files[stem+logExt]; ok && p.how != "doc" && p.how != "own" {
		p.readLog(log)
		p.checkSummary()
	} else {
		p.fromText()
	}
	p.finish()
}

// unbuilt: the program did not come to be, or its compiler did not come to an end.
func (p *rustProgram) unbuilt(log string, exit []byte) {
	if exit == nil {
		p.problem(testreport.Cut, "the run ended while this was compiled\n"+log)
		return
	}
	p.problem(testreport.BuildFailed, log)
}

func (p *rustProgram) problem(kind testreport.Kind, message string) {
	p.problems++
	p.b.Problem(p.unit, kind, message)
}

// listedAll is the last line of --list.
var listedAll = regexp.MustCompile(`^\d+ tests?, \d+ benchmarks?\s*$`)

// listedTest reads a line of --list.
func listedTest(line string) (name string, ok bool) {
	line = strings.TrimRight(testreport.CleanText(line), "\r\n")
	for _, kind := range []string{": test", ": benchmark", ": bench"} {
		if name, ok := strings.CutSuffix(line, kind); ok && name != "" {
			return name, true
		}
	}
	return "", false
}

// test finds a test by its name, or takes it in.
func (p *rustProgram) test(name string) *rustCase {
	if c := p.named[name]; c != nil {
		return c
	}
	if len(p.cases) >= testreport.MaxResults {
		p.full = true
		return &rustCase{name: name}
	}
	c := &rustCase{name: name}
	p.cases, p.named[name] = append(p.cases, c), c
	return c
}

func (c *rustCase) end(outcome schema.TestOutcome, message string) {
	if c.outcome != "" {
		c.again = c.again || c.outcome != outcome
		return
	}
	c.outcome, c.message = outcome, message
}

// readLog reads libtest's log: "ok NAME", "failed NAME", "ignored NAME", of which
// the last two may hold a message, of any number of lines, before the name. Only
// names that were listed count.
func (p *rustProgram) readLog(log []byte) {
	var open schema.TestOutcome
	var message []string
	for raw := range bytes.Lines(log) {
		line := strings.TrimRight(testreport.CleanText(string(raw)), "\r\n")
		if open == "" {
			word, rest, _ := strings.Cut(line, " ")
			outcome, ok := libtestWords[strings.TrimSuffix(word, ":")]
			switch {
			case !ok:
				p.b.IgnoreLine()
				continue
			case p.named[rest] != nil && !strings.HasSuffix(word, ":"):
				p.named[rest].end(outcome, "")
				continue
			}
			open, line, message = outcome, rest, nil
		}
		if name := p.nameAtEnd(line); name != "" {
			message = append(message, strings.TrimSuffix(strings.TrimSuffix(line, name), " "))
			p.named[name].end(open, strings.Join(message, "\n"))
			open = ""
			continue
		}
		if message = append(message, line); len(message) > 200 {
			open = ""
		}
	}
}

var libtestWords = map[string]schema.TestOutcome{
	"ok": schema.Pass, "failed": schema.Fail, "ignored": schema.Skip, "bench": schema.Pass,
}

// nameAtEnd finds the listed name after a space that a line ends with.
func (p *rustProgram) nameAtEnd(line string) string {
	for at := 0; ; {
		i := strings.IndexByte(line[at:], ' ')
		if i < 0 {
			return ""
		}
		if at += i + 1; p.named[line[at:]] != nil {
			return line[at:]
		}
	}
}

// checkSummary compares the log with what the program printed at its end.
func (p *rustProgram) checkSummary() {
	if !p.text.ended {
		return
	}
	var got libCounts
	for _, c := range p.cases {
		got.add(c.outcome)
	}
	if want := p.text.last; got != want {
		p.problem(testreport.Contradiction, "libtest's log has "+got.String()+", its last line "+want.String())
	}
}

// fromText takes the outcomes that the output names; of a program with a runner of
// its own, which prints what it likes, the exit code.
func (p *rustProgram) fromText() {
	if p.how == "own" && len(p.text.sections) == 0 {
		if p.exited {
			c := p.test("main")
			if c.outcome = schema.Pass; p.exit != 0 {
				c.end(schema.Fail, "")
				c.outcome, c.message = schema.Fail, p.text.tail.String()+p.stderr
			}
			p.text.ended = true
		}
		return
	}
	for _, s := range p.text.sections {
		s.check(p)
		for _, t := range s.tests {
			c := p.test(t.name)
			if p.listed && c.outcome == "" && !slices.Contains(p.cases, c) {
				continue
			}
			c.end(t.outcome, t.message)
			c.again = c.again || t.again
		}
	}
}

// finish reports the tests and what is wrong with the run as a whole.
func (p *rustProgram) finish() {
	var open []*rustCase
	failed := false
	for _, c := range p.cases {
		if c.outcome == "" {
			open = append(open, c)
		}
		failed = failed || c.outcome == schema.Fail
	}
	over := p.exited && (p.text.ended || len(p.cases) == 0 && p.exit == 0) && len(open) == 0
	culprit := p.blame(open, over)
	p.report(culprit)
	message := strings.TrimSpace(p.text.tail.String() + "\n" + p.stderr)
	switch {
	case !p.exited:
		p.problem(testreport.Cut, "the run ended before this program did\n"+message)
	case p.exit == 0 && !over:
		p.problem(testreport.Contradiction, "the test program ended with 0 before libtest did")
	case p.exit == 0 && failed:
		p.problem(testreport.Contradiction, "the test program ended with 0, and a test failed")
	case p.exit != 0 && !over:
		p.problem(testreport.Crashed, message)
	case p.exit != 0 && !failed && p.problems == 0:
		p.problem(testreport.UnitFailed, message)
	case len(p.cases) == 0:
		p.problem(testreport.NoTests, "")
	}
}

// blame finds the test in which a program died: one at a time they run in the
// order in which they are listed; at once, only where a single one was left.
func (p *rustProgram) blame(open []*rustCase, over bool) (culprit *rustCase) {
	if over || len(open) == 0 || p.exited && p.exit == 0 {
		return nil
	}
	if p.how == "one" || len(open) == 1 {
		return open[0]
	}
	for _, c := range open {
		if p.text.slow[c.name] && !p.exited {
			return c
		}
	}
	return nil
}

func (p *rustProgram) report(culprit *rustCase) {
	for _, c := range p.inOrder() {
		id := p.b.ID(p.unit, docName(p.how, c.name))
		message := c.message
		if said := p.text.messages[c.name]; said != "" && c.outcome != schema.Pass {
			message = strings.TrimSpace(message + "\n" + said)
		}
		if c == culprit && !c.again {
			p.b.MarkRunning(id)
			if p.exited {
				p.b.MarkCrashed(id)
			}
		}
		outcome, message := p.settle(c, c == culprit, message)
		p.b.Add(id, outcome, 0, message)
	}
	if p.full {
		p.problem(testreport.Cut, "more tests than are read")
	}
}

// settle gives a test the outcome that the end of its program leaves it with.
func (p *rustProgram) settle(c *rustCase, culprit bool, message string) (schema.TestOutcome, string) {
	switch {
	case c.again:
		p.problem(testreport.Contradiction, c.name+" ended twice, differently")
		return schema.Error, message
	case culprit:
		return schema.Error, "the program ended while this test ran\n" + p.stderr
	case c.outcome == "" && p.exited && p.exit == 0:
		return schema.Error, "the test program left before its end"
	case c.outcome == "":
		return schema.NotRun, "interrupted: the program ended before this test did"
	}
	return c.outcome, message
}

var docLine = regexp.MustCompile(` \(line (\d+)\)(?: - (?:compile|compile fail|should panic))?$`)

// docName leaves the line out of a doc test's name, which moves with any change
// above it.
func docName(how, name string) string {
	if how != "doc" {
		return name
	}
	return docLine.ReplaceAllString(name, "")
}

// inOrder sorts doc tests by their lines, which give those of one item their
// numbers; others have a name of their own.
func (p *rustProgram) inOrder() []*rustCase {
	cases := slices.Clone(p.cases)
	if p.how != "doc" {
		return cases
	}
	line := func(c *rustCase) int {
		if m := docLine.FindStringSubmatch(c.name); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
		return 0
	}
	sort.SliceStable(cases, func(i, j int) bool {
		if a, b := docName("doc", cases[i].name), docName("doc", cases[j].name); a != b {
			return a < b
		}
		return line(cases[i]) < line(cases[j])
	})
	return cases
}
