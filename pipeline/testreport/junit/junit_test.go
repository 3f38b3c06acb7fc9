package junit

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// pytestXML wraps testcases as pytest does.
func pytestXML(cases string) string {
	return `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" ` +
		`tests="0">` + cases + `</testsuite></testsuites>`
}

func TestPytest(t *testing.T) {
	for _, c := range []struct{ name, cases, want string }{
		{"node ids", `<testcase classname="tests.test_a" name="test_x" file="tests/test_a.py" time="0.1"/>
<testcase classname="tests.test_a.TestC" name="test_x[a b-[c]]" file="tests/test_a.py"/>
<testcase classname="tests.test_a.TestC.TestInner" name="test_y[::]" file="tests/test_a.py"/>`, `
tests/test_a.py::TestC::TestInner::test_y[::] pass
tests/test_a.py::TestC::test_x[a b-[c]] pass
tests/test_a.py::test_x pass`},
		{"the same name in two files", `<testcase classname="a.test_m" name="t" file="a/test_m.py"/><testcase ` +
			`classname="b.test_m" name="t" file="b/test_m.py"><failure message="no"/></testcase>`, `
a/test_m.py::t pass
b/test_m.py::t fail`},
		{"xunit2 has no file", `<testcase classname="tests.test_a.TestC" name="test_x"/>`, `
tests.test_a.TestC::test_x pass`},
		{"a test inherited from another file", `<testcase classname="tests.base" name="test_x" file="tests/test_a.py"/>`, `
tests/base.py::test_x pass`},
		{"xfail, skip, strict xpass", `<testcase classname="t" name="a" file="t.py"><skipped type="pytest.xfail" message="known"/></testcase>
<testcase classname="t" name="b" file="t.py"><skipped type="pytest.skip" message="why"/></testcase>
<testcase classname="t" name="c" file="t.py"><failure message="[XPASS(strict)] known"/></testcase>`, `
t.py::a skip
t.py::b skip
t.py::c fail`},
		{"teardown error after a pass, and after a failure",
			`<testcase classname="t" name="a" file="t.py"><error message="failed on teardown"/></testcase>
<testcase classname="t" name="b" file="t.py"><failure message="no"/></testcase><testcase classname="t" name="b" file="t.py"><error message="failed on teardown"/></testcase>
<testcase classname="t" name="c" file="t.py"/><testcase classname="t" name="c" file="t.py"><error message="failed on teardown"/></testcase>`, `
t.py::a error
t.py::b error
t.py::c error`},
		{"collection error", `<testcase classname="" name="tests.test_bad" time="0"><error message="collection failure">ImportError</error></testcase>
<testcase classname="tests.test_ok" name="t" file="tests/test_ok.py"/>`, `
tests/test_ok.py::t pass
! tests/test_bad.py collection_error`},
		{"a skipped module", `<testcase classname="" name="tests.test_win" time="0"><skipped type="pytest.skip" ` +
			`message="collection skipped"/></testcase>`, `
! tests/test_win.py no_tests`},
		{"escaped control characters", `<testcase classname="t" name="a[#x1B[0m]" file="t.py"/><testcase classname="t" ` +
			`name="b[&#x1b;]" file="t.py"/>`, `
t.py::a[#x1B[0m] pass
t.py::b[` + "\uFFFD" + `] pass`},
		{"an object's address and a temporary folder",
			`<testcase classname="t" name="a[&lt;x.Y object at 0x7f01deadbeef&gt;]" file="t.py"/><testcase classname="t" ` +
				`name="b[/tmp/pytest-of-root/x]" file="t.py"/>`, `
t.py::a[<x.Y object at 0xADDR>] pass
t.py::b[/TMP] pass`},
	} {
		t.Run(c.name, func(t *testing.T) {
			reporttest.CheckLines(t, Format(), map[string]string{"report.xml": pytestXML(c.cases)}, c.want)
		})
	}
}

