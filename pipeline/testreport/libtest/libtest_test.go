package libtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
	"github.com/wideswe/wideswe/schema"
)

// cargoText reads the output of a cargo test, and says what the report holds.
func cargoText(text string) (testreport.Report, string) {
	r := Format().Parse(map[string][]byte{"cargo.log": []byte(text)})
	return r, reporttest.Text(r)
}

const cargoTwo = `   Compiling app v0.1.0
    Finished ` + "`test`" + ` profile [unoptimized + debuginfo] target(s) in 0.27s
     Running unittests src/lib.rs (target/debug/deps/app-0123456789abcdef)

running 4 tests
test tests::adds ... ok
test tests::off ... ignored, slow one
test tests::old ... ignored
test tests::panics - should panic ... ok

test result: ok. 2 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)

running 2 tests
test adds ... FAILED
test b ... bench:         100 ns/iter (+/- 10)

failures:

---- adds stdout ----
thread 'adds' panicked at tests/it.rs:1:14:
test b ... FAILED
test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out

failures:
    adds

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass ` + "`--test it`" + `
`

func TestCargoText(t *testing.T) {
	one := "     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)\n\nrunning 2 tests\n"
	end := "\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	doc := "   Doc-tests app\n\nrunning 2 tests\ntest src/lib.rs - add (line 9) ... ok\ntest src/lib.rs - add (line 3) " +
		"- compile fail ... ok\n" + end
	for name, c := range map[string]struct {
		text, want string
		exit       int // with which it is consistent; -1 with none
	}{
		"an old cargo": {"     Running target/debug/deps/app-0123456789abcdef\n\nrunning 1 test\ntest a " +
			"... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", "pass app::a\n", 0},
		"a workspace's": {"     Running unittests crates/x/src/main.rs " +
			"(/tmp/target/debug/deps/x-0123456789abcdef)\n\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 " +
			"failed; 0 ignored; 0 measured; 0 filtered out\n", "pass x::a\n", 0},
		"doc tests in the order of lines": {doc, "pass app:doc/lib::src/lib.rs - add\npass app:doc/lib::src/lib.rs - add " +
			"#2\n", 0},
		"nothing in a program": {"   Doc-tests app\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 " +
			"measured; 0 filtered out\n", "! no_tests app:doc/lib\n", 0},
		"colour": {one + "test a ... \x1b[32mok\x1b[0m\ntest b ... \x1b[32mok\x1b[0m\n" + end,
			"pass tests/it.rs::a\npass tests/it.rs::b\n", 0},
		"report-time": {one + "test a ... ok <0.001s>\ntest b ... ok <1.5s>\n" + end,
			"pass tests/it.rs::a\npass tests/it.rs::b\n", 0},
		"a forged line": {one + "test a ... ok\ntest ghost ... ok\ntest b ... ok\n" + end,
			"pass tests/it.rs::a\npass tests/it.rs::b\npass tests/it.rs::ghost\n! contradiction tests/it.rs\n", -1},
		"a forged program": {one + "test a ... ok\n     Running tests/ghost.rs " +
			"(target/debug/deps/ghost-0123456789abcdef)\n\nrunning 1 test\ntest b ... ok\n" + end,
			"pass tests/it.rs::a\npass tests/it.rs::b\n", 0},
		"a result printed twice": {one + "test a ... ok\ntest a ... FAILED\n" + end,
			"error tests/it.rs::a\n! contradiction tests/it.rs\n! contradiction tests/it.rs\n", -1},
		"cut": {one + "test a ... ok\n", "pass tests/it.rs::a\n! cut tests/it.rs\n", 101},
		"a signal": {one + "test a ... ok\nerror: test failed, to rerun pass `--test it`\n\nCaused by:\n  process didn't " +
			"exit successfully: `/t/it-0123456789abcdef` (signal: 6, SIGABRT: process abort signal)\n",
			"pass tests/it.rs::a\n! crashed tests/it.rs\n", 101},
		"not compiled": {"error[E0425]: cannot find function\nerror: could not compile `app` (test \"broken\") due to 1 " +
			"previous error\n", "! build_failed app\n", 101},
		"no report": {"bash: cargo: not found\n", "! unreadable cargo.log\n", 127},
		"empty":     {"", "! unreadable cargo.log\n", 101},
	} {
		r, got := cargoText(c.text)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		for _, exit := range []int{0, 101} {
			if ok, why := Format().Judge(r, exit); ok && c.exit == -1 || !ok && c.exit == exit {
				t.Errorf("%s: consistent with %d: %v %s", name, exit, ok, why)
			}
		}
	}
	r, got := cargoText(cargoTwo)
	want := "pass app::tests::adds\nskip app::tests::off\nskip app::tests::old\npass app::tests::panics\nfail " +
		"tests/it.rs::adds\npass tests/it.rs::b\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("two programs: -want +got\n%s", diff)
	}
	if ok, why := Format().Judge(r, 101); !ok {
		t.Errorf("two programs: %s", why)
	}
	if ok, _ := Format().Judge(r, 0); ok {
		t.Error("two programs: a failure that ended with 0 is believed")
	}
	if !strings.Contains(r.Results[1].Message+r.Results[4].Message, "panicked at tests/it.rs") ||
		!strings.Contains(r.Results[1].Message, "slow one") {
		t.Errorf("messages %q %q", r.Results[1].Message, r.Results[4].Message)
	}
}

