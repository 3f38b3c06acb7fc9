package testreport

import (
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// mochaReport is what mocha's json reporter writes, or the one that a run brings
// (pipeline/toolchain), which gives each test's suites and state.
type mochaReport struct {
	Ours     string      `json:"wideswe"`
	Failures any         `json:"failures"`
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

func parseMocha(b *builder, name string, data []byte) {
	if nodeBeside(b, name, data) {
		return
	}
	var r mochaReport
	if !readJSON(b, name, data, &r) {
		return
	}
	switch {
	case r.Ours == "mocha":
		parseOwnMocha(b, unitOf(name), r)
	case r.Stats != nil:
		parsePlainMocha(b, unitOf(name), r)
	default:
		b.problem(unitOf(name), Unreadable, "the report is not mocha's")
	}
}

func parseOwnMocha(b *builder, unit string, r mochaReport) {
	failed := 0
	for _, t := range r.Tests {
		outcome, known := jestOutcomes[t.State]
		if t.State == "hook" {
			outcome, known = schema.Error, true
		}
		if !known {
			outcome, t.Message = schema.Error, fmt.Sprintf("unknown state %.100q", t.State)
		}
		if outcome == schema.Fail || outcome == schema.Error {
			failed++
		}
		b.add(b.id(unit, titles(t.Titles)), outcome, t.Duration/1000, t.Message)
	}
	if n, ok := r.Failures.(float64); ok && int(n) != failed {
		b.problem(unit, Contradiction, fmt.Sprintf("the runner counts %d failures, the report lists %d", int(n), failed))
	}
	if len(r.Tests) == 0 {
		b.problem(unit, NoTests, "the runner found no test")
	}
}

// parsePlainMocha reads the built-in reporter's file. It tells suites and name in
// one title, and a failed hook among the failures only.
func parsePlainMocha(b *builder, unit string, r mochaReport) {
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
		file := unit
		if t.File != "" && !strings.HasSuffix(t.File, "/"+unit) {
			file = t.File
		}
		message, _ := t.Err["stack"].(string)
		b.add(b.id(file, t.Full), outcome, t.Duration/1000, message)
	}
	if r.Stats.Passes != passed || r.Stats.Failures < failed {
		b.problem(unit, Contradiction, fmt.Sprintf("the report counts %d passes and %d failures and lists %d and %d", r.Stats.Passes, r.Stats.Failures, passed, failed))
	}
	list, _ := r.Failures.([]any)
	for _, f := range list { // a hook's title names the test it stood before
		m, _ := f.(map[string]any)
		full, _ := m["fullTitle"].(string)
		if strings.Contains(full, "\" hook") {
			file, _ := m["file"].(string)
			if file == "" || strings.HasSuffix(file, "/"+unit) {
				file = unit
			}
			b.add(b.id(file, full), schema.Error, 0, fmt.Sprint(m["err"]))
			failed++
		}
	}
	if r.Stats.Failures > failed {
		b.problem(unit, PlanMismatch, fmt.Sprintf("the report counts %d failures and lists %d", r.Stats.Failures, failed))
	}
	if len(r.Tests) == 0 && failed == 0 {
		b.problem(unit, NoTests, "the runner found no test")
	}
}
