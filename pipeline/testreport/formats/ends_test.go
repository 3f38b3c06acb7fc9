package formats

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// recordedEnds are what recorded reports prove: for each the units that ended, so that a
// test that the report does not name does not exist, and those of which that is not known.
// A unit that no report names is written "other".
var recordedEnds = []struct{ format, record, ended, open string }{
	{"cpp", "cpp/cpp-gtest", "t other", ""},
	{"cpp", "cpp/cpp-gtest-crash", "", "t other"},
	{"cpp", "cpp/cpp-killed", "", "hang other"},
	{"cpp", "cpp/cpp-meson", "broken", "bail_tap cut_tap other"},
	{"gotest", "gotest/gotest-1.26", "build empty mix vetted", "exits fuzz hang panics other"},
	{"gotest", "gotest/gotest-1.26-exit0", "exitzero", ""},
	{"gotest", "gotest/gotest-1.26-killed", "", "killed hang other"},
	{"gradle", "java/gradle-junit4", "own.four.MixTest own.four.InitTest own.four.OuterTest own.four.OuterTest$Other",
		"own.four.ExitTest own.four.ExitTest$Inner other"},
	{"surefire", "java/surefire-junit5", "junit5/own.five.MixTest junit5/own.five.MixTest$Inner junit5/own.five.InitTest",
		"junit5/own.five.ExitTest junit5/own.five.ExitTest$Inner junit5/Other"},
	{"surefire", "java/surefire-broken", "broken/own.Any broken/own.Any$Inner", ""},
	{"surefire", "java/surefire-hang", "", "junit5/own.five.HangTest junit5/Other"},
	{"junit", "junit/pytest-9-xunit1", "", "tests/test_mix.py tests/test_crash.py other"},
	{"junit", "junit/junit-jest", "", "a.test.js other"},
	{"junit", "junit/bats-1.8-junit", "", "dies.bats other"},
	{"libtest", "libtest/libtest-programs", "app:broken app:empty", ""},
	{"libtest", "libtest/libtest-abort", "", "app:crash app:overflow other"},
	{"libtest", "libtest/libtest-hang", "", "app:hang other"},
	{"libtest", "libtest/libtest-cargo-abort", "", "tests/crash.rs other"},
	{"node", "node/node-ava-6", "ava/a.test.mjs ava/empty.test.mjs",
		"ava/load.test.mjs ava/exit.test.mjs ava/kill.test.mjs ava/hook.test.mjs ava/reject.test.mjs other"},
	{"node", "node/node-jest-29", "jest/a.test.js jest/empty.test.js jest/load.test.js jest/hook.test.js",
		"jest/exit.test.js jest/kill.test.js other"},
	{"node", "node/node-mocha-11", "mocha/a.test.js mocha/empty.test.js mocha/load.test.js",
		"mocha/exit.test.js mocha/kill.test.js other"},
	{"node", "node/node-node-20", "node/load.test.js",
		"node/a.test.js node/hook.test.js node/empty.test.js node/exit.test.js node/kill.test.js other"},
	{"node", "node/node-tap-16", "tap/a.test.js",
		"tap/bail.test.js tap/exit.test.js tap/kill.test.js tap/plan.test.js other"},
	{"node", "node/node-vitest-3", "vitest/a.test.mjs vitest/exit.test.mjs vitest/load.test.mjs",
		"vitest/kill.test.mjs vitest/late.test.mjs other"},
	{"jest", "node/jest-30", "a.test.js load.test.js other", ""},
	{"mocha", "node/mocha-11", "", "a.test.js other"},
	{"vitest", "node/vitest-3", "a.test.mjs load.test.mjs other", ""},
	{"phpunit", "php/phpunit-11.5", "tests/BrokenTest.php tests/SyntaxTest.php",
		"tests/CrashTest.php tests/ExitTest.php tests/FatalTest.php tests/HangTest.php other"},
	{"phpunit", "php/phpunit-9.6", "tests/BrokenTest.php",
		"tests/CrashTest.php tests/ExitTest.php tests/FatalTest.php tests/HangTest.php other"},
	{"rspec", "ruby/rspec-3.13", "spec/broken_spec.rb spec/syntax_spec.rb",
		"spec/crash_spec.rb spec/exit_spec.rb spec/hang_spec.rb spec/softexit_spec.rb other"},
	{"ruby", "ruby/minitest-5.25", "test/broken_test.rb", "test/crash_test.rb test/exit_test.rb test/hang_test.rb other"},
	{"ruby", "ruby/test-unit-3.6", "", "test/unitexit_test.rb other"},
	{"tap", "tap/bats-1.8-tap", "mix setup teardown", "dies file hang other"},
	{"trx", "trx/trx-vstest-17", "", "other"},
}

