package gotest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// stream writes events: "run T", "pass T", "out T text", and for the package
// itself "pass", "out - text".
func stream(pkg string, events ...string) string {
	var b strings.Builder
	for _, e := range events {
		words := strings.SplitN(e, " ", 3)
		test := ""
		if len(words) > 1 && words[1] != "-" {
			test = fmt.Sprintf(`,"Test":%q`, words[1])
		}
		if words[0] == "out" {
			fmt.Fprintf(&b, `{"Action":"output","Package":%q%s,"Output":%q}`+"\n", pkg, test, words[2]+"\n")
			continue
		}
		fmt.Fprintf(&b, `{"Action":%q,"Package":%q%s,"Elapsed":0.5}`+"\n", words[0], pkg, test)
	}
	return b.String()
}

func TestGoTest(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"every outcome, parents and subtests", map[string]string{"1.json": stream("m/p",
			"run A", "run A/x", "pass A/x", "pass A", "run B", "fail B", "run C", "skip C", "out - FAIL", "fail")}, `
m/p::A pass
m/p::A/x pass
m/p::B fail
m/p::C skip`},
		{"same name in two packages", map[string]string{
			"1.json": stream("m/p", "run A", "pass A", "out - PASS", "pass"),
			"2.json": stream("m/q", "run A", "fail A", "out - FAIL", "fail")}, `
m/p::A pass
m/q::A fail`},
		{"one package in two files", map[string]string{
			"1.json": stream("m/p", "run A", "pass A", "out - PASS", "pass"),
			"2.json": stream("m/p", "run B", "pass B", "out - PASS", "pass")}, `
m/p::A pass
m/p::B pass`},
		{"a second run of a test is another test", map[string]string{"1.json": stream("m/p",
			"run A", "pass A", "run A", "fail A", "out - FAIL", "fail")}, `
m/p::A pass
m/p::A #2 fail`},
		{"an end without a start does not count", map[string]string{"1.json": stream("m/p",
			"run A", "pass Ghost", "pass A", "out - PASS", "pass")}, `
m/p::A pass`},
		{"two ends that differ", map[string]string{"1.json": stream("m/p",
			"run A", "pass A", "fail A", "out - FAIL", "fail")}, `
m/p::A error
! m/p contradiction`},
		{"printed result lines and JSON are output", map[string]string{"1.json": stream("m/p",
			"run A", "out A --- PASS: Ghost (0.00s)", `out A {"Action":"pass","Package":"m/p","Test":"Ghost"}`, "pass A",
			"out - PASS", "pass")}, `
m/p::A pass`},
		{"ids hold spaces, slashes and no port", map[string]string{"1.json": stream("m/p",
			"run A", "run A/a/b#01", "pass A/a/b#01", "run A/127.0.0.1:4001", "pass A/127.0.0.1:4001", "pass A", "out - PASS",
			"pass")}, `
m/p::A pass
m/p::A/127.0.0.1:PORT pass
m/p::A/a/b#01 pass`},
		{"panic on a test's own goroutine", map[string]string{"1.json": stream("m/p",
			"run A", "run A/x", "pause A/x", "run A/y", "pause A/y", "run A/z", "pass A/z", "cont A/x", "cont A/y",
			"fail A/y", "out A --- FAIL: A (0.00s)", "out A panic: boom [recovered]", "fail A", "out - FAIL\tm/p\t0.1s",
			"fail")}, `
m/p::A fail
m/p::A/x not_run
m/p::A/y fail
m/p::A/z pass
! m/p crashed
crashed m/p::A/y`},
		{"os.Exit in the one running test", map[string]string{"1.json": stream("m/p",
			"run A", "pass A", "run B", "run B/x", "out - FAIL\tm/p\t0.1s", "fail")}, `
m/p::A pass
m/p::B error
m/p::B/x error
! m/p crashed
crashed m/p::B/x`},
		{"a failed test before is not to blame", map[string]string{"1.json": stream("m/p",
			"run A", "fail A", "run B", "out B panic: on another goroutine", "out - FAIL\tm/p\t0.1s", "fail")}, `
m/p::A fail
m/p::B error
! m/p crashed
crashed m/p::B`},
		{"of several suspects none is condemned", map[string]string{"1.json": stream("m/p",
			"run A", "pause A", "run B", "pause B", "run C", "pause C", "cont A", "cont B", "out A panic: bg",
			"out - FAIL\tm/p\t0.1s", "fail")}, `
m/p::A not_run
m/p::B not_run
m/p::C not_run
! m/p crashed
crashed m/p::A
crashed m/p::B`},
		{"a pass is not believed where the program died after it", map[string]string{"1.json": stream("m/p",
			"run A", "pass A", "run B", "pass B", "out - exit status 2", "fail")}, `
m/p::A pass
m/p::B error
! m/p crashed
crashed m/p::B`},
		{"printed results and an early exit with 0 are believed nowhere", map[string]string{"1.json": stream("m/p",
			"run A", "pass A", "run B", "pass B", "out B PASS", "out B ok  \tm/p\t0.01s", "pass B")}, `
m/p::A error
m/p::B error
! m/p contradiction`},
		{"nor is a package that passes without the testing package's word", map[string]string{"1.json": stream("m/p",
			"run A", "pass A", "run B", "pass")}, `
m/p::A error
m/p::B error
! m/p contradiction`},
		{"killed in the middle", map[string]string{"1.json": stream("m/p", "run A", "pass A", "run B")}, `
m/p::A pass
m/p::B error
! m/p cut
crashed m/p::B`},
		{"a line cut in half", map[string]string{"1.json": stream("m/p", "run A", "pass A") + `{"Action":"pa`}, `
m/p::A error
! m/p cut
crashed m/p::A`},
		{"build failure, Go 1.24 and later", map[string]string{"1.json": `{"ImportPath":"m/p [m/p.test]","Action":"build-output","Output":"p.go:1: undefined: x\n"}
{"ImportPath":"m/p [m/p.test]","Action":"build-fail"}
{"Action":"start","Package":"m/p"}
{"Action":"output","Package":"m/p","Output":"FAIL\tm/p [build failed]\n"}
{"Action":"fail","Package":"m/p","FailedBuild":"m/p [m/p.test]"}`}, `
! m/p build_failed`},
		{"build failure, before", map[string]string{"1.json": stream("m/p", "out - FAIL\tm/p [build failed]", "fail"),
			"1.stderr": "# m/p\np.go:1: undefined: x\n"}, `
! m/p build_failed`},
		{"nothing but the go command's own trouble", map[string]string{"1.json": "",
			"1.stderr": "go: updates to go.mod needed\n"}, `
! 1.json build_failed`},
		{"no test matched", map[string]string{"1.json": stream("m/p", "out - testing: warning: no tests to run", "out - PASS",
			"pass")}, `
! m/p no_tests`},
		{"no test files", map[string]string{"1.json": stream("m/p", "out - ?   \tm/p\t[no test files]", "skip")}, `
! m/p no_tests`},
		{"the package fails and no test does", map[string]string{"1.json": stream("m/p", "run A", "pass A", "out - PASS",
			"out - leak found", "fail")}, `
m/p::A pass
! m/p unit_failed`},
		{"raw lines are ignored", map[string]string{"1.json": "go: downloading x v1\n" + stream("m/p", "run A", "pass A",
			"out - PASS", "pass") + "{not json\n\xff\xfe\n"}, `
m/p::A pass`},
	} {
		t.Run(c.name, func(t *testing.T) { reporttest.CheckLines(t, Format(), c.files, c.want) })
	}
}

