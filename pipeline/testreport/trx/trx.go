// Package trx reads what dotnet test, vstest and mstest write.
package trx

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// Format is what dotnet test writes with its logger trx.
func Format() testreport.Format {
	return testreport.Format{
		Name: "trx", Version: "4",
		Unit: testreport.ClassUnit, Proof: "the summary of the run that it is part of",
		Doc:     "dotnet test --logger trx, a file per project, with the console beside it",
		Read:    read,
		Framing: framing,
	}
}

var framing = []testreport.Frame{
	testreport.NewFrame("[xUnit.net ", `\[xUnit\.net [\d:.]+\]`, "[xUnit.net]"),
	testreport.NewFrame("ime", `^ *(?:Total time: [\d.]+ \w+|Time Elapsed [\d:.]+)(?:\n|$)`, ""),
	testreport.NewFrame("Duration: ", `, Duration: (?:< )?`+testreport.Figure+` \w+`, ""),
	testreport.NewFrame("[", `^( +(?:Passed|Failed|Skipped) .*) \[(?:< )?`+testreport.Figure+` \w+\]$`, "$1"),
}

// result is one UnitTestResult; a data driven one holds one a row.
type result struct {
	id, name, outcome string
	seconds           float64
	message           testreport.Tail
	parent            *result
	rows              int
	rowBad            bool
}

// class is where a test is defined.
type class struct{ name, assembly string }

// parser walks one file. Results come before the definitions that give them
// their class, so they are kept until the end.
type parser struct {
	b        *testreport.Builder
	file     string
	path     []string
	open     *result
	results  []*result
	classes  map[string]class // by a definition's id
	defining string
	assembly string
	counters map[string]int
	outcome  string
	running  []string        // the ids that did not come to their end
	run      testreport.Tail // what the run said beside the tests
	text     *testreport.Tail
}

func read(b *testreport.Builder, name string, data []byte) {
	s, ok := b.Sidecar(name, data, ".trx")
	if !ok {
		return
	}
	if s.Empty() {
		readAbsent(b, s)
	} else {
		readRun(b, s)
	}
	b.CheckExit(s)
}

var buildError = regexp.MustCompile(`(?m)\berror (?:CS|FS|BC|MSB|NU|NETSDK)\d+`)

// readAbsent says why there is no report.
func readAbsent(b *testreport.Builder, s testreport.Sidecar) {
	switch {
	case s.Ended && s.Code != 0 && buildError.MatchString(s.Log):
		b.Problem(s.Report, testreport.BuildFailed, s.Log)
	case s.Ended && s.Code == 0 && strings.Contains(s.Log, "No test matches the given testcase filter"):
		b.Problem(s.Report, testreport.NoTests, s.Log)
	default:
		b.NoReport(s)
	}
}

func readRun(b *testreport.Builder, s testreport.Sidecar) {
	p := &parser{b: b, file: s.Report, classes: map[string]class{}, counters: map[string]int{}}
	err := testreport.ReadXML(s.Data, p, "TestRun")
	for _, r := range p.results {
		p.add(r)
	}
	switch {
	case err != nil && len(p.results) == 0:
		b.Problem(s.Report, testreport.Unreadable, err.Error())
	case err != nil:
		b.Problem(s.Report, testreport.Cut, err.Error())
	default:
		p.finish()
	}
}

// Start implements [testreport.XMLReader].
func (p *parser) Start(element string, attr map[string]string) {
	p.path = append(p.path, element)
	p.text = nil
	switch element {
	case "UnitTestResult", "GenericTestResult", "ManualTestResult":
		r := &result{id: attr["testId"], name: attr["testName"], outcome: attr["outcome"],
			seconds: secondsOf(attr["duration"]), parent: p.open}
		if r.parent != nil {
			r.parent.rows++
		}
		if len(p.results) <= testreport.MaxResults {
			p.results = append(p.results, r)
		}
		p.open = r
	case "Message", "StackTrace":
		if p.open != nil && p.inside("ErrorInfo") {
			p.text = &p.open.message
		}
	case "UnitTest":
		p.defining, p.assembly = attr["id"], assemblyName(attr["storage"])
	case "TestMethod":
		if len(p.classes) <= testreport.MaxResults && p.defining != "" {
			p.classes[p.defining] = class{className(attr["className"]), p.assembly}
		}
	case "ResultSummary":
		p.outcome = attr["outcome"]
	case "Counters":
		for _, k := range []string{"total", "executed", "passed", "failed", "error"} {
			if n, err := strconv.Atoi(attr[k]); err == nil && n >= 0 {
				p.counters[k] = n
			}
		}
	case "Text":
		if p.inside("RunInfo") {
			p.text = &p.run
		}
	}
}

