package evaluate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// judge reads a target's verdict off its run. A missing test fails; a run whose
// exit, counts and report disagree gives no test a pass.
func judge(rep *testrun.Report, x release.Target) (schema.TargetReport, []scored) {
	first := rep.First()
	stands := first.Status == testrun.OK || first.Status == testrun.Crashed
	r := schema.TargetReport{}
	messages := map[string]string{}
	for _, t := range rep.Results {
		messages[t.ID] = t.Message
	}
	twice := namesakes(rep, x)
	for _, a := range rep.Attempts {
		r.Seconds += a.Duration.Seconds()
	}
	var tests []scored
	tally := func(class schema.Class, ids []string) schema.Tally {
		n := schema.Tally{Total: len(ids)}
		for _, id := range ids {
			s := scored{id, class, rep.Outcome(id), tail(messages[id])}
			if o, ok := twice[id]; ok && s.Outcome == schema.Pass {
				s.Outcome, s.Message = o, "another test of the same name did not pass"
			}
			tests = append(tests, s)
			if stands && s.Outcome == schema.Pass {
				n.Passed++
			} else if s.Outcome != schema.Pass && len(r.Failing) < schema.MaxFailing {
				r.Failing = append(r.Failing, schema.FailingTest{ID: id, Class: class, Outcome: s.Outcome, Message: s.Message})
			}
		}
		return n
	}
	r.F2P, r.P2P = tally(schema.F2P, x.Tests.F2P), tally(schema.P2P, x.Tests.P2P)
	r.Status, r.Reason = status(first, r.F2P, r.P2P)
	if strangers := unknown(rep, x); r.Status == schema.StatusResolved && len(strangers) > 0 {
		detail := fmt.Sprintf("the runner ended with %d, and of the tests that failed validation saw none: %s", first.ExitCode, strings.Join(strangers[:min(3, len(strangers))], ", "))
		if x.Tests.Others != nil {
			r.Status, r.Reason = schema.StatusInconsistent, detail
		}
		r.Deviations = append(r.Deviations, schema.Deviation{Kind: schema.DeviationUnknownTests, Repository: x.Repository, Detail: detail})
	}
	r.Resolved = r.Status == schema.StatusResolved
	if !stands || r.Status == schema.StatusInconsistent {
		r.F2P.Passed, r.P2P.Passed = 0, 0
	}
	return r, tests
}

// unknown names the tests that failed and that validation never saw, where nothing
// else explains that the runner did not end well. Whoever writes a report of passes
// has to account for its exit code, too: a failure of a name of one's own would.
func unknown(rep *testrun.Report, x release.Target) (names []string) {
	if rep.First().ExitCode == 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, list := range [][]string{x.Tests.F2P, x.Tests.P2P, x.Tests.Unstable, x.Tests.Others} {
		for _, id := range list {
			seen[id] = true
		}
	}
	for _, t := range rep.Results {
		if t.Outcome != schema.Fail && t.Outcome != schema.Error {
			continue
		}
		if seen[t.ID] {
			return nil
		}
		names = append(names, t.ID)
	}
	return names
}

var numbered = regexp.MustCompile(` #\d+$`)

// namesakes gives the outcomes of tests that bear a deciding test's name, that
// validation did not know and that did not pass. A patch can give tests of the hidden
// ones' names ahead of them, where a runner takes tests from any code that it loads, or
// by the other package of a Go folder; they run first and take the names. Which of the
// two is the hidden one the report does not say.
func namesakes(rep *testrun.Report, x release.Target) map[string]schema.TestOutcome {
	out := map[string]schema.TestOutcome{}
	for _, t := range rep.Results {
		first := numbered.ReplaceAllString(t.ID, "")
		if first == t.ID || t.Outcome == schema.Pass || t.Outcome == schema.Skip && x.Recipe.Toolchain != "go" ||
			slices.Contains(x.Tests.F2P, t.ID) || slices.Contains(x.Tests.P2P, t.ID) || slices.Contains(x.Tests.Unstable, t.ID) || slices.Contains(x.Tests.Others, t.ID) {
			continue
		}
		out[first] = t.Outcome
	}
	return out
}

func status(a testrun.Attempt, f2p, p2p schema.Tally) (status, reason string) {
	switch a.Status {
	case testrun.Timeout:
		return schema.StatusTimeout, a.Detail
	case testrun.Inconsistent:
		return schema.StatusInconsistent, a.Detail
	case testrun.NoReport:
		// A runner that says all is well and reports nothing was taken over.
		if a.ExitCode == 0 {
			return schema.StatusInconsistent, a.Detail
		}
		return schema.StatusUnresolved, "no test report: " + a.Detail
	case testrun.BuildFailed:
		return schema.StatusUnresolved, "build failed: " + a.Detail
	}
	if f2p.Whole() && p2p.Passed == p2p.Total {
		return schema.StatusResolved, ""
	}
	return schema.StatusUnresolved, a.Detail
}

func tail(s string) string {
	if len(s) <= schema.MaxFailingMessage {
		return s
	}
	return strings.ToValidUTF8("…"+s[len(s)-schema.MaxFailingMessage+8:], "\uFFFD")
}

// unscored is the verdict on a target whose tests did not run.
func unscored(t release.Target, status, reason string) schema.TargetReport {
	return schema.TargetReport{Status: status, Reason: reason, F2P: schema.Tally{Total: len(t.Tests.F2P)}, P2P: schema.Tally{Total: len(t.Tests.P2P)}}
}
