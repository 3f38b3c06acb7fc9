package testreport

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

var (
	trsResult = regexp.MustCompile(`(?m)^:test-result:[ \t]*(PASS|XFAIL|SKIP|FAIL|XPASS|ERROR)(?:[ \t]+(.*?))?[ \t\r]*$`)
	trsGlobal = regexp.MustCompile(`(?m)^:test-global-result:[ \t]*(PASS|XFAIL|SKIP|FAIL|XPASS|ERROR)\b`)
	trsWords  = map[string]schema.TestOutcome{"PASS": schema.Pass, "XFAIL": schema.Skip, "SKIP": schema.Skip, "FAIL": schema.Fail, "XPASS": schema.Fail, "ERROR": schema.Error}
)

// cppMake reads automake's .trs files, or takes the target for one test.
func (b *builder) cppMake(r cppRecord) {
	bad := 0
	names := make([]string, 0, len(r.Trs))
	for name := range r.Trs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		said := trsResult.FindAllStringSubmatch(r.Trs[name][0], MaxResults)
		if len(said) == 0 {
			b.problem(name, Cut, "the .trs file has no result")
		}
		own, tests := 0, trsNames(r.Trs[name][1], name, said)
		for i, m := range said {
			outcome, test := trsWords[m[1]], m[2]
			if test == "" {
				test = tests[i]
			}
			if outcome == schema.Fail || outcome == schema.Error {
				own++
			}
			b.add(b.id(name, test), outcome, 0, r.Trs[name][1])
		}
		if g := trsGlobal.FindStringSubmatch(r.Trs[name][0]); g != nil && own == 0 && (g[1] == "FAIL" || g[1] == "ERROR") {
			b.problem(name, UnitFailed, "automake says "+g[1]+", and none of its tests failed")
			own++
		}
		bad += own
	}
	switch {
	case len(names) == 0 && r.Code == 0:
		b.add(b.id("make", r.Test), schema.Pass, 0, "")
	case len(names) == 0:
		b.add(b.id("make", r.Test), schema.Fail, 0, r.Log)
	case r.Code == 0 && bad > 0:
		b.problem("make", Contradiction, fmt.Sprintf("make ended with 0, and %d tests failed", bad))
	case r.Code != 0 && bad == 0:
		b.problem("make", UnitFailed, fmt.Sprintf("make ended with %d, and no test failed\n%s", r.Code, r.Log))
	}
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
	for _, m := range trsLine.FindAllStringSubmatch(cleanText(log), MaxResults) {
		if m[2] == name || strings.HasPrefix(m[2], name+".") {
			said = append(said, m)
		}
	}
	if len(said) != len(results) || len(results) < 2 || slices.ContainsFunc(results, func(r []string) bool { return r[2] != "" }) {
		return names
	}
	for i, m := range said {
		if m[1] != results[i][1] {
			return slices.Repeat([]string{"(all)"}, len(results))
		}
		description, _, _ := cutDirective(strings.TrimSuffix(m[3], " # UNPLANNED"))
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
