package node

import (
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// jestReport is what jest --json writes, and vitest's json reporter after it.
type jestReport struct {
	Passed  *int        `json:"numPassedTests"`
	Failed  *int        `json:"numFailedTests"`
	Success *bool       `json:"success"`
	Total   int         `json:"numTotalTests"`
	Stopped bool        `json:"wasInterrupted"` // by bail
	Suites  []jestSuite `json:"testResults"`
}

type jestSuite struct {
	Name    string     `json:"name"`
	Status  string     `json:"status"`
	Message string     `json:"message"`
	Tests   []jestTest `json:"assertionResults"`
}

type jestTest struct {
	Ancestors []string `json:"ancestorTitles"`
	Title     string   `json:"title"`
	Status    string   `json:"status"`
	Duration  float64  `json:"duration"` // milliseconds; null reads as 0
	Failures  []string `json:"failureMessages"`
}

// jestOutcomes are the status words; another one is an error.
var jestOutcomes = map[string]schema.TestOutcome{
	"passed": schema.Pass, "failed": schema.Fail,
	"pending": schema.Skip, "skipped": schema.Skip, "todo": schema.Skip, "disabled": schema.Skip,
}

// Jest is jest's own report.
func Jest() testreport.Format {
	return format("jest", "jest --json, a file per test file, with the console beside it", beside(readJest))
}

// Vitest is the report of vitest's json reporter, which writes jest's format.
func Vitest() testreport.Format {
	return format("vitest", "vitest --reporter=json, a file per test file, with the console beside it", beside(readJest))
}

func readJest(b *testreport.Builder, name string, data []byte) {
	var r jestReport
	if !readJSON(b, name, data, &r) {
		return
	}
	if r.Suites == nil {
		b.Problem(unitOf(name), testreport.Unreadable, "the report has no testResults")
		return
	}
	passed, failed, listed := 0, 0, 0
	for _, s := range r.Suites {
		p, f := countJest(s)
		passed, failed, listed = passed+p, failed+f, listed+len(s.Tests)
	}
	if r.Stopped || r.Total > listed {
		b.Open(unitOf(name), fmt.Sprintf("the runner stopped after %d tests", listed))
	}
	if r.Passed != nil && *r.Passed != passed || r.Failed != nil && *r.Failed != failed {
		b.Problem(unitOf(name), testreport.Contradiction,
			fmt.Sprintf("the report counts %d passed and %d failed tests and lists %d and %d",
				deref(r.Passed), deref(r.Failed), passed, failed))
	}
	broken := failed > 0
	for _, s := range oursOf(r.Suites, unitOf(name)) {
		broken = addJestSuite(b, s) || broken
	}
	if r.Success != nil && !*r.Success && !broken && len(r.Suites) > 0 {
		b.Problem(unitOf(name), testreport.UnitFailed, "the runner says the run failed")
	}
	if len(r.Suites) == 0 {
		b.Problem(unitOf(name), testreport.NoTests, "the runner found no test file")
	}
}

func countJest(s jestSuite) (passed, failed int) {
	for _, t := range s.Tests {
		switch t.Status {
		case "passed":
			passed++
		case "failed":
			failed++
		}
	}
	return passed, failed
}

func deref(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// oursOf are the suites of the file that the report is of, under that name; a
// runner's filter takes other files with it whose paths hold its name. Where no
// suite is of that file, the report is of many.
func oursOf(suites []jestSuite, unit string) []jestSuite {
	var ours []jestSuite
	for _, s := range suites {
		if s.Name == unit || strings.HasSuffix(s.Name, "/"+unit) {
			s.Name = unit
			ours = append(ours, s)
		}
	}
	if ours != nil {
		return ours
	}
	return suites
}

func addJestSuite(b *testreport.Builder, s jestSuite) (broken bool) {
	_, failed := countJest(s)
	for _, t := range s.Tests {
		outcome, message := t.outcome(s.Status == "failed" && failed == 0)
		name := titles(append(t.Ancestors[:len(t.Ancestors):len(t.Ancestors)], t.Title))
		b.Add(b.ID(s.Name, name), outcome, t.Duration/1000, message)
	}
	switch {
	case len(s.Tests) == 0 && s.Status == "failed":
		b.Problem(s.Name, testreport.CollectionError, s.Message)
	case len(s.Tests) == 0:
		b.Problem(s.Name, testreport.NoTests, s.Message)
	case s.Status == "failed" && failed == 0:
		b.Problem(s.Name, testreport.UnitFailed, s.Message)
	}
	return s.Status == "failed"
}

// outcome gives a test's outcome. Where a suite failed and none of its tests did, a
// hook failed, and the runner calls what it kept from running skipped.
func (t jestTest) outcome(hookFailed bool) (outcome schema.TestOutcome, message string) {
	message = strings.Join(t.Failures[:min(3, len(t.Failures))], "\n")
	outcome, known := jestOutcomes[t.Status]
	switch {
	case !known:
		return schema.Error, fmt.Sprintf("unknown status %.100q\n%s", t.Status, message)
	case hookFailed && outcome == schema.Skip && t.Status != "todo":
		return schema.Error, message
	}
	return outcome, message
}
