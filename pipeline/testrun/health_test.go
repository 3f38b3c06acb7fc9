package testrun

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

func TestUnhealthy(t *testing.T) {
	results := func(list string) (out []schema.TestResult) {
		for word := range strings.FieldsSeq(list) {
			id, o, _ := strings.Cut(word, "=")
			out = append(out, schema.TestResult{ID: id, Outcome: schema.TestOutcome(o), Message: "no"})
		}
		return out
	}
	problem := func(unit string, kind testreport.Kind, message string) []testreport.Problem {
		return []testreport.Problem{{Unit: unit, Kind: kind, Message: message}}
	}
	for _, c := range []struct {
		name, format string
		status       Status
		exit         int
		problems     []testreport.Problem
		results      string
		files        []string
		want         string
	}{
		{name: "healthy", format: "junit", results: "a.py::x=pass b.py::y=fail", files: []string{"a.py", "b.py::y"},
			want: ""},
		{name: "half of them fail", format: "gotest", results: "p::x=pass p::y=fail", want: ""},
		{name: "most fail", format: "gotest", results: "p::x=pass p::y=fail p::z=error",
			want: "2 of 3 tests fail, first p::y: no"},
		{name: "skipped tests count for nothing", format: "gotest", results: "p::x=skip p::y=skip p::z=pass", want: ""},
		{name: "a crash", format: "gotest", status: Crashed, exit: 2, problems: problem("p", testreport.Crashed, "panic: no"),
			results: "p::x=pass", want: "it crashed in p: panic: no"},
		{name: "a text of TAP without a plan", format: "tap", status: Crashed, problems: problem("t.sh", testreport.Cut,
			"no plan"), results: "t.sh::x=pass", want: ""},
		{name: "a file that can't be loaded", format: "phpunit", problems: problem("t/ATest.php", testreport.CollectionError,
			"the data provider is invalid"), results: "t/B.php::x=pass",
			want: "t/ATest.php has no result: collection error: the data provider is invalid"},
		{name: "a file that nothing is told of", format: "node", results: "a.js::x=pass", files: []string{"a.js", "dead.js"},
			want: "dead.js has no result"},
		{name: "a file that is skipped whole", format: "junit", problems: problem("a.py", testreport.NoTests,
			"collection skipped\nno display"), results: "b.py::x=pass", files: []string{"a.py", "b.py"}, want: ""},
		{name: "tests that are inherited", format: "junit", results: "t.test_a.TestB::x=pass", files: []string{"t/test_a.py"},
			want: ""},
	} {
		a := Attempt{Status: c.status, ExitCode: c.exit, Parsed: testreport.Report{Format: c.format, Problems: c.problems}}
		rep := &Report{Attempts: []Attempt{a}, Results: results(c.results), Selection: kit.Selection{Files: c.files}}
		if got := rep.Unhealthy(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
