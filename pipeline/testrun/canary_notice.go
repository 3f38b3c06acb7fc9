package testrun

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// maxNoticed bounds the names in a notice.
const maxNoticed = 16

// canaryNotice is the first line of a run's log: which of the failures below belong to
// tests that the plan adds, and to no code under test.
func canaryNotice(plan kit.Plan) string {
	count := map[schema.TestOutcome]int{}
	var failing []string
	for _, c := range plan.Canaries {
		for _, tests := range []map[string]schema.TestOutcome{c.Want, c.Last} {
			for _, name := range slices.Sorted(maps.Keys(tests)) {
				count[tests[name]]++
				if tests[name] != schema.Pass {
					failing = append(failing, name)
				}
			}
		}
	}
	if len(plan.Canaries) == 0 {
		return ""
	}
	names := strings.Join(failing[:min(len(failing), maxNoticed)], ", ")
	if n := len(failing) - maxNoticed; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("== wideswe added tests of its own to tell a forged report: %d must fail, %d must be skipped, "+
		"%d must pass; those that must not pass: %s\n", count[schema.Fail], count[schema.Skip], count[schema.Pass], names)
}
