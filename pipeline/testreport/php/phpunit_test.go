package php

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/junit"
	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// TestCorpus reads what real runs of PHPUnit 9.6 under PHP 8.2 and 11.5 under
// PHP 8.4 left.
func TestCorpus(t *testing.T) {
	reporttest.Corpus(t, PHPUnit(), "phpunit-*", 2, func(t *testing.T, r testreport.Report) {
		want := []string{"tests/CrashTest.php::CrashTest::testDies", "tests/ExitTest.php::ExitTest::testExits",
			"tests/FatalTest.php::FatalTest::testMemory", "tests/HangTest.php::HangTest::testHangs"}
		if diff := cmp.Diff(want, r.Crashed); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, PHPUnit(), "console", "a.xml.log",
		"PHPUnit 11\n\nTime: 00:00.‹002›, Memory: 8.00 MB\n\nTime: is up\n",
		"the runner wrote no report\nPHPUnit 11\n\n\nTime: is up")
}

func TestPHPUnit(t *testing.T) {
	suite := func(cases string) string {
		return `<testsuites><testsuite name="own" tests="1"><testsuite name="Own\ATest" file="/w/tests/ATest.php" ` +
			`tests="1">` + cases + `</testsuite></testsuite></testsuites>`
	}
	test := func(name, inside string) string {
		return `<testcase name="` + name + `" class="Own\ATest" classname="Own.ATest" file="/w/tests/ATest.php" line="3" ` +
			`assertions="1" time="0.1">` + inside + `</testcase>`
	}
	pass := suite(test("testA", ""))
	for name, c := range map[string]struct {
		format testreport.Format
		files  map[string]string
		want   string
	}{
		"a pass": {PHPUnit(), map[string]string{"tests/ATest.php.xml": pass,
			"tests/ATest.php.xml.end": "0", "tests/ATest.php.xml.log": "OK (1 test, 1 assertion)\n"},
			`tests/ATest.php::Own\ATest::testA pass`},
		"by itself": {junit.Format(), map[string]string{"out.xml": pass}, `Own\ATest::testA pass`},
		"Pest": {junit.Format(),
			map[string]string{"out.xml": `<testsuites><testsuite name="Tests\Unit\ATest" file="tests/Unit/ATest.php" ` +
				`tests="1"><testcase name="it works" file="tests/Unit/ATest.php::it works" class="Tests\Unit\ATest" ` +
				`classname="Tests.Unit.ATest" assertions="1" time="0.1"/></testsuite></testsuites>`},
			`tests/Unit/ATest.php::Tests\Unit\ATest::it works pass`},
		"risky": {PHPUnit(), map[string]string{"out.xml": suite(test("testA",
			`<error type="PHPUnit\Framework\RiskyTestError">no assertions</error>`))}, `Own\ATest::testA pass`},
		"a warning": {PHPUnit(), map[string]string{"out.xml": suite(test("testA",
			`<warning type="PHPUnit\Framework\Warning">old</warning>`))}, `Own\ATest::testA pass`},
		"a warning of another": {junit.Format(),
			map[string]string{"out.xml": `<testsuite name="s"><testcase classname="c" ` +
				`name="a"><warning/></testcase></testsuite>`}, `c::a error`},
		"a warning fails the run": {PHPUnit(), map[string]string{"tests/ATest.php.xml": pass,
			"tests/ATest.php.xml.end": "1", "tests/ATest.php.xml.log": "OK, but there were issues!\nTests: 1, Assertions: 1, " +
				"Warnings: 1.\n"}, "tests/ATest.php::Own\\ATest::testA pass\n! tests/ATest.php unit_failed"},
		"the console counts more": {PHPUnit(), map[string]string{"tests/ATest.php.xml": pass,
			"tests/ATest.php.xml.end": "0", "tests/ATest.php.xml.log": "OK (2 tests, 2 assertions)\n"},
			"tests/ATest.php::Own\\ATest::testA pass\n! tests/ATest.php contradiction\n! tests/ATest.php plan_mismatch"},
		"the console counts fewer": {PHPUnit(), map[string]string{"tests/ATest.php.xml": suite(test("testA", "") +
			test("testB", "")), "tests/ATest.php.xml.end": "0", "tests/ATest.php.xml.log": "OK (1 test, 1 assertion)\n"},
			"tests/ATest.php::Own\\ATest::testA pass\ntests/ATest.php::Own\\ATest::testB pass\n! tests/ATest.php contradiction"},
		"an error nobody tells": {PHPUnit(), map[string]string{"tests/ATest.php.xml": pass,
			"tests/ATest.php.xml.end": "3", "tests/ATest.php.xml.log": "bye\n"},
			"tests/ATest.php::Own\\ATest::testA pass\n! tests/ATest.php contradiction"},
		"failed and ended well": {PHPUnit(), map[string]string{"tests/ATest.php.xml": suite(test("testA",
			`<failure>no</failure>`)), "tests/ATest.php.xml.end": "0"},
			"tests/ATest.php::Own\\ATest::testA fail\n! tests/ATest.php contradiction"},
		"the file is not found": {PHPUnit(), map[string]string{"tests/ATest.php.xml.log": "Cannot open file\n",
			"tests/ATest.php.xml.end": "1"}, "! tests/ATest.php collection_error"},
		"killed before a test": {PHPUnit(), map[string]string{"tests/ATest.php.xml": "",
			"tests/ATest.php.xml.log": "PHPUnit\n"}, "! tests/ATest.php cut"},
		"Pest died": {PHPUnit(), map[string]string{"tests/ATest.php.xml": "",
			"tests/ATest.php.xml.end": "255", "tests/ATest.php.xml.running": "##teamcity[testStarted name='it works' " +
				"locationHint='pest_qn://tests/Unit/aTest.php::it works' flowId='1']\n"},
			"tests/ATest.php::Tests\\Unit\\ATest::it works error\n! tests/ATest.php crashed\ncrashed " +
				"tests/ATest.php::Tests\\Unit\\ATest::it works"},
		"a line that a test prints": {PHPUnit(), map[string]string{"tests/ATest.php.xml": "",
			"tests/ATest.php.xml.end": "255", "tests/ATest.php.xml.running": "##teamcity[testStarted name='a' " +
				"locationHint='php_qn:///w/tests/ATest.php::\\Own\\ATest::a']\n##teamcity[testStarted name='b']\n"},
			"tests/ATest.php::Own\\ATest::a error\n! tests/ATest.php crashed\ncrashed tests/ATest.php::Own\\ATest::a"},
	} {
		t.Run(name, func(t *testing.T) { reporttest.CheckLines(t, c.format, c.files, c.want) })
	}
}

func TestUnescapeTeamcity(t *testing.T) {
	for in, want := range map[string]string{"a|'b|n||c|[|]": "a'b |c[]", "|0x00fc": "ü", "plain": "plain", "|": "|"} {
		if got := unescapeTeamcity(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPHPUnit(f *testing.F) {
	f.Add([]byte(`<testsuites><testsuite name="A" file="/w/A.php"><testcase name="a" class="A" classname="A" ` +
		`file="/w/A.php" line="1" assertions="1" time="0"><error ` +
		`type="PHPUnit\Framework\RiskyTestError">x</error></testcase><testcase name="Warning" ` +
		`assertions="0"><warning>w</warning></testcase></testsuite></testsuites>`))
	reporttest.Fuzz(f, PHPUnit(), "tests/A.php.xml")
}

func FuzzPHPUnitRunning(f *testing.F) {
	f.Add("##teamcity[testStarted name='a|'' locationHint='php_qn:///w/A.php::\\A::a|0x00fc' flowId='1']\n")
	f.Fuzz(func(t *testing.T, text string) { runningTest(text) })
}
