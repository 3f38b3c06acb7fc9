package testreport

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// libCounts counts the tests of a section.
type libCounts struct{ passed, failed, ignored int }

func (s *libCounts) add(o schema.TestOutcome) {
	switch o {
	case schema.Pass:
		s.passed++
	case schema.Fail:
		s.failed++
	case schema.Skip:
		s.ignored++
	}
}

func (s libCounts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d ignored", s.passed, s.failed, s.ignored)
}

// rustSection is what a program printed between "running N tests" and its result.
type rustSection struct {
	announced int
	tests     []rustCase
	index     map[string]int
	said      libCounts
	ended     bool
	failures  bool // the part that shows what failed tests printed
}

// rustText is the output of one test program.
type rustText struct {
	sections []*rustSection
	last     libCounts // of the last result line
	ended    bool      // there is one
	messages map[string]string
	slow     map[string]bool // said to run for more than a minute
	tail     tailBuffer
	show     string // the test whose output follows
	buffer   tailBuffer
}

var (
	libRunning = regexp.MustCompile(`^running (\d{1,9}) tests?$`)
	libResult  = regexp.MustCompile(`^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; \d{1,9} filtered out(?:; finished in .*)?$`)
	libTest    = regexp.MustCompile(`^test (.+?)(?: - (?:should panic|compile fail|compile))? \.\.\. (.*)$`)
	libSlow    = regexp.MustCompile(`^test (.+) has been running for over \d+ seconds$`)
	libShow    = regexp.MustCompile(`^---- (.+) std(?:out|err) ----$`)
	libTime    = regexp.MustCompile(` <\d[\d.]*s>$`)
)

// read reads the output of one program.
func (t *rustText) read(data []byte, listed map[string]*rustCase) {
	for raw := range bytes.Lines(data) {
		t.line(strings.TrimRight(cleanText(string(raw)), "\r\n"))
	}
	t.flush()
}

func (t *rustText) line(line string) {
	t.tail.add(line + "\n")
	if m := libResult.FindStringSubmatch(line); m != nil {
		t.flush()
		t.last, t.ended = libCounts{counted(m[1]) + counted(m[4]), counted(m[2]), counted(m[3])}, true
		// The last one is libtest's: what a failed test printed comes before it.
		if n := len(t.sections); n > 0 {
			t.sections[n-1].said, t.sections[n-1].ended = t.last, true
		}
		return
	}
	if m := libRunning.FindStringSubmatch(line); m != nil && t.open() == nil && len(t.sections) < maxProblem {
		t.sections = append(t.sections, &rustSection{announced: counted(m[1]), index: map[string]int{}})
		return
	}
	if m := libShow.FindStringSubmatch(line); m != nil {
		t.flush()
		t.show = strings.TrimSuffix(m[1], " - should panic")
		return
	}
	if t.show != "" {
		if line == "failures:" {
			t.flush()
		} else {
			t.buffer.add(line + "\n")
		}
		return
	}
	if m := libSlow.FindStringSubmatch(line); m != nil {
		if t.slow == nil {
			t.slow = map[string]bool{}
		}
		if len(t.slow) < maxProblem {
			t.slow[m[1]] = true
		}
		return
	}
	if s := t.open(); s != nil {
		s.line(line)
	}
}

// flush ends the output of one failed test.
func (t *rustText) flush() {
	if t.show != "" && len(t.messages) < MaxResults {
		if t.messages == nil {
			t.messages = map[string]string{}
		}
		t.messages[t.show] = t.buffer.String()
	}
	t.show, t.buffer = "", tailBuffer{}
}

// open is the section that has not ended.
func (t *rustText) open() *rustSection {
	if n := len(t.sections); n > 0 && !t.sections[n-1].ended {
		return t.sections[n-1]
	}
	return nil
}

// line takes a result line. What follows "failures:" is what tests printed.
func (s *rustSection) line(line string) {
	if line == "failures:" {
		s.failures = true
	}
	m := libTest.FindStringSubmatch(line)
	if s.failures || m == nil || len(s.tests) >= MaxResults {
		return
	}
	word := libTime.ReplaceAllString(m[2], "")
	t := rustCase{name: m[1]}
	switch {
	case word == "ok" || strings.HasPrefix(word, "bench: "):
		t.outcome = schema.Pass
	case word == "FAILED" || strings.HasPrefix(word, "FAILED ("):
		t.outcome = schema.Fail
	case word == "ignored":
		t.outcome = schema.Skip
	case strings.HasPrefix(word, "ignored, "):
		t.outcome, t.message = schema.Skip, strings.TrimPrefix(word, "ignored, ")
	default: // one at a time: the result comes after what the test itself printed
		return
	}
	if i, old := s.index[t.name]; old {
		s.tests[i].again = s.tests[i].again || s.tests[i].outcome != t.outcome
	} else {
		s.index[t.name] = len(s.tests)
	}
	s.tests = append(s.tests, t)
}

