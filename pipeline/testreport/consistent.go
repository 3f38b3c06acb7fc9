package testreport

import (
	"fmt"
	"slices"
)

// ConsistentExit is the rule of runners that end with an error exactly when a test failed.
func ConsistentExit(r Report, exitCode int) (ok bool, why string) {
	bad := r.Counts.Fail + r.Counts.Error
	switch {
	case r.Count(Contradiction) > 0:
		return false, r.contradiction()
	case exitCode == 0 && bad > 0:
		return false, fmt.Sprintf("the runner ended with 0, the report has %d failed tests", bad)
	case exitCode == 0 && r.broken() != "":
		return false, "the runner ended with 0, the report says " + r.broken()
	case exitCode != 0 && bad == 0 && r.Counts.NotRun == 0 && r.broken() == "":
		return false, noFailedTest(exitCode)
	}
	return true, ""
}

// ConsistentLoss is [ConsistentExit] for runners that the program under test may end
// with 0: the report then says that it is cut, and the tests that were lost are missing.
func ConsistentLoss(r Report, exitCode int) (ok bool, why string) {
	if exitCode == 0 && r.Count(Crashed)+r.Count(Cut) > 0 {
		r.Counts.Error -= len(r.Crashed)
		lost := func(p Problem) bool { return p.Kind == Crashed || p.Kind == Cut }
		r.Problems = slices.DeleteFunc(slices.Clone(r.Problems), lost)
	}
	return ConsistentExit(r, exitCode)
}

// ConsistentLenient is the rule of producers that need not end with an error when a
// test fails: only a failure that the report does not know is a contradiction.
func ConsistentLenient(r Report, exitCode int) (ok bool, why string) {
	switch bad := r.Counts.Fail + r.Counts.Error; {
	case exitCode != 0 && bad == 0 && r.broken() == "":
		return false, noFailedTest(exitCode)
	case r.Count(Contradiction) > 0:
		return false, r.contradiction()
	case exitCode == 0 && r.broken() != "":
		return false, "the runner ended with 0, the report says " + r.broken()
	}
	return true, ""
}

func (r Report) contradiction() string {
	return "the report contradicts itself: " + r.first(Contradiction)
}

func noFailedTest(exitCode int) string {
	return fmt.Sprintf("the runner ended with %d, the report has no failed test", exitCode)
}