func TestJUnit(t *testing.T) {
	for _, c := range []struct{ name, xml, want string }{
		{"surefire", `<testsuite name="a.B"><testcase classname="a.B" name="m(int)[1]"/><testcase classname="a.B" ` +
			`name="f"><failure type="E">trace</failure><rerunFailure/></testcase><testcase classname="a.B" ` +
			`name="g"><flakyFailure/></testcase></testsuite>`, `
a.B::f fail
a.B::g fail
a.B::m(int)[1] pass`},
		{"gtest gives two words", `<testsuites><testsuite name="S"><testcase classname="S" name="a" status="run" ` +
			`result="completed"/><testcase classname="S" name="b" status="run" result="skipped"/><testcase classname="S" ` +
			`name="c" status="notrun" result="suppressed"/></testsuite></testsuites>`, `
S::a pass
S::b skip
S::c skip`},
		{"an unknown word or element is no pass", `<testsuite name="s"><testcase classname="c" name="a" ` +
			`status="brilliant"/><testcase classname="c" name="b"><aborted/></testcase><testcase classname="c" ` +
			`name="d"><properties><property name="x"/></properties><system-out>ok</system-out></testcase></testsuite>`, `
c::a error
c::b error
c::d pass`},
		{"nested suites, class from the suite", `<testsuites><testsuite name="out"><testsuite name="in"><testcase ` +
			`name="a"/></testsuite></testsuite></testsuites>`, `
in::a pass`},
		{"a file beside the class", `<testsuite name="s"><testcase classname="K" name="a" file="./spec/a.rb"/></testsuite>`, `
spec/a.rb::K a pass`},
		{"the same name again", `<testsuite name="s"><testcase classname="c" name="a"/><testcase classname="c" ` +
			`name="a"><failure/></testcase></testsuite>`, `
c::a pass
c::a #2 fail`},
		{"fewer tests than announced", `<testsuite name="s" tests="3"><testcase classname="c" name="a"/></testsuite>`, `
c::a pass
! report.xml plan_mismatch`},
		{"cut in the middle", `<testsuite name="s"><testcase classname="c" name="a"/><testcase classname="c" name="b">`, `
c::a pass
! report.xml cut`},
		{"empty", ``, `! report.xml cut`},
		{"no testcase", `<testsuites/>`, `! report.xml no_tests`},
		{"not XML", `PASSED tests/a.py::t`, `! report.xml unreadable`},
		{"another document", `<html><testsuite><testcase name="a"/></testsuite></html>`, `! report.xml unreadable`},
		{"entities are not expanded", `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase ` +
			`name="&b;"/></testsuite>`, `! report.xml unreadable`},
		{"ends cross", `<testsuites><testsuite name="s"><testcase classname="c" ` +
			`name="n"></testsuite></testcase></testsuites>`, `
! report.xml unreadable`},
		{"one end too many", `<testsuites><testsuite name="s"><testcase classname="c" ` +
			`name="n"/></testsuite></testsuites></testsuite>`, `
c::n pass
! report.xml cut`},
		{"no end", `<testsuites><testsuite name="s"><testcase classname="c" name="n"/></testsuite>`, `
c::n pass
! report.xml cut`},
		{"an undefined entity", `<testsuite name="s"><testcase classname="c" name="a"/><testcase name="&x;"/></testsuite>`, `
c::a pass
! report.xml cut`},
		{"too deep", strings.Repeat(`<testsuite>`, testreport.MaxXMLDepth+1), `! report.xml unreadable`},
		{"Latin-1", `<?xml version="1.0" encoding="ISO-8859-1"?><testsuite name="s"><testcase classname="c" name="caf` +
			"\xe9" + `"/></testsuite>`, `
c::café pass`},
		{"invalid UTF-8 and control characters", "\xef\xbb\xbf<testsuite name=\"s\"><testcase classname=\"c\" " +
			"name=\"a\xff\"><failure>\x00\x1b[31mred\x1b[0m</failure></testcase></testsuite>", `
c::a` + "\uFFFD" + ` fail`},
	} {
		t.Run(c.name, func(t *testing.T) {
			reporttest.CheckLines(t, Format(), map[string]string{"report.xml": c.xml},
				c.want)
		})
	}
}

