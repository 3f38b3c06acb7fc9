package testrun

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// TestJudgeCanariesThatMustFail: what a run ends with, and says, without the tests
// that were laid in.
func TestJudgeCanariesThatMustFail(t *testing.T) {
	xml := func(cases ...string) string {
		var b strings.Builder
		b.WriteString(`<testsuites><testsuite name="pytest">`)
		for _, c := range cases {
			file, rest, _ := strings.Cut(c, "::")
			name, end, _ := strings.Cut(rest, " ")
			class, test, inside := strings.Cut(name, ".")
			if !inside {
				class, test = "", class
			}
			b.WriteString(`<testcase file="t/` + file + `.py" classname="t.` + strings.Trim(file+"."+class, ".") + `" name="` +
				test + `">`)
			if end != "" {
				b.WriteString(`<` + end + ` message="m"/>`)
			}
			b.WriteString(`</testcase>`)
		}
		return b.String() + `</testsuite></testsuites>`
	}
	const good, bad = "test_x::TestX.test_one", "test_x::TestX.test_two failure"
	plan := kit.Plan{Report: "junit", Files: []string{"001.xml", "001.log"}, Canaries: []kit.Canary{{
		File: "001.xml", Want: map[string]schema.TestOutcome{"TestX::test_one": schema.Pass, "TestX::test_two": schema.Fail},
	}}}
	for _, c := range []struct {
		name        string
		exit        int
		report      string
		want        Status
		exits, left int
	}{
		{"all is well", 1, xml(good, bad, "test_a::test_a"), OK, 0, 1},
		{"another fails too", 1, xml(good, bad, "test_a::test_a", "test_a::test_b failure"), OK, 1, 2},
		{"failures made into passes", 0, xml(good, "test_x::TestX.test_two", "test_a::test_a"), Inconsistent, 0, 1},
		{"the end made well", 0, xml(good, bad, "test_a::test_a"), Inconsistent, 0, 1},
		{"written by somebody else", 0, xml("test_a::test_a"), Inconsistent, 0, 1},
		{"passes made into failures", 1, xml("test_x::TestX.test_one failure", bad, "test_a::test_a"), Inconsistent, 0, 1},
		{"left out one by one", 1, xml(bad, "test_a::test_a"), Inconsistent, 0, 1},
		{"the runner's own trouble", 4, xml(good, bad, "test_a::test_a"), Inconsistent, 4, 1},
		{"no test beside them", 1, xml(good, bad), NoReport, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := Attempt{ExitCode: c.exit}
			res := sandbox.Result{ExitCode: c.exit, Files: map[string][]byte{phaseFile: []byte("test\n"),
				"001.xml": []byte(c.report)}}
			if err := judge(&a, res, plan); err != nil {
				t.Fatal(err)
			}
			if a.Status != c.want || a.ExitCode != c.exits || len(a.Parsed.Results) != c.left {
				t.Errorf("%s (%s), exit %d, %v; want %s, exit %d, %d results", a.Status, a.Detail, a.ExitCode, a.Parsed.Results,
					c.want, c.exits, c.left)
			}
		})
	}
}
