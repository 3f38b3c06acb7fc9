package testreport

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// jestReport is what jest --json writes, and vitest's json reporter after it.
type jestReport struct {
	Passed  *int        `json:"numPassedTests"`
	Failed  *int        `json:"numFailedTests"`
	Success *bool       `json:"success"`
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

// suiteSep stands between suites and names in ids of Node's tests.
const suiteSep = " > "

func parseJest(b *builder, name string, data []byte) {
	if nodeBeside(b, name, data) {
		return
	}
	var r jestReport
	if !readJSON(b, name, data, &r) {
		return
	}
	if r.Suites == nil {
		b.problem(unitOf(name), Unreadable, "the report has no testResults")
		return
	}
	passed, failed := 0, 0
	for _, s := range r.Suites {
		p, f := countJest(s)
		passed, failed = passed+p, failed+f
	}
	if r.Passed != nil && *r.Passed != passed || r.Failed != nil && *r.Failed != failed {
		b.problem(unitOf(name), Contradiction, fmt.Sprintf("the report counts %d passed and %d failed tests and lists %d and %d", deref(r.Passed), deref(r.Failed), passed, failed))
	}
	broken := failed > 0
	for _, s := range oursOf(r.Suites, unitOf(name)) {
		broken = addJestSuite(b, s) || broken
	}
	if r.Success != nil && !*r.Success && !broken && len(r.Suites) > 0 {
		b.problem(unitOf(name), UnitFailed, "the runner says the run failed")
	}
	if len(r.Suites) == 0 {
		b.problem(unitOf(name), NoTests, "the runner found no test file")
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

func addJestSuite(b *builder, s jestSuite) (broken bool) {
	_, failed := countJest(s)
	for _, t := range s.Tests {
		outcome, known := jestOutcomes[t.Status]
		if outcome == schema.Skip && t.Status != "todo" && s.Status == "failed" && failed == 0 {
			// A hook failed, and the runner calls what it kept from running skipped.
			outcome = schema.Error
		}
		message := strings.Join(t.Failures[:min(3, len(t.Failures))], "\n")
		if !known {
			outcome, message = schema.Error, fmt.Sprintf("unknown status %.100q\n%s", t.Status, message)
		}
		b.add(b.id(s.Name, titles(append(t.Ancestors[:len(t.Ancestors):len(t.Ancestors)], t.Title))), outcome, t.Duration/1000, message)
	}
	switch {
	case len(s.Tests) == 0 && s.Status == "failed":
		b.problem(s.Name, CollectionError, s.Message)
	case len(s.Tests) == 0:
		b.problem(s.Name, NoTests, s.Message)
	case s.Status == "failed" && failed == 0:
		b.problem(s.Name, UnitFailed, s.Message)
	}
	return len(s.Tests) == 0 && s.Status == "failed" || s.Status == "failed"
}

// titles joins suites and a name; an empty title stays a part.
func titles(list []string) string {
	if len(list) > 64 {
		list = list[:64]
	}
	return bound(strings.Join(list, suiteSep), maxName)
}

// unitOf is the test file that a report file is named after.
func unitOf(name string) string {
	for _, ext := range []string{".running", LogExt, ".json", ".tap"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// readJSON reads a whole report; what ends before its end is cut.
func readJSON(b *builder, name string, data []byte, to any) bool {
	if len(strings.TrimSpace(string(data))) == 0 {
		if b.files[name+LogExt] == nil {
			b.problem(unitOf(name), Cut, "the file is empty")
		}
		return false
	}
	err := json.Unmarshal(data, to)
	if err == nil {
		return true
	}
	kind := Unreadable
	if strings.Contains(err.Error(), "unexpected end") {
		kind = Cut
	}
	b.problem(unitOf(name), kind, err.Error())
	return false
}

var (
	nothingFound = regexp.MustCompile(`(?m)^\s*(?:No tests? (?:files? )?found|Error: No test files found|.*Couldn.t find any files to test)`)
	notLoaded    = regexp.MustCompile(`(?m)Exception during run:|^\s*(?:\[?SyntaxError|Error: Cannot find (?:module|package)|(?:Type|Reference)Error).*|ERR_MODULE_NOT_FOUND|ERR_REQUIRE_ESM|ERR_PACKAGE_PATH_NOT_EXPORTED`)
	vitestCaught = regexp.MustCompile(`(?m)^\s*Vitest caught \d+ unhandled errors? during the test run`)
)

// nodeBeside reads what lies beside a report: the runner's output (.log) and the
// test that runs (.running), which tell where a report is missing.
func nodeBeside(b *builder, name string, data []byte) bool {
	report := strings.TrimSuffix(strings.TrimSuffix(name, ".running"), LogExt)
	if report == name {
		return false
	}
	b.report.Counts.Files--
	written := len(strings.TrimSpace(string(b.files[report]))) > 0
	switch {
	case path.Ext(name) == ".running" && !written:
		var at struct {
			Titles []string `json:"titles"`
		}
		if json.Unmarshal(data, &at) != nil || len(at.Titles) == 0 {
			b.problem(unitOf(name), Cut, "the runner wrote no report")
			break
		}
		id := b.id(unitOf(name), titles(at.Titles))
		log := cleanText(string(b.files[report+LogExt]))
		b.add(id, schema.Error, 0, log)
		b.report.Crashed, b.report.Running = append(b.report.Crashed, id), append(b.report.Running, id)
		b.problem(unitOf(name), Crashed, log)
	case path.Ext(name) == ".running":
	case written && vitestCaught.Match([]byte(cleanText(string(data)))):
		b.problem(unitOf(name), UnitFailed, "errors outside of tests\n"+string(data))
	case written || len(b.files[report+".running"]) > 0:
	case nothingFound.Match([]byte(cleanText(string(data)))):
		b.problem(unitOf(name), NoTests, string(data))
	case notLoaded.Match([]byte(cleanText(string(data)))):
		b.problem(unitOf(name), CollectionError, string(data))
	default:
		b.problem(unitOf(name), Cut, "the runner wrote no report\n"+string(data))
	}
	return true
}