func TestGoTestKeepsWhatWasSaid(t *testing.T) {
	r := reporttest.CheckLines(t, Format(), map[string]string{"1.json": stream("m/p", "run A",
		"out A     a_test.go:3: got 1, want 2", "fail A", "out - FAIL", "fail"), "1.stderr": ""}, "m/p::A fail")
	if got := r.Results[0]; got.Message != "a_test.go:3: got 1, want 2" || got.Seconds != 0.5 {
		t.Errorf("got %+v", got)
	}
	r = reporttest.CheckLines(t, Format(), map[string]string{"1.json": stream("m/p", "out - FAIL\tm/p [build failed]",
		"fail"), "1.stderr": "p.go:1: undefined: x\n"}, "! m/p build_failed")
	if !strings.Contains(r.Problems[0].Message, "undefined: x") {
		t.Errorf("the compile error is lost: %q", r.Problems[0].Message)
	}
	if r.Counts.Files != 1 {
		t.Errorf("counted %d files, want 1", r.Counts.Files)
	}
}

func TestGoTestHugeLine(t *testing.T) {
	huge := strings.Repeat("x", 8<<20)
	reporttest.CheckLines(t, Format(), map[string]string{"1.json": stream("m/p", "run A", "out A "+huge, "pass A",
		"out - PASS", "pass")}, "m/p::A pass")
}

func TestGoTestRunning(t *testing.T) {
	r := reporttest.CheckLines(t, Format(), map[string]string{"1.json": stream("m/p", "run A", "pause A", "run B",
		"out - FAIL\tm/p\t1s", "fail")}, `
m/p::A not_run
m/p::B error
! m/p crashed
crashed m/p::B`)
	if got := strings.Join(r.Running, " "); got != "m/p::A m/p::B" {
		t.Errorf("running: %s", got)
	}
}

// TestCorpus: go test -json of packages that end in every way. What a package's
// init prints in the marks of the testing package can't be told from results here:
// only the tests laid in by the runner tell.
func TestCorpus(t *testing.T) { reporttest.Corpus(t, Format(), "gotest-*", 5) }

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, Format(), "a test", "1.json", stream("m/p", "run A", "out A === RUN   A",
		"out A === PAUSE A", "out A === CONT  A",
		"out A     a_test.go:3: it took 0.25s", "out A --- FAIL: A (‹1.02›s)", "fail A", "out - FAIL", "fail"),
		"a_test.go:3: it took 0.25s")
	reporttest.CheckFraming(t, Format(), "a subtest", "1.json", stream("m/p", "run A", "run A/x", "out A/x === RUN   A/x",
		"out A/x     a_test.go:4: no",
		"out A/x     --- FAIL: A/x (‹1.00›s)", "fail A/x", "out A --- FAIL: A (‹2.00›s)", "fail A", "out - FAIL", "fail"),
		"\na_test.go:4: no")
	reporttest.CheckFraming(t, Format(), "a program that died", "1.json", stream("m/p", "run A",
		"out - FAIL\tm/p\t‹1.038›s", "fail"),
		"\nthe test program ended before the testing package did\nFAIL\tm/p\n\nin A")
	reporttest.CheckFraming(t, Format(), "out of time", "1.json", stream("m/p", "run A",
		"out A panic: test timed out after 3s",
		"out A \trunning tests:", "out A \t\tA (‹3›s)", "out - FAIL", "fail"),
		"panic: test timed out after 3s\n\trunning tests:\n\t\tA\npanic: test timed out after 3s\nin A")
}

func FuzzGoTest(f *testing.F) {
	f.Add([]byte(`{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"pass","Package":"p","Test":"T"}`))
	reporttest.Seed(f, "gotest-*/*.json")
	reporttest.Fuzz(f, Format(), "001.json")
}