// check compares what a section announces and sums up with what it lists. More
// than announced can only have been printed by a test.
func (s *rustSection) check(p *rustProgram) {
	var got libCounts
	for _, t := range s.tests {
		got.add(t.outcome)
	}
	switch {
	case len(s.tests) > s.announced:
		p.problem(Contradiction, fmt.Sprintf("%d tests are announced and %d listed", s.announced, len(s.tests)))
	case !s.ended:
	case got == s.said:
	case len(s.tests) < s.announced && s.said.passed+s.said.failed+s.said.ignored == s.announced:
		p.problem(PlanMismatch, fmt.Sprintf("%d tests are announced and %d listed", s.announced, len(s.tests)))
	default:
		p.problem(Contradiction, "the output lists "+got.String()+", its last line says "+s.said.String())
	}
}

var (
	cargoRunning = regexp.MustCompile(`^\s+Running (?:unittests )?(\S+) \((?:\S*/)?([\w-]+?)-[0-9a-f]{16}(?:\.exe)?\)$`)
	cargoOld     = regexp.MustCompile(`^\s+Running (?:\S*/)?deps/([\w-]+?)-[0-9a-f]{16}$`)
	cargoDoc     = regexp.MustCompile(`^\s+Doc-tests (\S+)$`)
	cargoBroken  = regexp.MustCompile("^error(?:\\[E\\d+\\])?: could not compile `([^`]+)`(.*)$")
	cargoDied    = regexp.MustCompile(`process didn't exit successfully: .*\((signal: .*|exit status: \d+)\)`)
)

// parseCargo reads the output of a cargo test of many programs, both streams in
// one. A program names itself before its tests run; while they do, nothing of the
// kind is believed.
func parseCargo(b *builder, name string, data []byte) {
	f := &cargoFile{b: b, name: name}
	for raw := range bytes.Lines(data) {
		line := strings.TrimRight(cleanText(string(raw)), "\r\n")
		if f.head(line) {
			continue
		}
		if f.now == nil {
			f.now = &rustProgram{b: b, unit: strings.TrimSuffix(name, path.Ext(name)), how: "all", named: map[string]*rustCase{}, exited: true}
		}
		f.now.text.line(line)
	}
	f.close("")
	if f.programs == 0 && !f.unbuilt {
		b.problem(name, Unreadable, "no test program's output is in it\n"+string(data[max(0, len(data)-MaxMessage):]))
	}
}

type cargoFile struct {
	b        *builder
	name     string
	now      *rustProgram
	programs int
	unbuilt  bool
}

// head reads cargo's own lines between programs.
func (f *cargoFile) head(line string) bool {
	if f.now != nil && f.now.text.open() != nil {
		if m := cargoDied.FindStringSubmatch(line); m != nil {
			f.close(m[1])
			return true
		}
		return false
	}
	unit, how := "", "all"
	if m := cargoRunning.FindStringSubmatch(line); m != nil {
		if unit = m[2]; !strings.HasPrefix(m[1], "src/") && !strings.Contains(m[1], "/src/") {
			unit = m[1]
		}
	} else if m := cargoOld.FindStringSubmatch(line); m != nil {
		unit = m[1]
	} else if m := cargoDoc.FindStringSubmatch(line); m != nil {
		unit, how = m[1]+":doc/lib", "doc"
	} else if m := cargoBroken.FindStringSubmatch(line); m != nil {
		f.close("")
		f.unbuilt = true
		f.b.problem(m[1], BuildFailed, line)
		return true
	} else {
		return false
	}
	f.close("")
	f.now = &rustProgram{b: f.b, unit: unit, how: how, named: map[string]*rustCase{}, exited: true}
	return true
}

// close reports on the program that was read.
func (f *cargoFile) close(died string) {
	p := f.now
	f.now = nil
	if p == nil || len(p.text.sections) == 0 {
		return
	}
	f.programs++
	p.text.flush()
	p.fromText()
	for _, s := range p.text.sections {
		if !s.ended && died == "" {
			p.exited = false
		}
	}
	for _, c := range p.cases {
		if c.outcome == schema.Fail {
			p.exit = 101
		}
	}
	if died != "" {
		p.exit, p.stderr, p.text.ended = 101, died, false
	}
	p.finish()
}

// counted reads a count, which a stranger may have written: bounded, so that sums are too.
func counted(digits string) int {
	n, _ := strconv.Atoi(digits)
	return min(n, 1e9)
}
