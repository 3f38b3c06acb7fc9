package testrun

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// judge reads what a run left and gives it its status.
func judge(a *Attempt, res sandbox.Result, plan kit.Plan) (err error) {
	phase := strings.TrimSpace(string(res.Files[phaseFile]))
	a.Phase, a.Seen = phase, strings.TrimSpace(string(res.Files[seenFile]))
	a.Reports = reportFiles(res.Files, plan.Files)
	if a.Parsed, err = formats.Parse(plan.Report, a.Reports); err != nil {
		return err
	}
	if res.TimedOut || res.OOM || testreport.IsSignal(res.ExitCode) {
		a.Parsed.Ends.Run = false // the script itself may not have come to its end
	}
	forged, err := checkCanaries(plan, a.Reports)
	if err != nil {
		return err
	}
	consistent, why := formats.Consistent(a.Parsed, res.ExitCode)
	a.Parsed = dropCanaries(plan, a.Parsed)
	a.ExitCode = exitOfOthers(plan, a.Parsed, res.ExitCode)
	if consistent {
		consistent, why = formats.Consistent(a.Parsed, a.ExitCode)
	}
	a.Hung = res.TimedOut || stoppedItself(a.Parsed)
	switch {
	case res.TimedOut:
		a.Status, a.Detail = Timeout, "no end after "+a.Duration.Round(1e9).String()+" in the phase "+phase
	case phase == "":
		a.Status, a.Detail = NoReport, fmt.Sprintf("the run ended with %d, and what it had written is gone: %s", res.ExitCode,
			lastWords(res.Output))
	case phase != "test":
		a.Status, a.Detail = BuildFailed, fmt.Sprintf("%s ended with %d: %s", phase, res.ExitCode, lastWords(res.Output))
	case len(res.Dropped) > 0:
		a.Status, a.Detail = Inconsistent, "files over the bounds, or no plain files, where reports belong: "+
			strings.Join(res.Dropped[:min(3, len(res.Dropped))], ", ")
	case forged != "":
		a.Status, a.Detail = Inconsistent, forged
	case len(a.Reports) == 0 || saysNothing(a.Parsed):
		a.Status, a.Detail = NoReport, fmt.Sprintf("the runner ended with %d and left no report: %s", res.ExitCode,
			lastWords(res.Output))
	case !consistent:
		a.Status, a.Detail = Inconsistent, why
	case len(a.Parsed.Results) == 0 && onlyBuildProblems(a.Parsed):
		a.Status, a.Detail = BuildFailed, firstProblem(a.Parsed)
	case len(crashedUnits(a.Parsed)) > 0:
		a.Status, a.Detail = Crashed, firstProblem(a.Parsed)
	default:
		a.Status, a.Detail = OK, firstProblem(a.Parsed)
	}
	a.LimitsMet = res.LimitsMet()
	for _, l := range a.LimitsMet {
		if l == "memory" || l == "disk" || l == "processes" {
			a.Detail = strings.TrimSuffix("the limit of "+l+" was met; "+a.Detail, "; ")
		}
	}
	return nil
}

// reportFiles picks the files the runner writes. What else lies in the folder was
// put there by the code under test and is no report.
func reportFiles(files map[string][]byte, names []string) map[string][]byte {
	out := map[string][]byte{}
	for name, data := range files {
		if name != phaseFile && name != seenFile && name != namesFile && (len(names) == 0 || slices.Contains(names, name)) {
			out[name] = data
		}
	}
	return out
}

// saysNothing: tests were named, yet the report knows none and no reason why.
func saysNothing(r testreport.Report) bool {
	for _, p := range r.Problems {
		if p.Kind != testreport.NoTests {
			return false
		}
	}
	return len(r.Results) == 0
}

func onlyBuildProblems(r testreport.Report) bool {
	for _, p := range r.Problems {
		if p.Kind != testreport.BuildFailed && p.Kind != testreport.CollectionError {
			return false
		}
	}
	return len(r.Problems) > 0
}

// crashedUnits are the units whose tests may have been hidden by a crash.
func crashedUnits(r testreport.Report) map[string]bool {
	units := map[string]bool{}
	for _, p := range r.Problems {
		switch p.Kind {
		case testreport.Crashed, testreport.Cut, testreport.BailedOut:
			units[p.Unit] = true
		}
	}
	return units
}

// stoppedItself says that the runner ended the tests since they took too long: go
// test has a time limit of its own.
func stoppedItself(r testreport.Report) bool {
	return slices.ContainsFunc(r.Problems, func(p testreport.Problem) bool {
		return p.Kind == testreport.Crashed && strings.Contains(p.Message, "panic: test timed out after ")
	})
}

func firstProblem(r testreport.Report) string {
	if len(r.Problems) == 0 {
		return ""
	}
	p := r.Problems[0]
	return fmt.Sprintf("%s in %s: %s", p.Kind, p.Unit, lastWords([]byte(p.Message)))
}

// lastWords gives the last lines of an output as one line.
func lastWords(out []byte) string {
	if len(out) > 4096 {
		out = out[len(out)-4096:]
	}
	var lines []string
	for _, l := range strings.Split(strings.ToValidUTF8(string(out), "\uFFFD"), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	text := []rune(strings.Join(lines[max(0, len(lines)-3):], " | "))
	return string(text[max(0, len(text)-400):])
}
