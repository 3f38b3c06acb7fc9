package gotest

import (
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// forged says that the program ended with 0 although the testing package, which
// lets no test end it so, had not printed its own last line.
func (u *goUnit) forged() bool { return u.exitedZero && !u.verdict && len(u.tests) > 0 }

// crashed says that the test program did not come to its own end. A program that
// does prints PASS or FAIL through the testing package, with every test ended.
func (u *goUnit) crashed() bool {
	if u.result == "" {
		return true
	}
	if u.unbuilt || u.failedBuild != "" || u.result == "skip" {
		return false
	}
	for _, t := range u.tests {
		if t.state != "end" {
			return true
		}
	}
	return !u.verdict && (len(u.tests) > 0 || u.panicText != "")
}

// blame finds which tests brought a program down.
//
// A panic on a test's own goroutine makes the testing package report that test
// and its parents as failed, innermost first, before the program dies: the
// innermost is to blame and all that had not ended were interrupted. Otherwise
// (os.Exit, a panic on another goroutine, a time-out) the tests that were running
// and not waiting are suspects. One suspect is the culprit; of several only one
// may be, so none is condemned and each has to be run alone.
//
// running are the tests without an end, culprits the ones of them whose outcome
// is an error, suspects the ones to leave out or to run alone.
func (u *goUnit) blame() (running []*goTest, culprits, suspects map[*goTest]bool) {
	culprits, suspects = map[*goTest]bool{}, map[*goTest]bool{}
	if !u.crashed() {
		return nil, culprits, suspects
	}
	for _, t := range u.tests {
		if t.state != "end" {
			running = append(running, t)
		}
	}
	if t := u.panicked(); t != nil {
		suspects[t] = true
		return running, culprits, suspects
	}
	leaves := u.leaves(running)
	for _, t := range leaves {
		suspects[t] = true
	}
	if len(leaves) == 1 {
		for _, t := range running {
			if t == leaves[0] || isChild(leaves[0].name, t.name) {
				culprits[t] = true
			}
		}
	}
	if len(running) == 0 && len(u.ends) > 0 {
		u.suspectLast(suspects)
	}
	return running, culprits, suspects
}

// panicked follows the failed chain that a panic leaves at the end of the stream
// down to its innermost test.
func (u *goUnit) panicked() *goTest {
	last := len(u.ends) - 1
	if u.panicText == "" || last < 0 || u.ends[last].outcome != schema.Fail {
		return nil
	}
	if t := u.ends[last]; t.name != u.panicTest || u.panicAt > t.ended {
		return nil
	}
	t := u.ends[last]
	for i := last - 1; i >= 0; i-- {
		prev := u.ends[i]
		if prev.outcome != schema.Fail || !isChild(prev.name, t.name) || strings.Contains(prev.name[len(t.name)+1:], "/") {
			break
		}
		t = prev
	}
	return t
}

// leaves are the running tests that were not waiting for another to go on.
func (u *goUnit) leaves(running []*goTest) []*goTest {
	inner := map[string]bool{} // names with a running descendant
	for _, t := range running {
		if t.state != "run" {
			continue
		}
		for i := range t.name {
			if t.name[i] == '/' {
				inner[t.name[:i]] = true
			}
		}
	}
	var leaves []*goTest
	for _, t := range running {
		if t.state == "run" && !inner[t.name] {
			leaves = append(leaves, t)
		}
	}
	return leaves
}

// suspectLast: a program that dies between tests was brought down by what the
// last one left behind, or printed that one's end itself. Its pass is not believed.
func (u *goUnit) suspectLast(suspects map[*goTest]bool) {
	top, _, _ := strings.Cut(u.ends[len(u.ends)-1].name, "/")
	for _, t := range u.tests {
		if t.name == top || isChild(t.name, top) {
			suspects[t] = true
		}
	}
}

func isChild(name, parent string) bool {
	return len(name) > len(parent) && name[len(parent)] == '/' && strings.HasPrefix(name, parent)
}