func TestJUnitMessage(t *testing.T) {
	r := reporttest.CheckLines(t, Format(), map[string]string{"r.xml": `<testsuite name="s"><testcase classname="c" ` +
		`name="a" time="1,234.5"><failure message="no" type="E">at line ` +
		`3</failure><system-out>noise</system-out></testcase></testsuite>`}, "c::a fail")
	if got := r.Results[0]; got.Message != "E no\nat line 3" || got.Seconds != 1234.5 {
		t.Errorf("got %+v", got)
	}
}

func TestPytestCrash(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"in a test", map[string]string{"1.log": "tests/test_a.py::test_x PASSED  [ 33%]\ntests/test_a.py::TestC::test_y[a " +
			"b] Fatal Python error: Segmentation fault\n\nCurrent thread\n"}, `
tests/test_a.py::TestC::test_y[a b] error
! tests/test_a.py crashed
crashed tests/test_a.py::TestC::test_y[a b]`},
		{"without a word", map[string]string{"1.xml": "", "1.log": "tests/test_a.py::test_x "}, `
tests/test_a.py::test_x error
! tests/test_a.py crashed
crashed tests/test_a.py::test_x`},
		{"between tests", map[string]string{"1.log": "tests/test_a.py::test_x PASSED [100%]\n"}, `! 1.xml cut`},
		{"a report stands, whatever the log says", map[string]string{"1.log": "t.py::other ",
			"1.xml": pytestXML(`<testcase classname="t" name="a" file="t.py"/>`)}, `t.py::a pass`},
	} {
		t.Run(c.name, func(t *testing.T) { reporttest.CheckLines(t, Format(), c.files, c.want) })
	}
}

func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("é", 5*testreport.MaxMessage)
	r := reporttest.CheckLines(t, Format(), map[string]string{
		"r.xml": `<testsuite name="s"><testcase classname="c" name="n"><failure>` + long +
			`</failure></testcase></testsuite>`}, "c::n fail")
	if got := r.Results[0].Message; len(got) > testreport.MaxMessage || !strings.HasPrefix(got, "…") {
		t.Errorf("a message of %d bytes", len(got))
	}
}

// TestCorpus: pytest 8 and 9 in both families of JUnit, with xdist and rerunfailures;
// unittest by way of unittest-xml-reporting; bats; the writers of Node. Cypress needs
// a browser that can't be installed everywhere: its report is written by hand, after
// the reporter that it brings.
func TestCorpus(t *testing.T) {
	reporttest.Corpus(t, Format(), "pytest-*", 4)
	reporttest.Corpus(t, Format(), "xmlrunner-*", 1)
	reporttest.Corpus(t, Format(), "bats-*", 1)
	reporttest.Corpus(t, Format(), "junit-*", 7, reporttest.CleanIDs)
}

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, Format(), "pytest", "a.xml",
		`<testsuites><testsuite name="pytest" tests="1"><testcase classname="a" name="test_x" file="a.py" time="‹0.1›">`+
			`<failure message="no">self = &lt;a.TestMine object at 0x‹7f3e34b77a50›&gt;
at 0x7f3e34b77a50 it took 1.0s</failure></testcase></testsuite></testsuites>`,
		"no\nself = <a.TestMine object at 0xADDR>\nat 0x7f3e34b77a50 it took 1.0s")
	reporttest.CheckFraming(t, Format(), "pytest, killed", "a.log",
		"a.py::test_x PASSED\n===== 1 passed in ‹0.12›s =====\n",
		"pytest wrote no report\na.py::test_x PASSED\n===== 1 passed =====")
}

func FuzzJUnit(f *testing.F) {
	f.Add([]byte(`<testsuites><testsuite name="pytest" tests="1">` +
		`<testcase classname="a.b.C" name="t[x]" file="a/b.py"/></testsuite></testsuites>`))
	reporttest.Seed(f, "pytest-*/*.xml", "xmlrunner-*/*/*.xml", "bats-*/*.xml", "junit-*/*.xml")
	reporttest.Fuzz(f, Format(), "report.xml")
}