func (p *parser) inside(element string) bool {
	return len(p.path) > 1 && p.path[len(p.path)-2] == element
}

// Chars implements [testreport.XMLReader].
func (p *parser) Chars(text string) {
	if p.text != nil {
		p.text.Add(text)
	}
}

// End implements [testreport.XMLReader].
func (p *parser) End(element string) {
	p.path = p.path[:len(p.path)-1]
	if p.text != nil {
		p.text.Add("\n")
		p.text = nil
	}
	switch element {
	case "UnitTestResult", "GenericTestResult", "ManualTestResult":
		if p.open != nil {
			if p.open.parent != nil && testreport.IsBad(outcomeOf(p.open.outcome)) {
				p.open.parent.rowBad = true
			}
			p.open = p.open.parent
		}
	case "UnitTest":
		p.defining = ""
	}
}

// outcomeOf: a test that was not executed was skipped; one without an outcome has
// the format's own first, which is an error.
func outcomeOf(word string) schema.TestOutcome {
	switch word {
	case "Passed", "Warning":
		return schema.Pass
	case "Failed":
		return schema.Fail
	case "NotExecuted", "Inconclusive", "Pending", "NotRunnable", "Disconnected":
		return schema.Skip
	}
	return schema.Error
}

// add adds a result. One that holds rows is the sum of them, unless it failed by itself.
func (p *parser) add(r *result) {
	outcome := outcomeOf(r.outcome)
	if r.rows > 0 && (outcome == schema.Pass || r.rowBad) {
		return
	}
	of := p.classes[r.id]
	for up := r.parent; up != nil && of == (class{}); up = up.parent {
		of = p.classes[up.id]
	}
	name := strings.TrimPrefix(r.name, of.name+".")
	unit := cmp.Or(of.name, of.assembly, strings.TrimSuffix(p.file, ".trx"))
	id := p.b.ID(unit, name)
	p.b.Add(id, outcome, r.seconds, r.message.String())
	if r.outcome == "InProgress" || r.outcome == "Aborted" {
		p.b.MarkRunning(id)
		p.running = append(p.running, id)
	}
}

// finish compares what was listed with what the run counted and said about itself.
func (p *parser) finish() {
	listed, failed := 0, 0
	for _, r := range p.results {
		if r.parent == nil {
			listed++
			if testreport.IsBad(outcomeOf(r.outcome)) {
				failed++
			}
		}
	}
	p.checkCounters(listed, failed)
	said := p.run.String()
	aborted := strings.Contains(said, "Test host process crashed") || strings.Contains(said, "test run was aborted")
	switch {
	case p.outcome == "Aborted" || aborted:
		p.problem(testreport.Crashed, said)
		p.b.MarkCrashed(p.running...)
	case listed == 0 && p.outcome == "Failed":
		p.problem(testreport.CollectionError, said)
	case listed == 0:
		p.problem(testreport.NoTests, said)
	case p.outcome == "Failed" && failed == 0:
		p.problem(testreport.UnitFailed, said)
	case p.outcome == "":
		p.problem(testreport.Cut, "the run has no summary")
	}
}

func (p *parser) checkCounters(listed, failed int) {
	total, counted := p.counters["total"]
	bad := p.counters["failed"] + p.counters["error"]
	differ := fmt.Sprintf("the run counts %d tests, the report lists %d", total, listed)
	switch {
	case counted && total < listed:
		p.problem(testreport.Contradiction, differ)
	case counted && total > listed:
		p.problem(testreport.PlanMismatch, differ)
	case counted && bad > failed:
		p.problem(testreport.Contradiction, fmt.Sprintf("the run counts %d failures, the report lists %d", bad, failed))
	}
}

func (p *parser) problem(kind testreport.Kind, message string) { p.b.Problem(p.file, kind, message) }

// secondsOf reads hours:minutes:seconds.
func secondsOf(s string) float64 {
	total := 0.0
	for part := range strings.SplitSeq(s, ":") {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0
		}
		total = total*60 + n
	}
	return total
}

// className takes the assembly from a class's full name, which mstest adds.
func className(s string) string {
	class, _, _ := strings.Cut(s, ",")
	return strings.TrimSpace(class)
}

// assemblyName is the assembly's name of its path, which the runner writes in small
// letters, with the separators of its system.
func assemblyName(s string) string {
	s = strings.ReplaceAll(s, `\`, "/")
	s = s[strings.LastIndexByte(s, '/')+1:]
	return strings.TrimSuffix(strings.TrimSuffix(s, ".dll"), ".exe")
}
