package node

import (
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// mochaReport is what mocha's json reporter writes, or the one that a run brings
// (pipeline/toolchain), which gives each test's suites and state.
type mochaReport struct {
	Ours     string      `json:"wideswe"`
	Failures any         `json:"failures"`
	Total    int         `json:"total"` // announced before the first; 0 by older toolchains
	Tests    []mochaTest `json:"tests"`
	Pending  []mochaTest `json:"pending"`
	Failed   []mochaTest `json:"-"`
	Stats    *struct {
		Passes   int `json:"passes"`
		Failures int `json:"failures"`
	} `json:"stats"`
}

type mochaTest struct {
	Titles   []string       `json:"titles"`
	Title    string         `json:"title"`
	Full     string         `json:"fullTitle"`
	File     string         `json:"file"`
	State    string         `json:"state"`
	Message  string         `json:"message"`
	Duration float64        `json:"duration"`
	Err      map[string]any `json:"err"`
}

// Mocha is the report of mocha's json reporter, or of the one that the toolchain brings.
func Mocha() testreport.Format {
	return format("mocha", "mocha --reporter json, a file per test file, with the console beside it", beside(readMocha))
}

func readMocha(b *testreport.Builder, name string, data []byte) {
	var r mochaReport
	if !readJSON(b, name, data, &r) {
		return
	}
	switch {
	case r.Ours == "mocha":
		readOwnMocha(b, unitOf(name), r)
	case r.Stats != nil:
		readPlainMocha(b, unitOf(name), r)
	default:
		b.Problem(unitOf(name), testreport.Unreadable, "the report is not mocha's")
	}
}

func readOwnMocha(b *testreport.Builder, unit string, r mochaReport) {
	failed, listed := 0, 0
	for _, t := range r.Tests {
		if t.State != "hook" {
			listed++
		}
		outcome, known := jestOutcomes[t.State]
		if t.State == "hook" {
			outcome, known = schema.Error, true
		}
		if !known {
			outcome, t.Message = schema.Error, fmt.Sprintf("unknown state %.100q", t.State)
		}
		if testreport.IsBad(outcome) {
			failed++
		}
		b.Add(b.ID(unit, titles(t.Titles)), outcome, t.Duration/1000, t.Message)
	}
	if r.Total > listed {
		b.Open(unit, fmt.Sprintf("mocha announced %d tests and ran %d", r.Total, listed))
	}
	if n, ok := r.Failures.(float64); ok && int(n) != failed {
		b.Problem(unit, testreport.Contradiction,
			fmt.Sprintf("the runner counts %d failures, the report lists %d", int(n), failed))
	}
	if len(r.Tests) == 0 {
		b.Problem(unit, testreport.NoTests, "the runner found no test")
	}
}

// readPlainMocha reads the built-in reporter's file. It tells suites and name in
// one title, and a failed hook among the failures only.
func readPlainMocha(b *testreport.Builder, unit string, r mochaReport) {
	b.NoUnits() // where mocha stopped at a failure the report does not say so
	pending := map[string]bool{}
	for _, t := range r.Pending {
		pending[t.File+"\x00"+t.Full] = true
	}
	passed, failed := 0, 0
	for _, t := range r.Tests {
		outcome := schema.Pass
		switch {
		case len(t.Err) > 0:
			outcome = schema.Fail
			failed++
		case pending[t.File+"\x00"+t.Full]:
			outcome = schema.Skip
		default:
			passed++
		}
		message, _ := t.Err["stack"].(string)
		b.Add(b.ID(fileOf(t.File, unit), t.Full), outcome, t.Duration/1000, message)
	}
	if r.Stats.Passes != passed || r.Stats.Failures < failed {
		b.Problem(unit, testreport.Contradiction,
			fmt.Sprintf("the report counts %d passes and %d failures and lists %d and %d",
				r.Stats.Passes, r.Stats.Failures, passed, failed))
	}
	failed += readHooks(b, unit, r)
	if r.Stats.Failures > failed {
		b.Problem(unit, testreport.PlanMismatch,
			fmt.Sprintf("the report counts %d failures and lists %d", r.Stats.Failures, failed))
	}
	if len(r.Tests) == 0 && failed == 0 {
		b.Problem(unit, testreport.NoTests, "the runner found no test")
	}
}

// readHooks adds the failed hooks and counts them. A hook's title names the test it
// stood before.
func readHooks(b *testreport.Builder, unit string, r mochaReport) (failed int) {
	list, _ := r.Failures.([]any)
	for _, f := range list {
		m, _ := f.(map[string]any)
		full, _ := m["fullTitle"].(string)
		if strings.Contains(full, "\" hook") {
			file, _ := m["file"].(string)
			b.Add(b.ID(fileOf(file, unit), full), schema.Error, 0, fmt.Sprint(m["err"]))
			failed++
		}
	}
	return failed
}

// fileOf is the file of tests, by the name that the report file has where it is the same.
func fileOf(file, unit string) string {
	if file == "" || strings.HasSuffix(file, "/"+unit) {
		return unit
	}
	return file
}
