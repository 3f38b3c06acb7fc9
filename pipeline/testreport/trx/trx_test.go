package trx

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// trx writes a test run of the class Own.ATest, whose tests have the ids t0, t1, …
func trx(summary string, results ...string) string {
	var defined strings.Builder
	for i := range results {
		id := "t" + string(rune('0'+i))
		defined.WriteString(`<UnitTest name="x" storage="/w/bin/own.tests.dll" id="` + id +
			`"><Execution id="e"/><TestMethod codeBase="/w/bin/Own.Tests.dll" adapterTypeName="executor://x" ` +
			`className="Own.ATest" name="x"/></UnitTest>`)
	}
	return "\xef\xbb\xbf" + `<?xml version="1.0" encoding="utf-8"?><TestRun id="r" name="n" ` +
		`xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Times creation="2020"/><Results>` +
		strings.Join(results, "") + `</Results><TestDefinitions>` + defined.String() + `</TestDefinitions>` + summary +
		`</TestRun>`
}

func TestTRX(t *testing.T) {
	completed := func(counters string) string {
		return `<ResultSummary outcome="Completed"><Counters ` + counters + `/></ResultSummary>`
	}
	failedRun := func(counters, said string) string {
		return `<ResultSummary outcome="Failed"><Counters ` + counters + `/><RunInfos><RunInfo outcome="Error"><Text>` +
			said + `</Text></RunInfo></RunInfos></ResultSummary>`
	}
	result := func(id, name, outcome string) string {
		return `<UnitTestResult executionId="e" testId="` + id + `" testName="` + name + `" duration="00:00:01.5" outcome="` +
			outcome + `"><Output><StdOut>Failed</StdOut><ErrorInfo><Message>m</Message><StackTrace>at ` +
			`x</StackTrace></ErrorInfo></Output></UnitTestResult>`
	}
	pass := trx(completed(`total="1" passed="1"`), result("t0", "Own.ATest.A", "Passed"))
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a pass": {map[string]string{"001.trx": pass, "001.trx.end": "0"}, "Own.ATest::A pass"},
		"xunit's rows, NUnit's and mstest's names": {map[string]string{"001.trx": trx(failedRun(`total="5" failed="1"`, ""),
			result("t0", "Own.ATest.A(x: 1)", "Passed"), result("t1", "Own.ATest.A(x: &quot;ü&quot;)", "Failed"),
			result("t2", "B(1)", "NotExecuted"), result("t3", "C (1)", "Inconclusive"), result("t4", "C (1)", "Passed"))}, `
Own.ATest::A(x: "ü") fail
Own.ATest::A(x: 1) pass
Own.ATest::B(1) skip
Own.ATest::C (1) skip
Own.ATest::C (1) #2 pass`},
		"words": {map[string]string{"001.trx": trx(failedRun(`total="5"`, ""), result("t0", "A", "Error"),
			result("t1", "B", "Timeout"), result("t2", "C", ""), result("t3", "D", "Brilliant"), result("t4", "E",
				"PassedButRunAborted"))}, "Own.ATest::A error\nOwn.ATest::B error\nOwn.ATest::C error\nOwn.ATest::D " +
			"error\nOwn.ATest::E error"},
		"rows inside": {map[string]string{"001.trx": trx(failedRun(`total="1" failed="1"`, ""),
			`<UnitTestResult testId="t0" testName="A" outcome="Failed"><InnerResults>`+result("t0", "A (1)", "Passed")+
				result("t0", "A (2)", "Failed")+`</InnerResults></UnitTestResult>`)},
			"Own.ATest::A (1) pass\nOwn.ATest::A (2) fail"},
		"no definition": {map[string]string{"001.trx": trx(completed(`total="1"`), result("t9", "Own.ATest.A", "Passed"))},
			"001::Own.ATest.A pass"},
		"counted more": {map[string]string{"001.trx": trx(completed(`total="2"`), result("t0", "A", "Passed"))},
			"Own.ATest::A pass\n! 001.trx plan_mismatch"},
		"counted fewer": {map[string]string{"001.trx": trx(completed(`total="0"`), result("t0", "A", "Passed"))},
			"Own.ATest::A pass\n! 001.trx contradiction"},
		"failures hidden": {map[string]string{"001.trx": trx(failedRun(`total="1" failed="1"`, ""), result("t0", "A",
			"Passed"))}, "Own.ATest::A pass\n! 001.trx contradiction\n! 001.trx unit_failed"},
		"host died": {map[string]string{"001.trx": trx(failedRun(`total="1"`,
			"The active test run was aborted. Reason: Test host process crashed"), result("t0", "A", "Passed")),
			"001.trx.end": "1"}, "Own.ATest::A pass\n! 001.trx crashed"},
		"two hosts, one died": {map[string]string{
			"001.trx": trx(failedRun(`total="1"`, ""), result("t0", "Own.ATest.A", "Aborted")),
			"002.trx": trx(failedRun(`total="1"`, "Test host process crashed"), result("t0", "Own.ATest.B", "InProgress"))},
			"Own.ATest::A error\nOwn.ATest::B error\n! 002.trx crashed\ncrashed Own.ATest::B"},
		"nothing ran": {map[string]string{"001.trx": trx(completed(`total="0"`)), "001.trx.end": "0"},
			"! 001.trx no_tests"},
		"no compile": {map[string]string{"001.trx.log": "/w/A.cs(3,1): error CS0246: no type\n", "001.trx.end": "1"},
			"! 001.trx build_failed"},
		"filter": {map[string]string{"001.trx.log": "No test matches the given testcase filter `x` in /w/a.dll\n",
			"001.trx.end": "0"}, "! 001.trx no_tests"},
		"killed": {map[string]string{"001.trx.log": "Starting test execution\n"}, "! 001.trx cut"},
		"lies by its end": {map[string]string{"001.trx": pass, "001.trx.end": "1"},
			"Own.ATest::A pass\n! 001.trx contradiction"},
		"cut": {map[string]string{"001.trx": strings.TrimSuffix(pass, "</TestRun>")},
			"Own.ATest::A pass\n! 001.trx cut"},
		"a DTD":      {map[string]string{"001.trx": `<!DOCTYPE x [<!ENTITY a "b">]><TestRun/>`}, "! 001.trx unreadable"},
		"ends cross": {map[string]string{"001.trx": `<TestRun><Results></TestRun></Results>`}, "! 001.trx unreadable"},
		"another":    {map[string]string{"001.trx": `<testsuites/>`}, "! 001.trx unreadable"},
		"deep": {map[string]string{"001.trx": "<TestRun>" + strings.Repeat("<a>", testreport.MaxXMLDepth)},
			"! 001.trx unreadable"},
	} {
		t.Run(name, func(t *testing.T) { reporttest.CheckLines(t, Format(), c.files, c.want) })
	}
	r := reporttest.CheckLines(t, Format(), map[string]string{"001.trx": trx(failedRun(`total="1" failed="1"`, ""),
		result("t0", "A", "Failed"))}, "Own.ATest::A fail")
	if got := r.Results[0]; got.Message != "m\nat x" || got.Seconds != 1.5 {
		t.Errorf("got %+v", got)
	}
}

func FuzzTRX(f *testing.F) {
	f.Add([]byte(trx(`<ResultSummary outcome="Failed"><Counters total="1" failed="1"/></ResultSummary>`,
		`<UnitTestResult testId="t0" testName="A" outcome="Failed"><InnerResults><UnitTestResult testId="t0" testName="A `+
			`(1)" outcome="Passed"/></InnerResults></UnitTestResult>`)))
	reporttest.Fuzz(f, Format(), "001.trx")
}

// TestCorpus reads runs written by hand, after vstest's logger: dotnet can't be
// installed everywhere.
func TestCorpus(t *testing.T) { reporttest.Corpus(t, Format(), "trx-*", 1) }

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, Format(), "console", "a.trx.log",
		"[xUnit.net 00:00:00.‹12›]   Starting\n  Failed N.T [‹5› ms]\nTime Elapsed 00:00:0‹1.23›\nslept [5 ms]\n",
		"the runner wrote no report\n[xUnit.net]   Starting\n  Failed N.T\nslept [5 ms]")
}
