package testrun_test

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// TestForgedResultsAreInconsistent: programs that know the tests' names and write
// their results themselves, in the runner's own marks.
func TestForgedResultsAreInconsistent(t *testing.T) {
	const say = `
func say(lines ...string) { for _, l := range lines { os.Stdout.WriteString("\x16" + l + "\n") } }
var exit = syscall.Exit // os.Exit is watched
func TestA(t *testing.T) { t.Error("no") }
func TestB(t *testing.T) { t.Error("no") }
`
	passes := `say("=== RUN   TestA", "--- PASS: TestA (0.00s)", "=== RUN   TestB", "--- PASS: TestB (0.00s)"`
	for _, c := range []struct{ name, text string }{
		{"in the testing package's own words, ending with 0", `func init() { ` + passes + `); say("PASS"); os.Exit(0) }`},
		{"then crashing in a test that does not count", `func init() { ` + passes + `, "=== RUN   TestC"); os.Exit(2) }`},
		{"in the middle of a test, when the first of the runner's own are through", `func TestAA(t *testing.T) { ` + passes +
			`, "--- PASS: TestAA (0.00s)"); say("PASS"); exit(0) }`},
		{"guessing that every test it was asked for passes", `func init() {
	for _, a := range os.Args {
		if p, ok := strings.CutPrefix(a, "-test.run="); ok {
			for _, name := range strings.FieldsFunc(p, func(r rune) bool { return strings.ContainsRune("^()|$", r) }) {
				say("=== RUN   "+name, "--- PASS: "+name+" (0.00s)")
			}
		}
	}
	say("PASS")
	os.Exit(0)
}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep := run(t, suite(t, say+c.text), nil)
			if a := rep.First(); a.Status != testrun.Inconsistent {
				t.Errorf("status %s (%s), outcomes %v\n%s", a.Status, a.Detail, outcomes(rep), a.Output)
			}
		})
	}
}

// TestCanariesLeaveNoTrace: what the runner laid in is in no result, list or count.
func TestCanariesLeaveNoTrace(t *testing.T) {
	rep := run(t, suite(t, `func TestA(t *testing.T) {}; func TestB(t *testing.T) { panic("no") }`), nil)
	want := map[string]schema.TestOutcome{"TestA": schema.Pass, "TestB": schema.Fail}
	for name, o := range outcomes(rep) {
		if want[name] != o {
			t.Errorf("%s %s", name, o)
		}
	}
	for _, a := range rep.Attempts {
		if n := a.Parsed.Counts; n.Pass+n.Fail+n.Error+n.Skip+n.NotRun != len(a.Parsed.Results) {
			t.Errorf("counts %+v of %d results", n, len(a.Parsed.Results))
		}
	}
	if a := rep.First(); a.Status != testrun.Crashed {
		t.Errorf("status %s: %s", a.Status, a.Detail)
	}
}

// TestTheScriptIsReadBeforeItRuns: what the tests do to the script's file, which
// lies where they may write, changes nothing of the run.
func TestTheScriptIsReadBeforeItRuns(t *testing.T) {
	rep := run(t, suite(t, ``), func(q *testrun.Request) {
		q.Recipe = schema.Recipe{Toolchain: "go", Report: "tap",
			Test: `{ sed 's/not o[k] 1/ok 1/; s/exit [1]/exit 0/' "$TMPDIR"/.script >"$TMPDIR"/x && cat "$TMPDIR"/x >"$TMPDIR"/.script; } </dev/null
` + strings.Repeat(": a line of a script that is too long to be read at once\n", 2000) +
				`echo 1..1 >"$WIDESWE_OUT"/a.tap
echo not ok 1 >>"$WIDESWE_OUT"/a.tap
exit 1`}
	})
	if a := rep.First(); a.ExitCode != 1 || a.Parsed.Counts.Fail != 1 {
		t.Errorf("status %s (%s), exit %d, %+v\n%s", a.Status, a.Detail, a.ExitCode, a.Parsed.Counts, a.Output)
	}
}
