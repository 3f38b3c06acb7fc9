package testreport

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a test said is all that its message holds: no line and no duration of the
// runner's. Each case has one text for the runner, with its figures in ‹›, and
// the message that must come of it whatever they are.
func TestMessagesHoldNoFraming(t *testing.T) {
	cpp := func(kind, log string) string {
		return `{"unit":"u","running":true}` + "\n" + `{"unit":"u","kind":"` + kind + `","code":1,"xml":"","log":` + quoted(log) + "}\n" + `{"end":true}`
	}
	for _, c := range []struct{ name, format, file, text, want string }{
		{"go", GoTest, "1.json", stream("m/p", "run A", "out A === RUN   A", "out A === PAUSE A", "out A === CONT  A",
			"out A     a_test.go:3: it took 0.25s", "out A --- FAIL: A (‹1.02›s)", "fail A", "out - FAIL", "fail"),
			"a_test.go:3: it took 0.25s"},
		{"go, of a subtest", GoTest, "1.json", stream("m/p", "run A", "run A/x", "out A/x === RUN   A/x", "out A/x     a_test.go:4: no",
			"out A/x     --- FAIL: A/x (‹1.00›s)", "fail A/x", "out A --- FAIL: A (‹2.00›s)", "fail A", "out - FAIL", "fail"),
			"\na_test.go:4: no"},
		{"go, a program that died", GoTest, "1.json", stream("m/p", "run A", "out - FAIL\tm/p\t‹1.038›s", "fail"),
			"\nthe test program ended before the testing package did\nFAIL\tm/p\n\nin A"},
		{"go, out of time", GoTest, "1.json", stream("m/p", "run A", "out A panic: test timed out after 3s", "out A \trunning tests:", "out A \t\tA (‹3›s)", "out - FAIL", "fail"),
			"panic: test timed out after 3s\n\trunning tests:\n\t\tA\npanic: test timed out after 3s\nin A"},
		{"cargo", Libtest, "a.txt", "     Running src/lib.rs (target/debug/deps/a-0123456789abcdef)\n\nrunning 1 test\ntest a has been running for over ‹60› seconds\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n" +
			"thread 'a' (‹4242›) panicked at src/lib.rs:2:5:\ntook 3s\n\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in ‹0.01›s\n",
			"thread 'a' panicked at src/lib.rs:2:5:\ntook 3s"},
		{"node", Node, "a.tap", "TAP version 13\nnot ok 1 - a\n  ---\n  duration_ms: ‹1.25›\n  error: 'after 3ms'\n  ...\n1..1\n# tests 1\n# duration_ms ‹40.5›\n",
			"error: 'after 3ms'\n# tests 1"},
		{"node-tap", TAP, "a.tap", "not ok 1 - a # time=‹3.2›ms\n1..1\n# failed 1 test\n# time=‹73.011›ms\n", "# failed 1 test"},
		{"jest's console", Node, "a.test.js.json.log", "FAIL ./a.test.js\n  ✕ adds (‹12› ms)\n  at 10 ms\n\nTests:       1 failed, 1 total\nTime:        ‹1.873› s, estimated 2 s\nRan all test suites.\n",
			"the runner wrote no report\nFAIL ./a.test.js\n  ✕ adds\n  at 10 ms\n\nTests:       1 failed, 1 total\nRan all test suites."},
		{"mocha's and vitest's consoles", Node, "a.test.js.json.log", "  1 passing (‹4›ms)\n ✓ a.test.js (3 tests) ‹12›ms\n   Start at  10:00:‹01›\n   Duration  ‹300›ms (transform 20ms)\nend\n",
			""},
		{"pytest", JUnit, "a.xml", `<testsuites><testsuite name="pytest" tests="1"><testcase classname="a" name="test_x" file="a.py" time="‹0.1›"><failure message="no">self = &lt;a.TestMine object at 0x‹7f3e34b77a50›&gt;
at 0x7f3e34b77a50 it took 1.0s</failure></testcase></testsuite></testsuites>`,
			"no\nself = <a.TestMine object at 0xADDR>\nat 0x7f3e34b77a50 it took 1.0s"},
		{"pytest, killed", JUnit, "a.log", "a.py::test_x PASSED\n===== 1 passed in ‹0.12›s =====\n", "pytest wrote no report\na.py::test_x PASSED\n===== 1 passed ====="},
		{"gradle", Gradle, "p/build.log", "wideswe: Running own.T leaves\nbegan 1s ago\nBUILD FAILED in ‹6›s\n", ""},
		{"gtest", Cpp, "u.json", cpp("gtest", "1/1 Test #1: all ...***Exception:   ‹0.00› sec\n[ RUN      ] S.a\n[       OK ] S.a (‹1› ms)\n[----------] 4 tests from S (‹2› ms total)\n[ RUN      ] S.b\nafter 5 ms\nTotal Test time (real) =   ‹0.01› sec\n"),
			"1/1 Test #1: all ...***Exception:\n[ RUN      ] S.a\n[       OK ] S.a\n[----------] 4 tests from S\n[ RUN      ] S.b\nafter 5 ms"},
		{"phpunit", PHPUnit, "a.xml.log", "PHPUnit 11\n\nTime: 00:00.‹002›, Memory: 8.00 MB\n\nTime: is up\n", "the runner wrote no report\nPHPUnit 11\n\n\nTime: is up"},
		{"rspec", RSpec, "a.json.log", "Finished in ‹4.91› seconds (files took ‹0.05› seconds to load)\n1 example\nFinished in time\n", "the runner wrote no report\n1 example\nFinished in time"},
		{"minitest", Ruby, "a.tap.log", "Finished in ‹0.0003›s, 3.1 runs/s\nFinished in ‹0.0004› seconds.\nend\n", "the runner wrote no report\nend"},
		{"dotnet", TRX, "a.trx.log", "[xUnit.net 00:00:00.‹12›]   Starting\n  Failed N.T [‹5› ms]\nTime Elapsed 00:00:0‹1.23›\nslept [5 ms]\n", "the runner wrote no report\n[xUnit.net]   Starting\n  Failed N.T\nslept [5 ms]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, other := messages(t, c.format, c.file, jitter(c.text, "")), messages(t, c.format, c.file, jitter(c.text, "9"))
			if d := cmp.Diff(one, other); d != "" {
				t.Errorf("two runs that said the same (-one +other):\n%s", d)
			}
			if c.want != "" && !strings.HasPrefix(one, c.want) {
				t.Errorf("got  %q\nwant %q", one, c.want)
			}
		})
	}
}

// jitter puts more before each figure in ‹›.
func jitter(text, more string) string {
	return strings.NewReplacer("‹", more, "›", "").Replace(text)
}

func quoted(s string) string {
	return `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(s) + `"`
}

func messages(t *testing.T, format, file, text string) string {
	t.Helper()
	r, err := Parse(format, map[string][]byte{file: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, x := range r.Results {
		all = append(all, x.Message)
	}
	for _, p := range r.Problems {
		all = append(all, p.Message)
	}
	if len(all) == 0 {
		t.Fatal("no message")
	}
	return strings.Join(all, "\n")
}
