package cpp

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/tap"
	"github.com/wideswe/wideswe/schema"
)

var (
	trsResult = regexp.MustCompile(`(?m)^:test-result:[ \t]*(PASS|XFAIL|SKIP|FAIL|XPASS|ERROR)(?:[ \t]+(.*?))?[ \t\r]*$`)
	trsGlobal = regexp.MustCompile(`(?m)^:test-global-result:[ \t]*(PASS|XFAIL|SKIP|FAIL|XPASS|ERROR)\b`)
)

var trsWords = map[string]schema.TestOutcome{
	"PASS": schema.Pass, "XFAIL": schema.Skip, "SKIP": schema.Skip,
	"FAIL": schema.Fail, "XPASS": schema.Fail, "ERROR": schema.Error,
}

// make reads automake's .trs files, or takes the target for one test.
func (p *reader) make(r record) {
	if len(r.Trs) == 0 {
		outcome := schema.Pass
		if r.Code != 0 {
			outcome = schema.Fail
		}
		p.b.Add(p.b.ID("make", r.Test), outcome, 0, r.Log)
		return
	}
	bad := 0
	for _, name := range slices.Sorted(maps.Keys(r.Trs)) {
		bad += p.trs(name, r.Trs[name][0], r.Trs[name][1])
	}
	switch {
	case r.Code == 0 && bad > 0:
		p.b.Problem("make", testreport.Contradiction, fmt.Sprintf("make ended with 0, and %d tests failed", bad))
	case r.Code != 0 && bad == 0:
		p.b.Problem("make", testreport.UnitFailed, fmt.Sprintf("make ended with %d, and no test failed\n%s", r.Code, r.Log))
	}
}

// trs reads the results of one test and counts those that failed.
func (p *reader) trs(name, text, log string) (bad int) {
	results := trsResult.FindAllStringSubmatch(text, testreport.MaxResults)
	if len(results) == 0 {
		p.b.Problem(name, testreport.Cut, "the .trs file has no result")
	}
	names := trsNames(log, name, results)
	for i, m := range results {
		outcome := trsWords[m[1]]
		if testreport.IsBad(outcome) {
			bad++
		}
		p.b.Add(p.b.ID(name, cmp.Or(m[2], names[i])), outcome, 0, log)
	}
	if g := trsGlobal.FindStringSubmatch(text); g != nil && bad == 0 && (g[1] == "FAIL" || g[1] == "ERROR") {
		p.b.Problem(name, testreport.UnitFailed, "automake says "+g[1]+", and none of its tests failed")
		bad++
	}
	return bad
}

var (
	trsLine   = regexp.MustCompile(`(?m)^(PASS|XFAIL|SKIP|FAIL|XPASS|ERROR): (\S+)(?: (.*?))?[ \t\r]*$`)
	trsNumber = regexp.MustCompile(`^(\d{1,9})(?:[ \t]+-?[ \t]*|$)`)
)

// trsNames names the results of one .trs file, which has none for those of TAP: the
// log has a line of the driver for each. Where the log holds other lines of the kind
// (a program may print them) or fewer, no result has a name.
func trsNames(log, name string, results [][]string) []string {
	names := slices.Repeat([]string{"(all)"}, len(results))
	var said [][]string
	for _, m := range trsLine.FindAllStringSubmatch(testreport.CleanText(log), testreport.MaxResults) {
		if m[2] == name || strings.HasPrefix(m[2], name+".") {
			said = append(said, m)
		}
	}
	named := slices.ContainsFunc(results, func(r []string) bool { return r[2] != "" })
	if len(said) != len(results) || len(results) < 2 || named {
		return names
	}
	for i, m := range said {
		if m[1] != results[i][1] {
			return slices.Repeat([]string{"(all)"}, len(results))
		}
		description, _, _ := tap.CutDirective(strings.TrimSuffix(m[3], " # UNPLANNED"))
		number := trsNumber.FindStringSubmatch(description)
		if number == nil { // the driver's own word on the program
			continue
		}
		if names[i] = strings.TrimPrefix(description, number[0]); names[i] == "" {
			names[i] = "test " + number[1]
		}
	}
	return names
}
