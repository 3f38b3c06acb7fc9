package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// Score gives a target's report by its run, and the record of the run. A missing test
// fails; a run whose exit, counts and report disagree gives no test a pass.
func Score(rep *testrun.Report, x release.Target) (schema.TargetReport, Run) {
	s := newScoring(rep, x)
	r := &s.report
	r.F2P, r.P2P = s.tally(schema.F2P, x.Tests.F2P), s.tally(schema.P2P, x.Tests.P2P)
	r.Status, r.Reason = RunState(rep.First(), r.F2P, r.P2P)
	s.checkExitCode()
	r.Resolved = r.Status == schema.StatusResolved
	if !s.counts || r.Status == schema.StatusInconsistent {
		r.F2P.Passed, r.P2P.Passed = 0, 0
	}
	return s.report, newRun(rep, x.Repository, s.tests)
}

// scoring is one run of one target as it is scored.
type scoring struct {
	run       *testrun.Report
	target    release.Target
	counts    bool                          // passes count
	messages  map[string]string             // by test
	known     map[string]bool               // tests that validation saw
	namesakes map[string]schema.TestOutcome // see findNamesakes
	report    schema.TargetReport
	tests     []Test
}

func newScoring(rep *testrun.Report, x release.Target) *scoring {
	s := &scoring{run: rep, target: x, counts: PassesCount(rep.First().Status), messages: map[string]string{},
		known: map[string]bool{}}
	for _, t := range rep.Results {
		s.messages[t.ID] = t.Message
	}
	for _, id := range slices.Concat(x.Tests.F2P, x.Tests.P2P, x.Tests.Unstable, x.Tests.Others) {
		s.known[id] = true
	}
	s.namesakes = s.findNamesakes()
	s.report.Seconds = seconds(rep)
	return s
}

// tally counts the tests of one class.
func (s *scoring) tally(class schema.Class, ids []string) schema.Tally {
	n := schema.Tally{Total: len(ids)}
	for _, id := range ids {
		t := s.test(class, id)
		s.tests = append(s.tests, t)
		if s.counts && t.Outcome == schema.Pass {
			n.Passed++
		} else if t.Outcome != schema.Pass && len(s.report.Failing) < schema.MaxFailing {
			s.report.Failing = append(s.report.Failing, schema.FailingTest(t))
		}
	}
	return n
}

func (s *scoring) test(class schema.Class, id string) Test {
	t := Test{id, class, s.run.Outcome(id), tail(s.messages[id])}
	if o, ok := s.namesakes[id]; ok && t.Outcome == schema.Pass {
		t.Outcome, t.Message = o, "another test of the same name did not pass"
	}
	return t
}

// checkExitCode looks at a run in which all that decides passes and whose exit code is
// explained by tests alone that validation never saw.
func (s *scoring) checkExitCode() {
	names := s.unknownFailures()
	if s.report.Status != schema.StatusResolved || len(names) == 0 {
		return
	}
	detail := fmt.Sprintf("the runner ended with %d, and of the tests that failed validation saw none: %s",
		s.run.First().ExitCode, strings.Join(names[:min(3, len(names))], ", "))
	if s.target.Tests.Others != nil {
		s.report.Status, s.report.Reason = schema.StatusInconsistent, detail
	}
	s.report.Deviations = append(s.report.Deviations,
		schema.Deviation{Kind: schema.DeviationUnknownTests, Repository: s.target.Repository, Detail: detail})
}

// unknownFailures names the tests that failed and that validation never saw, where
// nothing else explains that the runner did not end well. Whoever writes a report of
// passes has to account for its exit code, too: a failure under an invented name would.
func (s *scoring) unknownFailures() (names []string) {
	if s.run.First().ExitCode == 0 {
		return nil
	}
	for _, t := range s.run.Results {
		if t.Outcome != schema.Fail && t.Outcome != schema.Error {
			continue
		}
		if s.known[t.ID] {
			return nil
		}
		names = append(names, t.ID)
	}
	return names
}

var numbered = regexp.MustCompile(` #\d+$`)

// WithoutNumber is a test's id without the number that tells tests of one name apart.
func WithoutNumber(id string) string { return numbered.ReplaceAllString(id, "") }

// findNamesakes gives the outcomes of tests that bear a deciding test's name, that
// validation did not know and that did not pass. A patch can give tests of the hidden
// ones' names ahead of them, where a runner takes tests from any code that it loads, or
// by the other package of a Go folder; they run first and take the names. Which of the
// two is the hidden one the report does not say.
func (s *scoring) findNamesakes() map[string]schema.TestOutcome {
	out := map[string]schema.TestOutcome{}
	for _, t := range s.run.Results {
		name := WithoutNumber(t.ID)
		harmless := t.Outcome == schema.Pass || t.Outcome == schema.Skip && s.target.Recipe.Toolchain != "go"
		if name == t.ID || harmless || s.known[t.ID] {
			continue
		}
		out[name] = t.Outcome
	}
	return out
}

// tail bounds a test's message.
func tail(s string) string {
	if len(s) <= schema.MaxFailingMessage {
		return s
	}
	return strings.ToValidUTF8("…"+s[len(s)-schema.MaxFailingMessage+8:], "\uFFFD")
}
