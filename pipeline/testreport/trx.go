package testreport

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// trxResult is one UnitTestResult; a data driven one holds one a row.
type trxResult struct {
	id, name, outcome string
	seconds           float64
	message           tailBuffer
	parent            *trxResult
	rows              int
	rowBad            bool
}

// trxParser walks one file. Results come before the definitions that give them
// their class, so they are kept until the end.
type trxParser struct {
	b        *builder
	file     string
	path     []string
	open     *trxResult
	results  []*trxResult
	classes  map[string][2]string // a definition's id → the class, the assembly
	defining string
	assembly string
	counters map[string]int
	outcome  string
	running  []string   // the ids that did not come to their end
	run      tailBuffer // what the run said beside the tests
	text     *tailBuffer
}

// parseTRX reads a test run of dotnet test, vstest or mstest.
func parseTRX(b *builder, name string, data []byte) {
	report, aside, absent := b.aside(name)
	if aside && !absent {
		return
	}
	s := b.beside(report, ".trx")
	results, problems := len(b.report.Results), len(b.report.Problems)
	if aside || len(bytes.TrimSpace(data)) == 0 {
		b.trxAbsent(report, s)
	} else {
		b.trx(report, data)
	}
	b.judge(s, results, problems)
}

var trxBuild = regexp.MustCompile(`(?m)\berror (?:CS|FS|BC|MSB|NU|NETSDK)\d+`)

func (b *builder) trxAbsent(report string, s beside) {
	switch {
	case s.ended && s.code != 0 && trxBuild.MatchString(s.log):
		b.problem(report, BuildFailed, s.log)
	case s.ended && s.code == 0 && strings.Contains(s.log, "No test matches the given testcase filter"):
		b.problem(report, NoTests, s.log)
	default:
		b.silent(s)
	}
}

func (b *builder) trx(report string, data []byte) {
	p := &trxParser{b: b, file: report, classes: map[string][2]string{}, counters: map[string]int{}}
	d := xml.NewDecoder(bytes.NewReader(legalXML(data)))
	d.CharsetReader = charset
	err := walkXML(d, p, "TestRun")
	for _, r := range p.results {
		p.flush(r)
	}
	switch {
	case err != nil && len(p.results) == 0:
		b.problem(report, Unreadable, err.Error())
	case err != nil:
		b.problem(report, Cut, err.Error())
	default:
		p.finish()
	}
}

func (p *trxParser) start(element string, attr map[string]string) {
	p.path = append(p.path, element)
	p.text = nil
	switch element {
	case "UnitTestResult", "GenericTestResult", "ManualTestResult":
		r := &trxResult{id: attr["testId"], name: attr["testName"], outcome: attr["outcome"], seconds: trxSeconds(attr["duration"]), parent: p.open}
		if r.parent != nil {
			r.parent.rows++
		}
		if len(p.results) <= MaxResults {
			p.results = append(p.results, r)
		}
		p.open = r
	case "Message", "StackTrace":
		if p.open != nil && p.inside("ErrorInfo") {
			p.text = &p.open.message
		}
	case "UnitTest":
		p.defining, p.assembly = attr["id"], trxAssembly(attr["storage"])
	case "TestMethod":
		if len(p.classes) <= MaxResults && p.defining != "" {
			p.classes[p.defining] = [2]string{trxClass(attr["className"]), p.assembly}
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

func (p *trxParser) inside(element string) bool {
	return len(p.path) > 1 && p.path[len(p.path)-2] == element
}

func (p *trxParser) chars(text string) {
	if p.text != nil {
		p.text.add(text)
	}
}

func (p *trxParser) end(element string) {
	p.path = p.path[:len(p.path)-1]
	if p.text != nil {
		p.text.add("\n")
		p.text = nil
	}
	switch element {
	case "UnitTestResult", "GenericTestResult", "ManualTestResult":
		if p.open != nil {
			if o := trxOutcome(p.open.outcome); p.open.parent != nil && (o == schema.Fail || o == schema.Error) {
				p.open.parent.rowBad = true
			}
			p.open = p.open.parent
		}
	case "UnitTest":
		p.defining = ""
	}
}

// trxOutcome: a test that was not executed was skipped; one without an outcome has
// the format's own first, which is an error.
func trxOutcome(word string) schema.TestOutcome {
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

// flush adds a result. One that holds rows is the sum of them, unless it failed by
// itself.
func (p *trxParser) flush(r *trxResult) {
	outcome := trxOutcome(r.outcome)
	if r.rows > 0 && (outcome == schema.Pass || r.rowBad) {
		return
	}
	of := p.classes[r.id]
	for up := r.parent; up != nil && of == [2]string{}; up = up.parent {
		of = p.classes[up.id]
	}
	class, assembly := of[0], of[1]
	name := strings.TrimPrefix(r.name, class+".")
	unit := class
	if unit == "" {
		if unit = assembly; unit == "" {
			unit = strings.TrimSuffix(p.file, ".trx")
		}
	}
	id := p.b.id(unit, name)
	p.b.add(id, outcome, r.seconds, r.message.String())
	if r.outcome == "InProgress" || r.outcome == "Aborted" {
		p.b.report.Running = append(p.b.report.Running, id)
		p.running = append(p.running, id)
	}
}

// finish compares what was listed with what the run counted and said of itself.
func (p *trxParser) finish() {
	listed, failed := 0, 0
	for _, r := range p.results {
		if r.parent == nil {
			listed++
			if o := trxOutcome(r.outcome); o == schema.Fail || o == schema.Error {
				failed++
			}
		}
	}
	said := p.run.String()
	switch total, ok := p.counters["total"]; {
	case ok && total < listed:
		p.b.problem(p.file, Contradiction, fmt.Sprintf("the run counts %d tests, the report lists %d", total, listed))
	case ok && total > listed:
		p.b.problem(p.file, PlanMismatch, fmt.Sprintf("the run counts %d tests, the report lists %d", total, listed))
	case ok && p.counters["failed"]+p.counters["error"] > failed:
		p.b.problem(p.file, Contradiction, fmt.Sprintf("the run counts %d failures, the report lists %d", p.counters["failed"]+p.counters["error"], failed))
	}
	switch {
	case p.outcome == "Aborted" || strings.Contains(said, "Test host process crashed") || strings.Contains(said, "test run was aborted"):
		p.b.problem(p.file, Crashed, said)
		p.b.report.Crashed = append(p.b.report.Crashed, p.running...)
	case listed == 0 && p.outcome == "Failed":
		p.b.problem(p.file, CollectionError, said)
	case listed == 0:
		p.b.problem(p.file, NoTests, said)
	case p.outcome == "Failed" && failed == 0:
		p.b.problem(p.file, UnitFailed, said)
	case p.outcome == "":
		p.b.problem(p.file, Cut, "the run has no summary")
	}
}

// trxSeconds reads hours:minutes:seconds.
func trxSeconds(s string) float64 {
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

// trxClass takes the assembly from a class's full name, which mstest adds.
func trxClass(s string) string {
	class, _, _ := strings.Cut(s, ",")
	return strings.TrimSpace(class)
}

// trxAssembly is the assembly's name of its path, which the runner writes in small
// letters, with the separators of its system.
func trxAssembly(s string) string {
	s = strings.ReplaceAll(s, `\`, "/")
	s = s[strings.LastIndexByte(s, '/')+1:]
	return strings.TrimSuffix(strings.TrimSuffix(s, ".dll"), ".exe")
}
