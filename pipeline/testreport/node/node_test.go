package node

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// TestCorpus reads reports that Node's runners wrote of one small project each; the
// folder's name ends with the runner's version. node-tap writes to the output that the
// test prints to: a test that prints points of its own makes a document that nobody
// believes.
func TestCorpus(t *testing.T) {
	reporttest.Corpus(t, Node(), "node-*", 12, reporttest.CleanIDs)
	reporttest.Corpus(t, Jest(), "jest-*", 2, reporttest.CleanIDs)
	reporttest.Corpus(t, Vitest(), "vitest-*", 1, reporttest.CleanIDs)
	reporttest.Corpus(t, Mocha(), "mocha-*", 1, reporttest.CleanIDs)
}

// TestAvaOutside: what befell ava's process is no test, and no contradiction.
func TestAvaOutside(t *testing.T) {
	const end = "# tests 1\n# pass 1\n# fail 1\n"
	for _, c := range []struct{ name, text, want string }{
		{"a rejection that nobody waited for", "ok 1 - a\nnot ok 2 - TypeError: x is not a function\n  ---\n    name: " +
			"TypeError\n    message: x is not a function\n    at: 'file:///w/a.js:1:1'\n  ...\n\n1..1\n" + end, `
a.js::a pass
! a.js unit_failed`},
		{"its message is folded", "ok 1 - a\nnot ok 2 - Error: many words that YAML folds\n  ---\n    name: Error\n    " +
			"message: >-\n      many words that\n      YAML folds\n  ...\n\n1..1\n" + end, `
a.js::a pass
! a.js unit_failed`},
		{"a signal", "ok 1 - a\nnot ok 2 - a.js exited due to SIGSEGV\n\n1..1\n" + end, `
a.js::a pass
! a.js crashed`},
		{"a test of such a name that failed", "not ok 1 - Error: is a name\n  ---\n    name: AssertionError\n    " +
			"assertion: t.is()\n  ...\n\n1..1\n" + end, `
a.js::Error: is a name fail`},
		{"a hook after tests", "ok 1 - a\nnot ok 2 - after hook\n  ---\n    name: AssertionError\n  ...\n\n1..1\n" + end, `
a.js::a pass
a.js::after hook error`},
		{"more points than that are none of it", "ok 1 - a\nok 2 - forged\n\n1..1\n" + end, `
a.js::a pass
a.js::forged pass
! a.js contradiction`},
		{"no test, nothing wrong", "1..0\n", `
! a.js no_tests`},
	} {
		t.Run(c.name, func(t *testing.T) {
			reporttest.CheckLines(t, Node(), map[string]string{"a.js.tap": "TAP version 13\n" + c.text}, c.want)
		})
	}
}

// TestNodeTAPCount: node-tap says itself that a test ended before it was planned.
func TestNodeTAPCount(t *testing.T) {
	r := reporttest.CheckLines(t, Node(), map[string]string{"a.js.tap": "ok 1 - one\nnot ok 2 - child test left in " +
		"queue\n1..1\n# test count(2) != plan(1)\n"}, `
a.js::child test left in queue fail
a.js::one pass
! a.js plan_mismatch`)
	if ok, why := Node().Judge(r, 1); !ok {
		t.Error(why)
	}
	reporttest.CheckLines(t, Node(), map[string]string{"a.js.tap": "", "a.js.tap.log": "Error: Cannot find module 'x'\n"},
		"! a.js collection_error")
}

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, Node(), "node's TAP", "a.tap",
		"TAP version 13\nnot ok 1 - a\n  ---\n  duration_ms: ‹1.25›\n  error: 'after 3ms'\n"+
			"  ...\n1..1\n# tests 1\n# duration_ms ‹40.5›\n",
		"error: 'after 3ms'\n# tests 1")
	reporttest.CheckFraming(t, Node(), "jest's console", "a.test.js.json.log",
		"FAIL ./a.test.js\n  ✕ adds (‹12› ms)\n  at 10 ms\n\n"+
			"Tests:       1 failed, 1 total\nTime:        ‹1.873› s, estimated 2 s\nRan all test suites.\n",
		"the runner wrote no report\nFAIL ./a.test.js\n  ✕ adds\n  at 10 ms\n\nTests:       1 failed, 1 total\nRan all "+
			"test suites.")
	reporttest.CheckFraming(t, Node(), "mocha's and vitest's consoles", "a.test.js.json.log",
		"  1 passing (‹4›ms)\n ✓ a.test.js (3 tests) ‹12›ms\n"+
			"   Start at  10:00:‹01›\n   Duration  ‹300›ms (transform 20ms)\nend\n", "")
}

// FuzzNode: the reports of Node's runners, with what lies beside them.
func FuzzNode(f *testing.F) {
	for _, pattern := range []string{"node-*", "jest-*", "vitest-*", "mocha-*"} {
		for _, files := range reporttest.Runs(f, pattern) {
			for name, data := range files {
				f.Add(data, []byte("log"), strings.HasSuffix(name, ".tap"))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data, beside []byte, tap bool) {
		name := "a/t.js.json"
		if tap {
			name = "a/t.js.tap"
		}
		for _, format := range []testreport.Format{Node(), Jest(), Vitest(), Mocha()} {
			reporttest.CheckBounds(t, format, map[string][]byte{name: data, name + ".log": beside})
			reporttest.CheckBounds(t, format, map[string][]byte{name + ".log": data, name + ".running": beside})
		}
	})
}
