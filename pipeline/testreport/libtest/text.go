package libtest

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
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
	tail     testreport.Tail
	show     string // the test whose output follows
	buffer   testreport.Tail
}

var (
	libRunning = regexp.MustCompile(`^running (\d{1,9}) tests?$`)
	libResult  = regexp.MustCompile(`^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; ` +
		`(\d{1,9}) ignored; (\d{1,9}) measured; \d{1,9} filtered out(?:; finished in .*)?$`)
	libTest = regexp.MustCompile(`^test (.+?)(?: - (?:should panic|compile fail|compile))? \.\.\. (.*)$`)
	libSlow = regexp.MustCompile(`^test (.+) has been running for over \d+ seconds$`)
	libShow = regexp.MustCompile(`^---- (.+) std(?:out|err) ----$`)
	libTime = regexp.MustCompile(` <\d[\d.]*s>$`)
)

// read reads the output of one program.
func (t *rustText) read(data []byte) {
	for raw := range bytes.Lines(data) {
		t.line(strings.TrimRight(testreport.CleanText(string(raw)), "\r\n"))
	}
	t.flush()
}

func (t *rustText) line(line string) {
	t.tail.Add(line + "\n")
	if m := libResult.FindStringSubmatch(line); m != nil {
		t.flush()
		t.last, t.ended = libCounts{counted(m[1]) + counted(m[4]), counted(m[2]), counted(m[3])}, true
		// The last one is libtest's: what a failed test printed comes before it.
		if n := len(t.sections); n > 0 {
			t.sections[n-1].said, t.sections[n-1].ended = t.last, true
		}
		return
	}
	if m := libRunning.FindStringSubmatch(line); m != nil && t.open() == nil && len(t.sections) < testreport.MaxProblems {
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
			t.buffer.Add(line + "\n")
		}
		return
	}
	if m := libSlow.FindStringSubmatch(line); m != nil {
		if t.slow == nil {
			t.slow = map[string]bool{}
		}
		if len(t.slow) < testreport.MaxProblems {
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
	if t.show != "" && len(t.messages) < testreport.MaxResults {
		if t.messages == nil {
			t.messages = map[string]string{}
		}
		t.messages[t.show] = t.buffer.String()
	}
	t.show, t.buffer = "", testreport.Tail{}
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
	if s.failures || m == nil || len(s.tests) >= testreport.MaxResults {
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
		p.problem(testreport.Contradiction, fmt.Sprintf("%d tests are announced and %d listed", s.announced, len(s.tests)))
	case !s.ended:
	case got == s.said:
	case len(s.tests) < s.announced && s.said.passed+s.said.failed+s.said.ignored == s.announced:
		p.problem(testreport.PlanMismatch, fmt.Sprintf("%d tests are announced and %d listed", s.announced, len(s.tests)))
	default:
		p.problem(testreport.Contradiction, "the output lists "+got.String()+", its last line says "+s.said.String())
	}
}

// counted reads a count, which a stranger may have written: bounded, so that sums are too.
func counted(digits string) int {
	n, _ := strconv.Atoi(digits)
	return min(n, 1e9)
}
