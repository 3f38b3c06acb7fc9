// Package cpp reads what the toolchain of C and C++ leaves: a line for each program,
// with the report of its build tool or of its framework inside.
package cpp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/junit"
	"github.com/wideswe/wideswe/schema"
)

// Format is what the toolchain of C and C++ leaves.
func Format() testreport.Format {
	return testreport.Format{
		Name: "cpp", Version: "4",
		Unit: testreport.ProgramUnit, Proof: "the record of its end, with a complete report where it has one", Apart: true,
		Doc: "JUnit XML of ctest, Meson, GoogleTest, Catch2 and doctest by program, and automake's results," +
			" as the toolchain of C and C++ keeps them",
		Read:    read,
		Framing: framing,
	}
}

var framing = []testreport.Frame{
	testreport.NewFrame(" ms", `^((?:\d+: )?\[[ A-Z=-]{10}\] .*) \(\d+ ms(?: total)?\)$`, "$1"),
	testreport.NewFrame(" sec", `^( *\d+/\d+ Test +#\d+: .*?) +`+testreport.Figure+` sec`, "$1"),
	testreport.NewFrame("Total Test time", `^Total Test time \(real\) = .*(?:\n|$)`, ""),
	testreport.NewFrame("s", `^( *\d+/\d+ .*(?:OK|FAIL|ERROR|SKIP|TIMEOUT|EXPECTEDFAIL|UNEXPECTEDPASS)) +`+
		testreport.Figure+`s\b`, "$1"),
	testreport.NewFrame("MALLOC_PERTURB_=", `MALLOC_PERTURB_=\d+ `, ""),
}

// record is one line of what the toolchain leaves: what came of a program, with the
// runner's own report inside.
type record struct {
	Unit    string               `json:"unit"` // the program, from the build folder; "" is none of the build's
	Kind    string               `json:"kind"` // whose report XML is: cmake (ctest), meson, gtest, catch2, doctest, make
	Code    int                  `json:"code"`
	XML     string               `json:"xml"`
	Outer   string               `json:"outer"` // ctest's, of a program with a report of its own
	Log     string               `json:"log"`
	Test    string               `json:"test"` // ctest's name of the program's one test
	Trs     map[string][2]string `json:"trs"`  // automake's: test → its .trs and its .log
	Tests   []mesonTest          `json:"tests"`
	Failed  string               `json:"failed"`
	None    string               `json:"none"`
	Running bool                 `json:"running"`
	End     bool                 `json:"end"`
}

// reader reads the records of one file.
type reader struct {
	b    *testreport.Builder
	name string // the file
}

func read(b *testreport.Builder, name string, data []byte) {
	p := &reader{b, name}
	open, ended := "", false
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			b.IgnoreLine()
			continue
		}
		switch {
		case r.End:
			ended = true
		case r.Running:
			open = r.unit()
		case r.None != "":
			b.Problem(r.Unit, testreport.NoTests, r.None)
		case r.Failed != "":
			b.Problem(r.Unit, testreport.BuildFailed, r.Failed)
		default:
			open = ""
			p.read(r)
		}
	}
	switch {
	case open != "":
		b.Problem(open, testreport.Cut, "the run ended while this ran")
	case !ended:
		b.Problem(name, testreport.Cut, "the run ended before its end")
	}
}

// unit is how ids name what ran.
func (r record) unit() string {
	switch {
	case r.Unit != "":
		return r.Unit
	case r.Kind == "meson":
		return "meson"
	}
	return "ctest"
}

func (p *reader) read(r record) {
	switch r.Kind {
	case "gtest", "catch2", "doctest":
		p.framework(r)
	case "make":
		p.make(r)
	case "meson":
		p.meson(r)
	default:
		if found := p.junit(r); len(found.Problems) == 0 {
			p.checkCode(r, "the build tool", found.Failed())
		}
	}
}

// checkCode compares how a runner ended with how many of its tests failed.
func (p *reader) checkCode(r record, runner string, failed int) {
	switch {
	case r.Code != 0 && failed == 0: // a leak, a crash at the end
		p.b.Problem(r.unit(), testreport.UnitFailed,
			fmt.Sprintf("%s ended with %d, and none of its tests failed\n%s", runner, r.Code, r.Log))
	case r.Code == 0 && failed > 0:
		p.b.Problem(r.unit(), testreport.Contradiction,
			fmt.Sprintf("%s ended with 0, and %d of its tests failed", runner, failed))
	}
}

// junit reads the report inside a record and gives what it holds.
func (p *reader) junit(r record) testreport.Report {
	from := p.b.Position()
	junit.Read(p.b, p.name, []byte(r.XML), junit.Source{
		Unit: r.unit(), CountsAssertions: r.Kind == "catch2" || r.Kind == "doctest", Key: r.key,
	})
	found := p.b.Since(from)
	for i := range found.Problems { // they are the unit's, not the file's
		found.Problems[i].Unit = testreport.MaskUnit(r.unit())
	}
	return found
}

// framework reads a program that reports its tests itself. One that left no report
// died: the test that it had begun is in what it printed.
func (p *reader) framework(r record) {
	if strings.TrimSpace(r.XML) == "" {
		p.died(r)
		return
	}
	found := p.junit(r)
	if len(found.Problems) > 0 && found.Problems[0].Kind == testreport.NoTests && r.Code == 0 {
		return
	}
	p.checkCode(r, "the program", found.Failed())
}

var (
	gtestBegun = regexp.MustCompile(`(?m)^(?:\s*\d+: )?\[ RUN      \] (\S.*?)\s*$`)
	gtestEnded = regexp.MustCompile(`(?m)^(?:\s*\d+: )?\[(?:       OK |  FAILED  |  SKIPPED )\] ` +
		`(\S.*?)(?:, where .*)?(?: \(\d+ ms\))?\s*$`)
)

// died adds the test that GoogleTest had begun and not ended.
func (p *reader) died(r record) {
	log := testreport.CleanText(r.Log)
	if test := gtestRunning(log); r.Kind == "gtest" && test != "" {
		id := p.b.ID(r.unit(), test)
		p.b.Add(id, schema.Error, 0, r.Log)
		p.b.MarkDied(id)
	}
	p.b.Problem(r.unit(), testreport.Crashed, fmt.Sprintf("the program ended with %d and left no report\n%s", r.Code, log))
}

// gtestRunning is the test that a log of GoogleTest's began last, where it did not end.
func gtestRunning(log string) string {
	begun := gtestBegun.FindAllStringSubmatchIndex(log, -1)
	if len(begun) == 0 {
		return ""
	}
	last := begun[len(begun)-1]
	test := log[last[2]:last[3]]
	ended := func(m []string) bool { return m[1] == test }
	if slices.ContainsFunc(gtestEnded.FindAllStringSubmatch(log[last[1]:], -1), ended) {
		return ""
	}
	return test
}

// ctestMissing are the reasons for which ctest did not run a test that is not one to skip.
var ctestMissing = regexp.MustCompile(`(?i)unable to find|could not (?:find|start)|required files|` +
	`fixture dependency|invalid command|bad command|not found|not available`)

// key names a testcase: the unit is the program. GoogleTest's suites stand before the
// name; the fixtures that Catch2 names and the files that doctest names do not.
func (r record) key(c *junit.Case) (unit, name string) {
	switch r.Kind {
	case "gtest":
		return r.unit(), c.Class + "." + c.Name
	case "cmake":
		if c.Outcome == schema.Skip && ctestMissing.MatchString(c.Said) {
			c.Outcome = schema.Error
		}
	}
	return r.unit(), c.Name
}
