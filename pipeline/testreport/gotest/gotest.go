// Package gotest reads what go test -json writes.
package gotest

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// Format is the event stream of go test -json, with the go command's own words beside it.
func Format() testreport.Format {
	return testreport.Format{
		Name: "gotest", Version: "4",
		Unit: testreport.PackageUnit, Proof: "the testing package's own PASS or FAIL, or the go command's word that it " +
			"does not build", Apart: true,
		Doc:     "go test -json; beside it, with the extension .stderr, what the go command said outside of its events",
		Read:    read,
		Framing: framing,
	}
}

var framing = []testreport.Frame{
	testreport.NewFrame("\t", `^((?:FAIL|ok  )\t\S+)\t\d+\.\d+s`, "$1"),
	// the tests that a time-out found running
	testreport.NewFrame(" ", `^(\t\t\S+) \((?:\d+[hms]+)+\)$`, "$1"),
}

// stderrExt is the extension of the file beside a report (the same name, another
// extension) that holds what the go command said outside its event stream:
// compile errors before Go 1.24, trouble with go.mod.
const stderrExt = ".stderr"

// goEvent is one line of test2json. What a test program prints is always inside
// Output, so a program can't add events of its own by printing JSON. It can by
// printing "=== RUN" and "--- PASS" lines: test2json believes them. So an end
// counts only after a start, two ends that differ are an error, and a package
// whose end is not the testing package's own has crashed.
type goEvent struct {
	Action, Package, Test, Output string
	ImportPath, FailedBuild       string
	Elapsed                       float64
}

// goTest is one instance of a test: a second run event after the end begins another.
type goTest struct {
	name    string
	state   string // run, pause, end
	outcome schema.TestOutcome
	both    bool // two ends that differ
	seconds float64
	out     testreport.Tail
	ended   int // position of its end event in the package
}

// goUnit is a package within one file.
type goUnit struct {
	path        string
	tests       []*goTest
	current     map[string]*goTest
	ends        []*goTest // in the order of their end events
	out         testreport.Tail
	result      string // pass, fail, skip, "" where the stream is cut
	verdict     bool   // the testing package printed its own PASS or FAIL
	exitedZero  bool   // the go command saw the program end with 0
	failedBuild string
	unbuilt     bool
	none        bool   // "no tests to run"
	panicTest   string // the test that the last panic text was printed under
	panicAt     int    // end events before it
	panicText   string
}

// goFile is the state of one file.
type goFile struct {
	b      *testreport.Builder
	units  map[string]*goUnit
	order  []*goUnit
	builds map[string]*testreport.Tail // compile errors by import path
	raw    testreport.Tail
}

func read(b *testreport.Builder, name string, data []byte) {
	if path.Ext(name) == stderrExt {
		b.NotAReport()
		return
	}
	f := &goFile{b: b, units: map[string]*goUnit{}, builds: map[string]*testreport.Tail{}}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		f.line(line)
	}
	f.raw.Add(string(b.Files[strings.TrimSuffix(name, path.Ext(name))+stderrExt]))
	if len(f.order) == 0 {
		b.Problem(name, testreport.BuildFailed, "no package was tested: "+f.raw.String())
	}
	for _, u := range f.order {
		f.finish(u)
	}
}

func (f *goFile) line(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var e goEvent
	if line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
		f.b.IgnoreLine()
		f.raw.Add(string(line) + "\n")
		return
	}
	if e.Package == "" {
		f.build(e)
		return
	}
	u := f.unit(e.Package)
	if e.Test == "" {
		u.event(e)
		return
	}
	if !u.test(e) {
		f.b.IgnoreLine()
	}
}

func (f *goFile) build(e goEvent) {
	log := f.builds[e.ImportPath]
	if log == nil {
		if len(f.builds) > testreport.MaxProblems {
			return
		}
		log = &testreport.Tail{}
		f.builds[e.ImportPath] = log
	}
	log.Add(e.Output)
}

