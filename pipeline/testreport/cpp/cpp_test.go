package cpp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// cppLines writes records as the toolchain does.
func cppLines(t testing.TB, records ...record) string {
	t.Helper()
	var b strings.Builder
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

func TestCpp(t *testing.T) {
	end := record{End: true}
	ctest := func(cases string) string { return `<testsuite name="Linux-c++">` + cases + `</testsuite>` }
	gtest := func(cases string) string {
		return `<testsuites><testsuite name="S">` + cases + `</testsuite></testsuites>`
	}
	pass := `<testcase name="a" classname="S" status="run" result="completed"/>`
	for _, c := range []struct {
		name    string
		records []record
		code    int
		ok      bool
		want    string
	}{
		{"ctest", []record{{Unit: "t/x", Kind: "cmake", Code: 8,
			XML: ctest(`<testcase name="a" classname="a" status="run"/><testcase name="b" classname="b" ` +
				`status="fail"><failure message=""/></testcase><testcase name="c" classname="c" status="notrun"><skipped ` +
				`message="SKIP_RETURN_CODE=77"/></testcase>`)}, end}, 8, true,
			"t/x::a pass\nt/x::b fail\nt/x::c skip"},
		{"what ctest can't start is not skipped", []record{{Kind: "cmake", Code: 8,
			XML: ctest(`<testcase name="c" classname="c" status="notrun"><skipped message="Unable to find ` +
				`executable"/></testcase>`)}, end}, 8, true, "ctest::c error"},
		{"gtest", []record{{Unit: "x", Kind: "gtest", XML: gtest(pass), Outer: "ignored"}, end}, 0, true, "x::S.a pass"},
		{"gtest ends badly after its tests", []record{{Unit: "x", Kind: "gtest", Code: 1, XML: gtest(pass)}, end}, 1, true,
			"x::S.a pass\n! x unit_failed"},
		{"a failed test, and an end without an error", []record{{Unit: "x", Kind: "gtest",
			XML: gtest(`<testcase name="a" classname="S" status="run"><failure message="m"/></testcase>`)}, end}, 0, false,
			"x::S.a fail\n! x contradiction"},
		{"gtest dies", []record{{Unit: "x", Kind: "gtest", Code: 8,
			Log: "[ RUN      ] S.a\n[       OK ] S.a (0 ms)\n[ RUN      ] S.b\nSegmentation fault\n"}, end}, 8, true,
			"x::S.b error\n! x crashed\ncrashed x::S.b"},
		{"gtest dies between tests", []record{{Unit: "x", Kind: "gtest", Code: 8,
			Log: "[ RUN      ] S.a\n[  FAILED  ] S.a, where GetParam() = 1 (0 ms)\nkilled\n"}, end}, 8, true, "! x crashed"},
		{"what is printed is no result", []record{{Unit: "x", Kind: "gtest", Code: 8, Log: "[       OK ] S.ghost (0 ms)\n"},
			end}, 8, true, "! x crashed"},
		{"not built", []record{{Unit: "x", Failed: "error: undefined"}, end}, 1, true, "! x build_failed"},
		{"killed while one ran", []record{{Unit: "y", Kind: "cmake", XML: ctest(`<testcase name="a" status="run"/>`)},
			{Unit: "x", Running: true}}, 137, true, "y::a pass\n! x cut"},
		{"killed between", []record{{Unit: "y", Kind: "cmake", XML: ctest(`<testcase name="a" status="run"/>`)}}, 137, true,
			"y::a pass\n! 001.jsonl cut"},
		{"automake", []record{{Kind: "make", Test: "check", Code: 2,
			Trs: map[string][2]string{"t/a": {":test-result: PASS\n:test-global-result: PASS\n"},
				"t/b.sh": {":test-result: PASS 1 one\n:test-result: FAIL 2 two\n"}, "t/c": {":test-result: XFAIL\n"}, "t/d": {""}}},
			end}, 1, true,
			"t/a::(all) pass\nt/b.sh::1 one pass\nt/b.sh::2 two fail\nt/c::(all) skip\n! t/d cut"},
		{"make alone", []record{{Kind: "make", Test: "check", Code: 2}, end}, 1, true, "make::check fail"},
		{"make hides a failure", []record{{Kind: "make", Test: "check",
			Trs: map[string][2]string{"a": {":test-result: FAIL\n"}}}, end}, 0, false, "a::(all) fail\n! make contradiction"},
		{"make's names", []record{{Kind: "make", Code: 2,
			Trs: map[string][2]string{"a": {":test-result: PASS\n:test-result: FAIL\n:test-result: SKIP\n",
				"ok 1 - one\nPASS: a.tap 1 - one\nFAIL: a.tap 2 - b # 3\nSKIP: a.tap 3 # SKIP why\nPASS: other 1 - x\n"}}}, end}, 1,
			true, "a::b # 3 fail\na::one pass\na::test 3 skip"},
		{"make's names, one printed", []record{{Kind: "make",
			Trs: map[string][2]string{"a": {":test-result: PASS\n:test-result: PASS\n",
				"PASS: a 1 - one\nPASS: a 2 - ghost\nPASS: a 2 - two\n"}}}, end}, 0, true, "a::(all) pass\na::(all) #2 pass"},
		{"make's names in another order", []record{{Kind: "make", Code: 2,
			Trs: map[string][2]string{"a": {":test-result: PASS\n:test-result: FAIL\n",
				"FAIL: a 1 - one\nPASS: a 2 - two\n"}}}, end}, 1, true, "a::(all) pass\na::(all) #2 fail"},
		{"ctest ends badly without a failed test", []record{{Unit: "t", Kind: "cmake", Code: 8,
			XML: `<testsuite name="x" tests="1"><testcase name="a" status="run"/></testsuite>`}, end}, 1, true,
			"t::a pass\n! t unit_failed"},
		{"meson's own words", []record{{Unit: "t", Kind: "meson", Code: 1, Tests: []mesonTest{{Name: "a", Result: "OK"},
			{Name: "b", Result: "TIMEOUT"}, {Name: "c", Result: "UNEXPECTEDPASS"},
			{Name: "d", Result: "EXPECTEDFAIL"}, {Name: "e", Result: "SKIP"}, {Name: "f", Result: "IN_A_LATER_MESON"}}}, end}, 1,
			true, "t::a pass\nt::b error\nt::c fail\nt::d pass\nt::e skip\nt::f error"},
		{"meson without a log", []record{{Unit: "t", Kind: "meson", Code: 1}, end}, 1, true, "! t crashed"},
		{"meson hides a failure", []record{{Unit: "t", Kind: "meson", Tests: []mesonTest{{Name: "a", Result: "FAIL"}}}, end},
			0, false, "t::a fail\n! t contradiction"},
		{"meson, several of TAP in a script", []record{{Kind: "meson", Code: 1, Tests: []mesonTest{{Name: "a", Suite: "p:s",
			Protocol: "tap", Result: "OK", Out: "1..1\nok 1 - x\n"},
			{Name: "b", Suite: "p:s", Protocol: "tap", Result: "TIMEOUT", Out: "1..1\nok 1 - x\n"}}}, end}, 1, true,
			"meson::p:s/a/x pass\nmeson::p:s/b/x pass\n! meson cut"},
		{"meson says that a program of TAP ended badly", []record{{Unit: "t", Kind: "meson", Code: 1,
			Tests: []mesonTest{{Name: "a", Protocol: "tap", Result: "ERROR", Out: "1..1\nok 1 - x\n", Err: "status code 3"}}},
			end}, 1, true, "t::x pass\n! t unit_failed"},
		{"Catch2 counts assertions", []record{{Unit: "t", Kind: "catch2",
			XML: `<testsuites><testsuite name="t" tests="3"><testcase classname="t.global" name="a"/></testsuite></testsuites>`},
			end}, 0, true, "t::a pass"},
		{"Catch2 counts assertions, wherever its report comes from", []record{{Unit: "t", Kind: "cmake",
			XML: `<testsuites><testsuite name="t" tests="3" hostname="tbd"><testcase classname="t.global" ` +
				`name="a"/></testsuite></testsuites>`}, end}, 0, true, "t::a pass"},
		{"doctest counts assertions", []record{{Unit: "t", Kind: "doctest",
			XML: `<testsuites><testsuite name="t" tests="3"><testcase classname="a.cpp" name="a" ` +
				`status="run"/></testsuite></testsuites>`}, end}, 0, true, "t::a pass"},
		{"GoogleTest counts tests", []record{{Unit: "t", Kind: "gtest",
			XML: `<testsuites><testsuite name="S" tests="3"><testcase classname="S" name="a" ` +
				`status="run"/></testsuite></testsuites>`}, end}, 0, false, "t::S.a pass\n! t plan_mismatch"},
		{"no test", []record{{Unit: ".", None: "none"}, end}, 0, true, "! . no_tests"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reporttest.CheckLines(t, Format(), map[string]string{"001.jsonl": cppLines(t, c.records...)}, c.want)
			if ok, why := Format().Judge(r, c.code); ok != c.ok {
				t.Errorf("consistent: %v %s", ok, why)
			}
		})
	}
}