// TestCorpus reads what real cargo left of runs of projects of our own:
// several programs, doc tests, panics, tests that print what looks like results, die
// and hang. What a run's two streams can't tell apart, and a program that ends with 0
// in the middle, is believed in nothing.
func TestCorpus(t *testing.T) {
	reporttest.Corpus(t, Format(), "libtest-*", 8)
}

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, Format(), "cargo", "a.txt",
		"     Running src/lib.rs (target/debug/deps/a-0123456789abcdef)\n\nrunning 1 test\n"+
			"test a has been running for over ‹60› seconds\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n"+
			"thread 'a' (‹4242›) panicked at src/lib.rs:2:5:\ntook 3s\n\n\nfailures:\n    a\n\n"+
			"test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in ‹0.01›s\n",
		"thread 'a' panicked at src/lib.rs:2:5:\ntook 3s")
}

// FuzzLibtest: no bytes bring either reader down, an id appears once, and nothing
// that a program prints makes a pass of a test that its log and list don't hold.
func FuzzLibtest(f *testing.F) {
	for _, files := range reporttest.Runs(f, "libtest-*") {
		for name, data := range files {
			if strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".txt") {
				f.Add(data, []byte("ok a\nfailed b\n"), []byte("a: test\nb: test\n"), "all")
			}
		}
	}
	f.Add([]byte(cargoTwo), []byte("failed: x\ny a\n"), []byte("a: test\na: test\n"), "doc")
	f.Fuzz(func(t *testing.T, text, log, list []byte, how string) {
		reporttest.CheckBounds(t, Format(), map[string][]byte{"cargo.log": text})
		reporttest.CheckBounds(t, Format(), map[string][]byte{"1.unit": []byte("u\n" + how), "1.txt": text, "1.log": log,
			"1.list": list,
			"1.exit": []byte("0\n"), "1.stderr": text})
		r := reporttest.CheckBounds(t, Format(), map[string][]byte{"1.unit": []byte("u\nall"), "1.txt": text, "1.log": log,
			"1.list": list,
			"1.exit": []byte("101\n")})
		said := strings.Contains(string(log), "ok") || strings.Contains(string(log), "bench")
		for _, x := range r.Results {
			if x.Outcome == schema.Pass && !said {
				t.Errorf("%q passes without a word of the log", x.ID)
			}
		}
	})
}