func (f *goFile) unit(path string) *goUnit {
	u := f.units[path]
	if u == nil {
		u = &goUnit{path: path, current: map[string]*goTest{}}
		f.units[path] = u
		f.order = append(f.order, u)
	}
	return u
}

// event takes an event of the package itself.
func (u *goUnit) event(e goEvent) {
	switch e.Action {
	case "output":
		u.out.Add(e.Output)
		u.output(e)
		switch {
		case strings.HasSuffix(e.Output, "PASS\n"), strings.HasSuffix(e.Output, "FAIL\n"):
			u.verdict = true
		case strings.HasSuffix(e.Output, "[build failed]\n"), strings.HasSuffix(e.Output, "[setup failed]\n"):
			u.unbuilt = true
		case strings.Contains(e.Output, "no tests to run"), strings.Contains(e.Output, "[no test files]"):
			u.none = true
		}
	case "pass", "fail", "skip":
		if u.result == "" || e.Action == "fail" {
			u.result = e.Action
		}
		u.exitedZero = u.exitedZero || e.Action == "pass"
		u.failedBuild = e.FailedBuild
	}
}

// output looks for the text with which a Go program dies.
func (u *goUnit) output(e goEvent) {
	for _, dying := range []string{"panic: ", "fatal error: ", "SIGSEGV", "unexpected call to os.Exit(0)"} {
		if strings.Contains(e.Output, dying) {
			u.panicTest, u.panicAt, u.panicText = e.Test, len(u.ends), e.Output
			return
		}
	}
}

var benchmarkFigures = regexp.MustCompile(`(?m)^(?:Benchmark\S*)?[ \t]+\d+\t[ \t]*[\d.]+ ns/op`)

// goFrame are the lines that the testing package writes about a test and no test said.
var goFrame = regexp.MustCompile(
	`^\s*(?:=== (?:RUN|PAUSE|CONT|NAME) .*|--- (?:PASS|FAIL|SKIP|BENCH): \S.*?(?: \(\d+\.\d+s\))?)\n?$`)

// test takes an event of a test and says whether it counted.
func (u *goUnit) test(e goEvent) bool {
	if e.Action == "run" {
		return u.run(e.Test)
	}
	t := u.current[e.Test]
	if e.Action == "output" {
		u.output(e)
		// Printed result lines make the go command's last line a test's.
		u.exitedZero = u.exitedZero || strings.HasPrefix(e.Output, "ok  \t"+u.path+"\t")
	}
	if t == nil {
		return e.Action == "output"
	}
	switch e.Action {
	case "output":
		u.printed(t, e.Output)
	case "pause", "cont":
		if t.state != "end" {
			t.state = map[string]string{"pause": "pause", "cont": "run"}[e.Action]
		}
	case "pass", "fail", "skip":
		u.end(t, schema.TestOutcome(e.Action), e.Elapsed)
	default:
		return e.Action == "bench" || e.Action == "attr" || e.Action == "artifacts"
	}
	return true
}

// run begins an instance of a test.
func (u *goUnit) run(name string) bool {
	t := u.current[name]
	if t == nil || t.state == "end" {
		if len(u.tests) > testreport.MaxResults {
			return false
		}
		t = &goTest{name: name}
		u.current[name] = t
		u.tests = append(u.tests, t)
	}
	t.state = "run"
	return true
}

// printed takes what a test printed, without the testing package's own lines.
func (u *goUnit) printed(t *goTest, output string) {
	if !goFrame.MatchString(output) {
		t.out.Add(output)
	}
	// A benchmark that ran has no other end than its figures.
	if strings.HasPrefix(t.name, "Benchmark") && benchmarkFigures.MatchString(output) {
		u.end(t, schema.Pass, 0)
	}
}