func TestRecordedEnds(t *testing.T) {
	formats := map[string]bool{}
	for _, c := range recordedEnds {
		formats[c.format] = true
		family, run, _ := strings.Cut(c.record, "/")
		r, err := Parse(c.format, reporttest.Files(t, filepath.Join("..", family, "testdata", "corpus", run)))
		if err != nil {
			t.Fatal(err)
		}
		prefix := map[string]string{"gotest": "example.org/corpus/"}[c.format]
		for want, units := range map[bool]string{true: c.ended, false: c.open} {
			for _, unit := range strings.Fields(units) {
				if ended := Ended(r, prefix+unit+"::any") && !r.Ends.NoUnits; ended != want {
					t.Errorf("%s: %s ended %v, want %v: %+v", c.record, unit, ended, want, r.Ends)
				}
			}
		}
	}
	for _, name := range Names() {
		if !formats[name] {
			t.Errorf("no recorded report of the format %s shows what it proves", name)
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("%d recorded runs", len(recordedEnds))
}

// TestEarlyStops: runners that stopped at a failure, by the settings of a repository, or at
// an end that they themselves came through.
func TestEarlyStops(t *testing.T) {
	const open, ended = false, true
	phpunit := func(announced string) map[string]string {
		return map[string]string{"t/ATest.php.xml": `<testsuites><testsuite name="ATest" file="t/ATest.php" ` +
			`tests="1"><testcase name="testA" class="ATest" ` +
			`file="t/ATest.php"><failure>no</failure></testcase></testsuite></testsuites>`,
			"t/ATest.php.xml.end": "1", "t/ATest.php.xml.log": "FAILURES!\nTests: 1, Assertions: 1, Failures: 1.\n",
			"t/ATest.php.xml.running": "##teamcity[testCount count='" + announced + "' flowId='1']\n"}
	}
	rspec := func(announced string) map[string]string {
		return map[string]string{"a_spec.rb.json": `{"examples":[{"id":"./a_spec.rb[1:1]","description":"a","full_description":"a","status":"failed","file_path":"./a_spec.rb"}],"summary":{"example_count":1,"failure_count":1,"pending_count":0}}`,
			"a_spec.rb.json.end": "1", "a_spec.rb.json.running": "= " + announced + "\n> a\n<\n"}
	}
	for _, c := range []struct {
		name, format, unit string
		files              map[string]string
		want               bool
	}{
		{"TAP, a plan of four and one result", "tap", "t", map[string]string{"t.tap": "1..4\nok 1 - a\n"}, open},
		{"TAP, all of its plan", "tap", "t", map[string]string{"t.tap": "1..1\nok 1 - a\n"}, ended},
		{"TAP without a plan", "tap", "t", map[string]string{"t.tap": "ok 1 - a\n"}, open},
		{"TAP that bails out", "tap", "t", map[string]string{"t.tap": "1..2\nok 1 - a\nBail out!\n"}, open},
		{"ava's failFast", "node", "a.test.mjs", map[string]string{"a.test.mjs.tap": "TAP version 13\nnot ok 1 - a\n  " +
			"---\n    name: AssertionError\n  ...\n# 2 tests remaining in a.test.mjs after --fail-fast\n\n1..1\n# tests 1\n# " +
			"pass 0\n# fail 1\n"}, open},
		{"node's own runner, whose process a test ended with 0", "node", "a.test.js",
			map[string]string{"a.test.js.tap": "TAP version 13\nok 1 - a\n1..1\n# tests 1\n# cancelled 0\n"}, open},
		{"node's own runner, whose process came to its end", "node", "a.test.js",
			map[string]string{"a.test.js.tap": "TAP version 13\nok 1 - a\n1..1\n# tests 1\n# cancelled 0\n",
				"a.test.js.tap.done": "done"}, ended},
		{"jest's bail", "node", "a.test.js", map[string]string{"a.test.js.json": `{"wasInterrupted":true,"numTotalTests":1,"numFailedTests":1,"numPassedTests":0,"success":false,"testResults":[{"name":"/w/a.test.js","status":"failed","assertionResults":[{"title":"a","status":"failed","ancestorTitles":[]}]}]}`}, open},
		{"vitest's bail", "node", "a.test.mjs", map[string]string{"a.test.mjs.json": `{"numTotalTests":3,"numFailedTests":1,"numPassedTests":0,"success":false,"testResults":[{"name":"/w/a.test.mjs","status":"failed","assertionResults":[{"title":"a","status":"failed","ancestorTitles":[]}]}]}`}, open},
		{"mocha, a hook that failed", "node", "a.js",
			map[string]string{"a.js.json": `{"wideswe":"mocha","total":2,"failures":1,"tests":[{"titles":["\"before each\" ` +
				`hook for \"a\""],"state":"hook"}]}`}, open},
		{"mocha, all of them", "node", "a.js", map[string]string{"a.js.json": `{"wideswe":"mocha","total":1,"failures":1,"tests":[{"titles":["a"],"state":"failed"}]}`}, ended},
		{"rspec's fail-fast", "ruby", "a_spec.rb", rspec("3"), open},
		{"rspec, all of them", "ruby", "a_spec.rb", rspec("1"), ended},
		{"minitest that stopped", "ruby", "a_test.rb",
			map[string]string{"a_test.rb.tap": "# planned 3\n# running A#a\nnot ok 1 - A#a\n1..1\n", "a_test.rb.tap.end": "1"},
			open},
		{"phpunit's stopOnFailure", "phpunit", "t/ATest.php", phpunit("3"), open},
		{"phpunit, all of them", "phpunit", "t/ATest.php", phpunit("1"), ended},
		{"go, a TestMain that left before its tests", "gotest", "p",
			map[string]string{"001.json": `{"Action":"start","Package":"p"}` + "\n" +
				`{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n"},
			open},
		{"cargo, a list without its end", "libtest", "u", map[string]string{"1.unit": "u\nall\n",
			"1.list": "a: test\nb: test\n", "1.log": "ok a\n", "1.txt": "running 2 tests\n", "1.exit": "134"}, open},
		{"cargo, a whole list", "libtest", "u", map[string]string{"1.unit": "u\nall\n",
			"1.list": "a: test\nb: test\n\n2 tests, 0 benchmarks\n", "1.log": "ok a\n", "1.txt": "running 2 tests\n",
			"1.exit": "134"}, ended},
		{"nested classes of a JVM that halted", "surefire", "own.Outer$B",
			map[string]string{"maven.log": "[INFO] Running own.Outer\n[INFO] Running own.Outer$A\n[INFO] Tests run: 1, " +
				"Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.01 s -- in own.Outer$A\n[ERROR] Crashed tests:\n[ERROR] " +
				"own.Outer\n[INFO] BUILD FAILURE\n",
				"TEST-own.Outer$A.xml": `<testsuite name="own.Outer$A" tests="1" failures="0" errors="0" skipped="0"><testcase ` +
					`classname="own.Outer$A" name="a"/></testsuite>`}, open},
		{"a test host that crashed", "trx", "N.C", map[string]string{"001.trx": `<TestRun><Results><UnitTestResult ` +
			`testId="1" testName="N.C.a" outcome="Passed"/></Results><TestDefinitions><UnitTest id="1" ` +
			`storage="n.dll"><TestMethod className="N.C"/></UnitTest></TestDefinitions><ResultSummary ` +
			`outcome="Failed"><Counters total="1" passed="1"/><RunInfos><RunInfo><Text>Test host process ` +
			`crashed</Text></RunInfo></RunInfos></ResultSummary></TestRun>`, "001.trx.end": "1"}, open},
		{"a process that a signal ended before its first test", "ruby", "a_test.rb",
			map[string]string{"a_test.rb.tap.log": "Killed\n", "a_test.rb.tap.end": "137"}, open},
	} {
		files := map[string][]byte{}
		for name, text := range c.files {
			files[name] = []byte(text)
		}
		r, err := Parse(c.format, files)
		if err != nil {
			t.Fatal(err)
		}
		if got := Ended(r, c.unit+"::a test that is not named"); got != c.want {
			t.Errorf("%s: ended %v, want %v: %+v %+v", c.name, got, c.want, r.Ends, r.Problems)
		}
	}
}

// TestEveryFormatDeclaresItsUnit and what proves that one ended.
func TestEveryFormatDeclaresItsUnit(t *testing.T) {
	for _, f := range All() {
		if f.Unit == "" || f.Proof == "" {
			t.Errorf("%s declares the unit %q and the proof %q", f.Name, f.Unit, f.Proof)
		}
		if ended := f.Ended(testreport.Report{}, "u::t"); ended {
			t.Errorf("%s: a report without files proves an end", f.Name)
		}
	}
}
