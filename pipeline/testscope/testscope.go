// Package testscope decides which tests run: make test-short runs those that need no
// engine, no network and no other program; make test runs them all but the long ones,
// which make test-all adds. It is for tests alone.
package testscope

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Variable is the environment's variable that says all where the long tests run, too.
const Variable = "WIDESWE_TEST"

// NotShort skips a test that make test-short leaves out, and says why.
func NotShort(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-short leaves it out: ", why)
	}
}

// Long skips a test that only make test-all runs, and says why.
func Long(t testing.TB, why string) {
	t.Helper()
	NotShort(t, why)
	if !All() {
		t.Skip("make test-all runs it: ", why)
	}
}

// Times is how often a test tries something: less often in make test-short.
func Times(short, usual int) int {
	if testing.Short() {
		return short
	}
	return usual
}

// All says whether the long tests run.
func All() bool { return os.Getenv(Variable) == "all" }

// Programs skips a test of programs that the machine lacks; a name that begins with a
// slash is that of a file. make test-short leaves all of them out.
func Programs(t testing.TB, names ...string) {
	t.Helper()
	NotShort(t, "it runs "+strings.Join(names, ", "))
	for _, n := range names {
		var err error
		if strings.HasPrefix(n, "/") {
			_, err = os.Stat(n)
		} else {
			_, err = exec.LookPath(n)
		}
		if err != nil {
			t.Skipf("%s is not installed", n)
		}
	}
}
