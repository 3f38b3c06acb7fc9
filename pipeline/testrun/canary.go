package testrun

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// checkCanaries says why a report is not the test runner's own work, "" where
// nothing speaks against it. A report with a pass must have its canaries end as
// they were made to: those before all other tests, and those after them where nothing
// stopped the runner. One without a pass claims nothing.
func checkCanaries(plan kit.Plan, reports map[string][]byte) (string, error) {
	for _, c := range plan.Canaries {
		files := map[string][]byte{c.File: reports[c.File]}
		for _, name := range c.With {
			if data, ok := reports[name]; ok {
				files[name] = data
			}
		}
		r, err := formats.Parse(plan.Report, files)
		if err != nil {
			return "", err
		}
		seen, last, passes := map[string]bool{}, map[string]bool{}, ""
		for _, t := range r.Results {
			want, ours := c.Outcome(canaryName(t.ID))
			switch {
			case ours && t.Outcome == schema.NotRun: // a crash came first: it was not seen
			case ours && t.Outcome != want:
				return fmt.Sprintf("a test laid in by the runner ended with %s in %s and not with %s "+
					"(where something of the repository changes what every test does, its recipe sets env %s: off)", t.Outcome, c.File,
					want, kit.CanaryOff), nil
			case ours && c.Want[canaryName(t.ID)] == "":
				last[canaryName(t.ID)] = true
			case ours:
				seen[canaryName(t.ID)] = true
			case t.Outcome == schema.Pass:
				passes = t.ID
			}
		}
		if passes != "" && len(seen) < len(c.Want) {
			return fmt.Sprintf("%s is said to pass, and %d of %d tests laid in by the runner before it did not run "+
				"(where the repository itself chooses what runs, in a TestMain or a conftest.py, its recipe sets env %s: off)",
				passes, len(c.Want)-len(seen), len(c.Want), kit.CanaryOff), nil
		}
		if passes != "" && len(last) < len(c.Last) && len(crashedUnits(r)) == 0 {
			return fmt.Sprintf("%s is said to pass, and %d of %d tests laid in by the runner after all others did not run, "+
				"though nothing stopped it "+
				"(where the repository itself chooses what runs, its recipe sets env %s: off)", passes, len(c.Last)-len(last),
				len(c.Last), kit.CanaryOff), nil
		}
	}
	return "", nil
}

var again = regexp.MustCompile(` #\d+$`)

func canaryName(id string) string {
	_, name := schema.SplitTestID(id)
	return again.ReplaceAllString(name, "")
}

// exitOfOthers is the exit code of a run without the tests that were laid in to fail:
// r is the report without them.
func exitOfOthers(plan kit.Plan, r testreport.Report, exit int) int {
	failing := slices.ContainsFunc(plan.Canaries, func(c kit.Canary) bool {
		return slices.Contains(slices.Collect(maps.Values(c.Want)), schema.Fail)
	})
	if fits, _ := formats.Consistent(r, 0); failing && exit == 1 && fits {
		return 0
	}
	return exit
}

// dropCanaries takes the runner's own tests out of a report.
func dropCanaries(plan kit.Plan, r testreport.Report) testreport.Report {
	ours := func(id string) bool {
		name := canaryName(id)
		return slices.ContainsFunc(plan.Canaries, func(c kit.Canary) bool { _, ok := c.Outcome(name); return ok })
	}
	r.Results = slices.DeleteFunc(r.Results, func(t schema.TestResult) bool {
		if !ours(t.ID) {
			return false
		}
		switch t.Outcome {
		case schema.Pass:
			r.Counts.Pass--
		case schema.Fail:
			r.Counts.Fail--
		case schema.Error:
			r.Counts.Error--
		case schema.Skip:
			r.Counts.Skip--
		case schema.NotRun:
			r.Counts.NotRun--
		}
		return true
	})
	r.Running, r.Crashed = slices.DeleteFunc(r.Running, ours), slices.DeleteFunc(r.Crashed, ours)
	return r
}
