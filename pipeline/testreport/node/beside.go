package node

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// unitOf is the test file that a report file is named after.
func unitOf(name string) string {
	for _, ext := range []string{testreport.RunningExt, testreport.LogExt, ".json", ".tap"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// readJSON reads a whole report; what ends before its end is cut.
func readJSON(b *testreport.Builder, name string, data []byte, to any) bool {
	if len(strings.TrimSpace(string(data))) == 0 {
		if b.Files[name+testreport.LogExt] == nil {
			b.Problem(unitOf(name), testreport.Cut, "the file is empty")
		}
		return false
	}
	err := json.Unmarshal(data, to)
	if err == nil {
		return true
	}
	kind := testreport.Unreadable
	if strings.Contains(err.Error(), "unexpected end") {
		kind = testreport.Cut
	}
	b.Problem(unitOf(name), kind, err.Error())
	return false
}

var (
	nothingFound = regexp.MustCompile(
		`(?m)^\s*(?:No tests? (?:files? )?found|Error: No test files found|.*Couldn.t find any files to test)`)
	notLoaded = regexp.MustCompile(
		`(?m)Exception during run:|^\s*(?:\[?SyntaxError|Error: Cannot find (?:module|package)|(?:Type|Reference)Error).*|` +
			`ERR_MODULE_NOT_FOUND|ERR_REQUIRE_ESM|ERR_PACKAGE_PATH_NOT_EXPORTED`)
	vitestCaught = regexp.MustCompile(`(?m)^\s*Vitest caught \d+ unhandled errors? during the test run`)
)

// beside makes a reader of reports read what lies beside them too.
func beside(read testreport.ReadFunc) testreport.ReadFunc {
	return func(b *testreport.Builder, name string, data []byte) {
		if !readBeside(b, name, data) {
			read(b, name, data)
		}
	}
}

// readBeside reads what lies beside a report: the runner's output (.log) and the
// test that runs (.running), which tell where a report is missing. It returns false
// for a report.
func readBeside(b *testreport.Builder, name string, data []byte) bool {
	report := strings.TrimSuffix(strings.TrimSuffix(name, testreport.RunningExt), testreport.LogExt)
	if report == name {
		return false
	}
	b.NotAReport()
	written := len(strings.TrimSpace(string(b.Files[report]))) > 0
	switch running := path.Ext(name) == testreport.RunningExt; {
	case running && !written:
		readRunning(b, report, data)
	case running:
	case written:
		if vitestCaught.MatchString(testreport.CleanText(string(data))) {
			b.Problem(unitOf(name), testreport.UnitFailed, "errors outside of tests\n"+string(data))
		}
	case len(b.Files[report+testreport.RunningExt]) == 0:
		readConsole(b, unitOf(name), string(data))
	}
	return true
}

// readRunning adds the test that ran when its process ended without a report.
func readRunning(b *testreport.Builder, report string, data []byte) {
	var at struct {
		Titles []string `json:"titles"`
	}
	unit := unitOf(report)
	if json.Unmarshal(data, &at) != nil || len(at.Titles) == 0 {
		b.Problem(unit, testreport.Cut, "the runner wrote no report")
		return
	}
	id := b.ID(unit, titles(at.Titles))
	log := testreport.CleanText(string(b.Files[report+testreport.LogExt]))
	b.Add(id, schema.Error, 0, log)
	b.MarkDied(id)
	b.Problem(unit, testreport.Crashed, log)
}

// readConsole says why there is no report.
func readConsole(b *testreport.Builder, unit, log string) {
	switch text := testreport.CleanText(log); {
	case nothingFound.MatchString(text):
		b.Problem(unit, testreport.NoTests, log)
	case notLoaded.MatchString(text):
		b.Problem(unit, testreport.CollectionError, log)
	default:
		b.Problem(unit, testreport.Cut, "the runner wrote no report\n"+log)
	}
}
