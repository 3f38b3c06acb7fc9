package testreport

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

// cppLines writes records as the toolchain does.
func cppLines(t testing.TB, records ...cppRecord) string {
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
	end := cppRecord{End: true}
	ctest := func(cases string) string { return `<testsuite name="Linux-c++">` + cases + `</testsuite>` }
	gtest := func(cases string) string {
		return `<testsuites><testsuite name="S">` + cases + `</testsuite></testsuites>`
	}
	pass := `<testcase name="a" classname="S" status="run" result="completed"/>`
	for _, c := range []struct {
		name    string
		records []cppRecord
		code    int
		ok      bool
		want    string
	}{
		{"ctest", []cppRecord{{Unit: "t/x", Kind: "cmake", Code: 8, XML: ctest(`<testcase name="a" classname="a" status="run"/><testcase name="b" classname="b" status="fail"><failure message=""/></testcase><testcase name="c" classname="c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>`)}, end}, 8, true,
			"t/x::a pass\nt/x::b fail\nt/x::c skip"},
		{"what ctest can't start is not skipped", []cppRecord{{Kind: "cmake", Code: 8, XML: ctest(`<testcase name="c" classname="c" status="notrun"><skipped message="Unable to find executable"/></testcase>`)}, end}, 8, true, "ctest::c error"},
		{"gtest", []cppRecord{{Unit: "x", Kind: "gtest", XML: gtest(pass), Outer: "ignored"}, end}, 0, true, "x::S.a pass"},
		{"gtest ends badly after its tests", []cppRecord{{Unit: "x", Kind: "gtest", Code: 1, XML: gtest(pass)}, end}, 1, true, "x::S.a pass\n! x unit_failed"},
		{"a failed test, and an end without an error", []cppRecord{{Unit: "x", Kind: "gtest", XML: gtest(`<testcase name="a" classname="S" status="run"><failure message="m"/></testcase>`)}, end}, 0, false, "x::S.a fail\n! x contradiction"},
		{"gtest dies", []cppRecord{{Unit: "x", Kind: "gtest", Code: 8, Log: "[ RUN      ] S.a\n[       OK ] S.a (0 ms)\n[ RUN      ] S.b\nSegmentation fault\n"}, end}, 8, true, "x::S.b error\n! x crashed\ncrashed x::S.b"},
		{"gtest dies between tests", []cppRecord{{Unit: "x", Kind: "gtest", Code: 8, Log: "[ RUN      ] S.a\n[  FAILED  ] S.a, where GetParam() = 1 (0 ms)\nkilled\n"}, end}, 8, true, "! x crashed"},
		{"what is printed is no result", []cppRecord{{Unit: "x", Kind: "gtest", Code: 8, Log: "[       OK ] S.ghost (0 ms)\n"}, end}, 8, true, "! x crashed"},
		{"not built", []cppRecord{{Unit: "x", Failed: "error: undefined"}, end}, 1, true, "! x build_failed"},
		{"killed while one ran", []cppRecord{{Unit: "y", Kind: "cmake", XML: ctest(`<testcase name="a" status="run"/>`)}, {Unit: "x", Running: true}}, 137, true, "y::a pass\n! x cut"},
		{"killed between", []cppRecord{{Unit: "y", Kind: "cmake", XML: ctest(`<testcase name="a" status="run"/>`)}}, 137, true, "y::a pass\n! 001.jsonl cut"},
		{"automake", []cppRecord{{Kind: "make", Test: "check", Code: 2, Trs: map[string][2]string{"t/a": {":test-result: PASS\n:test-global-result: PASS\n"}, "t/b.sh": {":test-result: PASS 1 one\n:test-result: FAIL 2 two\n"}, "t/c": {":test-result: XFAIL\n"}, "t/d": {""}}}, end}, 1, true,
			"t/a::(all) pass\nt/b.sh::1 one pass\nt/b.sh::2 two fail\nt/c::(all) skip\n! t/d cut"},
		{"make alone", []cppRecord{{Kind: "make", Test: "check", Code: 2}, end}, 1, true, "make::check fail"},
		{"make hides a failure", []cppRecord{{Kind: "make", Test: "check", Trs: map[string][2]string{"a": {":test-result: FAIL\n"}}}, end}, 0, false, "a::(all) fail\n! make contradiction"},
		{"no test", []cppRecord{{Unit: ".", None: "none"}, end}, 0, true, "! . no_tests"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := check(t, Cpp, map[string]string{"001.jsonl": cppLines(t, c.records...)}, c.want)
			if ok, why := Consistent(r, c.code); ok != c.ok {
				t.Errorf("consistent: %v %s", ok, why)
			}
		})
	}
}

// TestCppCorpus reads what real runs left, of ctest 3.25.1, GoogleTest 1.12.1,
// Catch2 and doctest 2.4.9.
func TestCppCorpus(t *testing.T) {
	dirs, err := filepath.Glob("testdata/corpus/cpp-*")
	if err != nil || len(dirs) < 5 {
		t.Fatalf("%d runs, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		corpus(t, Cpp, dir)
	}
}

// FuzzCpp: no bytes bring the parser down, and an id appears once.
func FuzzCpp(f *testing.F) {
	files, _ := filepath.Glob("testdata/corpus/cpp-*/*.jsonl")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	f.Add([]byte(cppLines(f, cppRecord{Kind: "make", Test: "x", Trs: map[string][2]string{"a": {":test-result: PASS x\n"}}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(Cpp, map[string][]byte{"001.jsonl": data})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, x := range r.Results {
			if unit, _ := schema.SplitTestID(x.ID); seen[x.ID] || strings.HasPrefix(unit, "/") {
				t.Errorf("id %q", x.ID)
			}
			seen[x.ID] = true
		}
		Consistent(r, 0)
	})
}
