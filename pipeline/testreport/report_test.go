package testreport

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

// summary writes a report as lines, so that a case reads as a list.
func summary(r Report) []string {
	var lines []string
	for _, t := range r.Results {
		o := string(t.Outcome)
		if o == "" {
			o = "missing"
		}
		lines = append(lines, t.ID+" "+o)
	}
	for _, p := range r.Problems {
		lines = append(lines, fmt.Sprintf("! %s %s", p.Unit, p.Kind))
	}
	for _, id := range r.Crashed {
		lines = append(lines, "crashed "+id)
	}
	return lines
}

func check(t *testing.T, format string, files map[string]string, want string) Report {
	t.Helper()
	in := map[string][]byte{}
	for name, text := range files {
		in[name] = []byte(text)
	}
	r, err := Parse(format, in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), summary(r)); diff != "" {
		t.Errorf("-want +got\n%s\nproblems: %+v", diff, r.Problems)
	}
	return r
}

func TestUnknownFormat(t *testing.T) {
	if _, err := Parse("swift", nil); err == nil || !strings.HasSuffix(err.Error(), "there are "+strings.Join(Formats(), ", ")) {
		t.Errorf("got %v, want an error that lists the formats", err)
	}
}

func TestMasks(t *testing.T) {
	for in, want := range map[string]string{
		"TestDial/127.0.0.1:43121":                  "TestDial/127.0.0.1:PORT",
		"TestDial/[::1]:43121_ok":                   "TestDial/[::1]:PORT_ok",
		"TestDial//ip4/127.0.0.1/tcp/4001/p2p":      "TestDial//ip4/127.0.0.1/tcp/PORT/p2p",
		"test_x[<object at 0x7f3a9c0d1e20>]":        "test_x[<object at 0xADDR>]",
		"TestPtr/0xc000123456":                      "TestPtr/0xADDR",
		"TestHex/0xdeadbeef":                        "TestHex/0xdeadbeef",
		"TestOpen//tmp/go-build123/x.txt":           "TestOpen//TMP",
		"tests/tmp/test_a.py":                       "tests/tmp/test_a.py",
		"reads /workspace/acme/lib/testdata/x.json": "reads testdata/x.json",
		"\x1b[32mgreen\x1b[0m name":                 "green name",
		"TestWait/10s":                              "TestWait/10s",
	} {
		if got := maskName(in); got != want {
			t.Errorf("maskName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestConsistent(t *testing.T) {
	result := func(o schema.TestOutcome) []schema.TestResult { return []schema.TestResult{{ID: "u::t", Outcome: o}} }
	pass, fail := Counts{Pass: 1}, Counts{Fail: 1}
	for _, c := range []struct {
		name string
		r    Report
		exit int
		want bool
	}{
		{"pass, 0", Report{Format: GoTest, Results: result(schema.Pass), Counts: pass}, 0, true},
		{"fail, 1", Report{Format: GoTest, Results: result(schema.Fail), Counts: fail}, 1, true},
		{"fail, 0", Report{Format: GoTest, Results: result(schema.Fail), Counts: fail}, 0, false},
		{"pass, 1", Report{Format: GoTest, Results: result(schema.Pass), Counts: pass}, 1, false},
		{"build failed, 1", Report{Format: GoTest, Problems: []Problem{{Kind: BuildFailed}}}, 1, true},
		{"crashed, 0", Report{Format: GoTest, Counts: pass, Problems: []Problem{{Kind: Crashed}}}, 0, false},
		{"contradiction, 1", Report{Format: GoTest, Counts: fail, Problems: []Problem{{Kind: Contradiction}}}, 1, false},
		{"pytest without tests, 5", Report{Format: JUnit}, 5, true},
		{"pytest internal error, 3", Report{Format: JUnit, Counts: pass}, 3, false},
		{"tap fail, 0", Report{Format: TAP, Counts: fail}, 0, true},
		{"tap pass, 1", Report{Format: TAP, Counts: pass}, 1, false},
		{"tap cut, 0", Report{Format: TAP, Counts: pass, Problems: []Problem{{Kind: Cut}}}, 0, false},
	} {
		if ok, why := Consistent(c.r, c.exit); ok != c.want || ok != (why == "") {
			t.Errorf("%s: got %v %q, want %v", c.name, ok, why, c.want)
		}
	}
}

func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("é", 5*MaxMessage)
	r, _ := Parse(JUnit, map[string][]byte{"r.xml": []byte(`<testsuite name="s"><testcase classname="c" name="n"><failure>` + long + `</failure></testcase></testsuite>`)})
	if len(r.Results) != 1 || len(r.Results[0].Message) > MaxMessage || !strings.HasPrefix(r.Results[0].Message, "…") {
		t.Errorf("got %d results, message of %d bytes", len(r.Results), len(r.Results[0].Message))
	}
}

func fuzz(f *testing.F, format, name string) {
	entries, _ := os.ReadDir("testdata")
	for _, e := range entries {
		if data, err := os.ReadFile("testdata/" + e.Name()); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(format, map[string][]byte{name: data})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, x := range r.Results {
			if seen[x.ID] {
				t.Errorf("the id %q appears twice", x.ID)
			}
			seen[x.ID] = true
			if len(x.ID) > schema.MaxTestID+10 || len(x.Message) > MaxMessage || x.Outcome == schema.Missing {
				t.Errorf("out of bounds: %+v", x)
			}
		}
		again, _ := Parse(format, map[string][]byte{name: data})
		if diff := cmp.Diff(r, again); diff != "" {
			t.Errorf("not the same twice: %s", diff)
		}
	})
}

// seeds adds what real runners wrote.
func seeds(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob("testdata/corpus/" + pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
}

func FuzzGoTest(f *testing.F) {
	f.Add([]byte(`{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"pass","Package":"p","Test":"T"}`))
	seeds(f, "gotest-*/*.json")
	fuzz(f, GoTest, "001.json")
}

func FuzzJUnit(f *testing.F) {
	f.Add([]byte(`<testsuites><testsuite name="pytest" tests="1"><testcase classname="a.b.C" name="t[x]" file="a/b.py"/></testsuite></testsuites>`))
	seeds(f, "pytest-*/*.xml", "xmlrunner-*/*/*.xml", "bats-*/*.xml")
	fuzz(f, JUnit, "report.xml")
}

func FuzzTAP(f *testing.F) {
	f.Add([]byte("TAP version 14\n# Subtest: a\n    ok 1 - b\n    1..1\nok 1 - a\n  ---\n  x: y\n  ...\n1..1\n"))
	seeds(f, "bats-*/*.tap")
	fuzz(f, TAP, "t/a.tap")
}