// TestCorpus reads what real runs left, of ctest 3.25.1, GoogleTest 1.12.1,
// Catch2, doctest 2.4.9, Meson 1.0.1 and automake 1.16.5 with its driver of TAP.
func TestCorpus(t *testing.T) { reporttest.Corpus(t, Format(), "cpp-*", 10) }

func TestFraming(t *testing.T) {
	log := "1/1 Test #1: all ...***Exception:   ‹0.00› sec\n[ RUN      ] S.a\n[       OK ] S.a (‹1› ms)\n" +
		"[----------] 4 tests from S (‹2› ms total)\n[ RUN      ] S.b\nafter 5 ms\nTotal Test time (real) =   ‹0.01› sec\n"
	reporttest.CheckFraming(t, Format(), "gtest", "u.json",
		cppLines(t, record{Unit: "u", Running: true}, record{Unit: "u", Kind: "gtest", Code: 1, Log: log}, record{End: true}),
		"1/1 Test #1: all ...***Exception:\n[ RUN      ] S.a\n[       OK ] S.a\n[----------] 4 tests from S\n[ RUN      ] "+
			"S.b\nafter 5 ms")
}

// FuzzCpp: no bytes bring the reader down, and an id appears once.
func FuzzCpp(f *testing.F) {
	reporttest.Seed(f, "cpp-*/*.jsonl")
	f.Add([]byte(cppLines(f, record{Kind: "make", Test: "x", Trs: map[string][2]string{"a": {":test-result: PASS x\n"}}})))
	reporttest.Fuzz(f, Format(), "001.jsonl")
}