func (u *goUnit) end(t *goTest, outcome schema.TestOutcome, seconds float64) {
	if t.state == "end" {
		t.both = t.both || t.outcome != outcome
		return
	}
	t.state, t.outcome, t.seconds, t.ended = "end", outcome, seconds, len(u.ends)
	u.ends = append(u.ends, t)
	if outcome == schema.Pass {
		t.out = testreport.Tail{}
	}
}

// finish turns a package into results and problems.
func (f *goFile) finish(u *goUnit) {
	if u.forged() {
		f.forged(u)
		return
	}
	if !u.crashed() {
		f.plain(u)
	}
	if !u.verdict && u.result != "skip" && !u.unbuilt && u.failedBuild == "" {
		f.b.Open(u.path, "the testing package printed no verdict")
	}
	running, culprits, suspects := u.blame()
	ids := map[*goTest]string{}
	for _, t := range u.tests {
		ids[t] = f.b.ID(u.path, t.name)
		f.result(u, t, ids[t], culprits[t], suspects[t])
	}
	for _, t := range running {
		f.b.MarkRunning(ids[t])
	}
	var named []string
	for _, t := range u.tests {
		if suspects[t] {
			f.b.MarkCrashed(ids[t])
			named = append(named, t.name)
		}
	}
	if u.crashed() {
		f.crash(u, named)
	}
}

// result adds what came of a test.
func (f *goFile) result(u *goUnit, t *goTest, id string, culprit, suspect bool) {
	switch {
	case t.both:
		t.outcome = schema.Error
		f.b.Problem(u.path, testreport.Contradiction, t.name+" ended twice, differently")
	case t.state == "end":
	case culprit:
		t.outcome = schema.Error
	default:
		t.outcome = schema.NotRun
	}
	if suspect && t.outcome == schema.Pass {
		t.outcome = schema.Error
	}
	message := t.out.String()
	if t.outcome == schema.NotRun {
		message = "interrupted: the runner ended before this test did"
	}
	f.b.Add(id, t.outcome, t.seconds, message)
}

// forged reports on a program that ended with 0 and not through the testing
// package: nothing it said is believed.
func (f *goFile) forged(u *goUnit) {
	f.b.Problem(u.path, testreport.Contradiction, "the test program ended with 0 before the testing package did")
	f.b.Open(u.path, "the testing package printed no verdict")
	for _, t := range u.tests {
		outcome := t.outcome
		if outcome != schema.Fail && outcome != schema.Skip {
			outcome = schema.Error
		}
		f.b.Add(f.b.ID(u.path, t.name), outcome, t.seconds, "the test program left before its end\n"+t.out.String())
	}
}

// plain reports on a package that came to its own end.
func (f *goFile) plain(u *goUnit) {
	switch {
	case u.unbuilt || u.failedBuild != "":
		message := f.raw.String()
		if log := f.builds[u.failedBuild]; log != nil {
			message = log.String()
		}
		f.b.Problem(u.path, testreport.BuildFailed, message+u.out.String())
	case u.result == "fail" && !u.failed():
		f.b.Problem(u.path, testreport.UnitFailed, u.out.String())
	case u.none || u.result == "skip" || len(u.tests) == 0:
		f.b.Problem(u.path, testreport.NoTests, u.out.String())
	}
}

func (f *goFile) crash(u *goUnit, named []string) {
	kind, message := testreport.Crashed, strings.TrimSpace(u.panicText)
	if u.result == "" {
		kind = testreport.Cut
		message = strings.TrimSpace("the event stream ends before the package does\n" + message)
	}
	if message == "" {
		message = "the test program ended before the testing package did\n" + u.out.String()
	}
	if len(named) > 0 {
		message += "\nin " + strings.Join(named[:min(len(named), 20)], ", ")
	}
	f.b.Problem(u.path, kind, message)
}

func (u *goUnit) failed() bool {
	for _, t := range u.tests {
		if t.outcome == schema.Fail || t.both {
			return true
		}
	}
	return false
}
