package testreport

import (
	"fmt"
	"strings"
)

// Consistent says whether the runner's exit code and its report tell the same
// story, and if not, where they differ. A run that is not consistent is scored
// for nobody: something wrote the report or ended the runner that should not have.
func Consistent(r Report, exitCode int) (bool, string) {
	bad := r.Counts.Fail + r.Counts.Error
	if own := formats[r.Format].consistent; own != nil {
		return own(r, exitCode, bad)
	}
	return consistentExit(r, exitCode, bad)
}

// consistentExit is the rule of runners that end with an error exactly when a test
// failed.
func consistentExit(r Report, exitCode, bad int) (bool, string) {
	switch {
	case r.count(Contradiction) > 0:
		return false, "the report contradicts itself: " + r.first(Contradiction)
	case exitCode == 0 && bad > 0:
		return false, fmt.Sprintf("the runner ended with 0, the report has %d failed tests", bad)
	case exitCode == 0 && r.broken() != "":
		return false, "the runner ended with 0, the report says " + r.broken()
	case exitCode != 0 && bad == 0 && r.Counts.NotRun == 0 && r.broken() == "" && !emptyIsFailure(r, exitCode):
		return false, fmt.Sprintf("the runner ended with %d, the report has no failed test", exitCode)
	}
	return true, ""
}

// consistentTAP: a TAP producer need not end with an error when a test fails, so
// only a failure that the report does not know is a contradiction.
func consistentTAP(r Report, exitCode, bad int) (bool, string) {
	if exitCode != 0 && bad == 0 && r.broken() == "" {
		return false, fmt.Sprintf("the runner ended with %d, the report has no failed test", exitCode)
	}
	if r.count(Contradiction) > 0 {
		return false, "the report contradicts itself: " + r.first(Contradiction)
	}
	if exitCode == 0 && r.broken() != "" {
		return false, "the runner ended with 0, the report says " + r.broken()
	}
	return true, ""
}

// emptyIsFailure: pytest ends with 5 when it collected nothing.
func emptyIsFailure(r Report, exitCode int) bool {
	return r.Format == JUnit && exitCode == 5 && r.Counts.Pass+r.Counts.Skip == 0
}

func (r Report) count(k Kind) int {
	n := 0
	for _, p := range r.Problems {
		if p.Kind == k {
			n++
		}
	}
	return n
}

func (r Report) first(k Kind) string {
	for _, p := range r.Problems {
		if p.Kind == k {
			return p.Unit + ": " + p.Message
		}
	}
	return ""
}

// broken names the problems that a runner reports by its exit code.
func (r Report) broken() string {
	var said []string
	for _, p := range r.Problems {
		switch p.Kind {
		case BuildFailed, Crashed, Cut, CollectionError, BailedOut, PlanMismatch, Unreadable, UnitFailed:
			said = append(said, string(p.Kind)+" in "+p.Unit)
		}
		if len(said) == 3 {
			break
		}
	}
	return strings.Join(said, ", ")
}
