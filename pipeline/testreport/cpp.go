package testreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// cppRecord is one line of what the toolchain of C and C++ leaves: what came of a
// program, with the runner's own report inside.
type cppRecord struct {
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

// parseCpp reads the records of one unit.
func parseCpp(b *builder, name string, data []byte) {
	open, ended := "", false
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r cppRecord
		if err := json.Unmarshal(line, &r); err != nil {
			b.report.Counts.Ignored++
			continue
		}
		switch {
		case r.End:
			ended = true
		case r.Running:
			open = cppUnit(r)
		case r.None != "":
			b.problem(r.Unit, NoTests, r.None)
		case r.Failed != "":
			b.problem(r.Unit, BuildFailed, r.Failed)
		default:
			open = ""
			b.cpp(name, r)
		}
	}
	switch {
	case open != "":
		b.problem(open, Cut, "the run ended while this ran")
	case !ended:
		b.problem(name, Cut, "the run ended before its end")
	}
}

// cppUnit is how ids name what ran.
func cppUnit(r cppRecord) string {
	switch {
	case r.Unit != "":
		return r.Unit
	case r.Kind == "meson":
		return "meson"
	}
	return "ctest"
}

func (b *builder) cpp(name string, r cppRecord) {
	switch r.Kind {
	case "gtest", "catch2", "doctest":
		b.cppFramework(name, r)
	case "make":
		b.cppMake(r)
	case "meson":
		b.cppMeson(r)
	default:
		problems := len(b.report.Problems)
		_, bad := b.cppJUnit(name, r, r.XML)
		if len(b.report.Problems) == problems {
			b.cppCode(cppUnit(r), "the build tool", r, bad)
		}
	}
}

// cppCode compares how a runner ended with how many of its tests failed.
func (b *builder) cppCode(unit, runner string, r cppRecord, bad int) {
	switch {
	case r.Code != 0 && bad == 0: // a leak, a crash at the end
		b.problem(unit, UnitFailed, fmt.Sprintf("%s ended with %d, and none of its tests failed\n%s", runner, r.Code, r.Log))
	case r.Code == 0 && bad > 0:
		b.problem(unit, Contradiction, fmt.Sprintf("%s ended with 0, and %d of its tests failed", runner, bad))
	}
}

// cppJUnit reads a report into the unit; it gives how many tests of it failed.
func (b *builder) cppJUnit(name string, r cppRecord, xml string) (cases, bad int) {
	before := len(b.report.Results)
	problems := len(b.report.Problems)
	b.unit, b.kind = cppUnit(r), r.Kind
	parseJUnit(b, name, []byte(xml))
	b.unit, b.kind = "", ""
	for i := problems; i < len(b.report.Problems); i++ { // they are of the unit, not of the file
		b.report.Problems[i].Unit = maskUnit(cppUnit(r))
	}
	for _, t := range b.report.Results[before:] {
		if t.Outcome == schema.Fail || t.Outcome == schema.Error {
			bad++
		}
	}
	return len(b.report.Results) - before, bad
}

// cppFramework reads a program that reports its tests itself. One that left no
// report died: what it had begun is in what it printed.
func (b *builder) cppFramework(name string, r cppRecord) {
	unit := cppUnit(r)
	if strings.TrimSpace(r.XML) == "" {
		b.cppDied(unit, r)
		return
	}
	problems := len(b.report.Problems)
	_, bad := b.cppJUnit(name, r, r.XML)
	if len(b.report.Problems) > problems && b.report.Problems[problems].Kind == NoTests && r.Code == 0 {
		return
	}
	b.cppCode(unit, "the program", r, bad)
}

var (
	gtestBegun = regexp.MustCompile(`(?m)^(?:\s*\d+: )?\[ RUN      \] (\S.*?)\s*$`)
	gtestEnded = regexp.MustCompile(`(?m)^(?:\s*\d+: )?\[(?:       OK |  FAILED  |  SKIPPED )\] (\S.*?)(?:, where .*)?(?: \(\d+ ms\))?\s*$`)
)

// cppDied names the test that GoogleTest had begun and not ended.
func (b *builder) cppDied(unit string, r cppRecord) {
	log := cleanText(r.Log)
	begun := gtestBegun.FindAllStringSubmatchIndex(log, -1)
	if r.Kind == "gtest" && len(begun) > 0 {
		last := begun[len(begun)-1]
		test := log[last[2]:last[3]]
		ended := slices.ContainsFunc(gtestEnded.FindAllStringSubmatch(log[last[1]:], -1), func(m []string) bool { return m[1] == test })
		if !ended {
			id := b.id(unit, test)
			b.add(id, schema.Error, 0, r.Log)
			b.report.Crashed = append(b.report.Crashed, id)
			b.report.Running = append(b.report.Running, id)
		}
	}
	b.problem(unit, Crashed, fmt.Sprintf("the program ended with %d and left no report\n%s", r.Code, log))
}

// ctestMissing are the reasons for which ctest did not run a test that is not one to skip.
var ctestMissing = regexp.MustCompile(`(?i)unable to find|could not (?:find|start)|required files|fixture dependency|invalid command|bad command|not found|not available`)

// countsAssertions says that a suite's "tests" are its assertions: Catch2, whose host
// is always "tbd", and doctest count those, and say nowhere how many tests there are.
func countsAssertions(kind string, s *junitSuite) bool {
	return kind == "catch2" || kind == "doctest" || s.attr["hostname"] == "tbd"
}

// cppKey: the unit is the program. GoogleTest's suites stand before the name; the
// fixtures that Catch2 names and the files that doctest names do not.
func cppKey(c *junitCase) (unit, name string, ours bool) {
	if c.unit == "" {
		return "", "", false
	}
	switch c.kindOf {
	case "gtest":
		return c.unit, c.class + "." + c.name, true
	case "cmake":
		if c.outcome == schema.Skip && ctestMissing.MatchString(c.said) {
			c.outcome = schema.Error
		}
	}
	return c.unit, c.name, true
}
