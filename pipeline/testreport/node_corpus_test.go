package testreport

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

// nodeCorpus are reports that Node's runners wrote of one small project each; the
// folder's name ends with the runner's version. Cypress needs a browser that can't be
// installed everywhere: its report is written by hand, after the reporter that it
// brings.
var nodeCorpus = map[string]string{
	"node-ava-6": Node, "node-ava-6-hang": Node, "node-jest-29": Node, "node-jest-29-hang": Node, "node-mocha-11": Node, "node-mocha-11-hang": Node,
	"node-node-20": Node, "node-node-20-hang": Node, "node-tap-16": Node, "node-vitest-3": Node, "node-vitest-3-hang": Node,
	"jest-29": Jest, "jest-30": Jest, "vitest-3": Vitest, "mocha-11": Mocha,
	"junit-jest": JUnit, "junit-jest-file": JUnit, "junit-vitest-3": JUnit, "junit-mocha": JUnit, "junit-mocha-xunit": JUnit, "junit-node-20": JUnit, "junit-cypress": JUnit,
}

func TestNodeCorpus(t *testing.T) {
	for dir, format := range nodeCorpus {
		t.Run(dir, func(t *testing.T) {
			r := corpus(t, format, filepath.Join("testdata", "corpus", dir))
			for _, x := range r.Results {
				if strings.Contains(x.ID, "ghost") || strings.ContainsAny(x.ID, "\x1b") || strings.Contains(x.ID, "/srv/") || strings.Contains(x.ID, "/tmp") || strings.Contains(x.ID, "43211") {
					t.Errorf("%s: %s", x.Outcome, x.ID)
				}
			}
		})
	}
}

// TestNodeForged: node-tap writes to the output that the test prints to. A test that
// prints points of its own makes a document that nobody believes.
func TestNodeForged(t *testing.T) {
	r, err := Parse(Node, corpusFiles(t, "testdata/corpus/node-tap-16-forged"))
	if err != nil {
		t.Fatal(err)
	}
	for _, exit := range []int{0, 1} {
		if ok, _ := Consistent(r, exit); ok {
			t.Errorf("an end with %d is believed: %s", exit, saying(r))
		}
	}
}

// TestAvaOutside: what befell ava's process is no test, and no contradiction.
func TestAvaOutside(t *testing.T) {
	const end = "# tests 1\n# pass 1\n# fail 1\n"
	for _, c := range []struct{ name, text, want string }{
		{"a rejection that nobody waited for", "ok 1 - a\nnot ok 2 - TypeError: x is not a function\n  ---\n    name: TypeError\n    message: x is not a function\n    at: 'file:///w/a.js:1:1'\n  ...\n\n1..1\n" + end, `
a.js::a pass
! a.js unit_failed`},
		{"its message is folded", "ok 1 - a\nnot ok 2 - Error: many words that YAML folds\n  ---\n    name: Error\n    message: >-\n      many words that\n      YAML folds\n  ...\n\n1..1\n" + end, `
a.js::a pass
! a.js unit_failed`},
		{"a signal", "ok 1 - a\nnot ok 2 - a.js exited due to SIGSEGV\n\n1..1\n" + end, `
a.js::a pass
! a.js crashed`},
		{"a test of such a name that failed", "not ok 1 - Error: is a name\n  ---\n    name: AssertionError\n    assertion: t.is()\n  ...\n\n1..1\n" + end, `
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
		t.Run(c.name, func(t *testing.T) { check(t, Node, map[string]string{"a.js.tap": "TAP version 13\n" + c.text}, c.want) })
	}
}

// TestNodeTAPCount: node-tap says itself that a test ended before it was planned.
func TestNodeTAPCount(t *testing.T) {
	r := check(t, Node, map[string]string{"a.js.tap": "ok 1 - one\nnot ok 2 - child test left in queue\n1..1\n# test count(2) != plan(1)\n"}, `
a.js::child test left in queue fail
a.js::one pass
! a.js plan_mismatch`)
	if ok, why := Consistent(r, 1); !ok {
		t.Error(why)
	}
	check(t, Node, map[string]string{"a.js.tap": "", "a.js.tap.log": "Error: Cannot find module 'x'\n"}, "! a.js collection_error")
}

// TestNodeJUnit: what the writers of Node leave to be told apart.
func TestNodeJUnit(t *testing.T) {
	for _, c := range []struct{ name, xml, want string }{
		{"mocha counts what it skips and lists none", `<testsuites name="Mocha Tests" skipped="2"><testsuite name="s" tests="3" file="/w/t.js"><testcase name="s a" classname="a"/></testsuite></testsuites>`, `
t.js::s a pass`},
		{"and no more than that", `<testsuites name="Mocha Tests" skipped="1"><testsuite name="s" tests="3" file="t/t.js"><testcase name="s a" classname="a"/></testsuite></testsuites>`, `
t/t.js::s a pass
! report.xml plan_mismatch`},
		{"another writer's count is its own", `<testsuites name="x" skipped="2"><testsuite name="s" tests="3"><testcase name="a" classname="s"/></testsuite></testsuites>`, `
s::a pass
! report.xml plan_mismatch`},
		{"node says the file from 22 on", `<testsuites><testsuite name="s" disabled="0" hostname="h" tests="1"><testcase name="a" classname="test" file="/workspace/o/n/test/t.js"/></testsuite></testsuites>`, `
test/t.js::s > a pass`},
		{"node's test of a file", `<testsuites><testcase name="/workspace/o/n/test/t.js" classname="test"/><testcase name="/workspace/o/n/k.js" classname="test"><failure>signal: 'SIGKILL'</failure></testcase></testsuites>`, `
! k.js crashed
! test/t.js no_tests`},
		{"a class of that name is another's", `<testsuite name="s"><testcase name="a" classname="test"/></testsuite>`, `
test::a pass`},
		{"colours go, what reaches further stays", "<testsuite name=\"s\"><testcase name=\"\x1b[31mred&#x1b;[0m a\x1b]0;\" classname=\"c\"><failure/></testcase><testcase name=\"b\x07\" classname=\"c\"/></testsuite>", "\nc::b\uFFFD pass\nc::red a\uFFFD]0; fail"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, JUnit, map[string]string{"report.xml": c.xml}, c.want) })
	}
}

// FuzzNode: the reports of Node's runners, with what lies beside them.
func FuzzNode(f *testing.F) {
	for dir := range nodeCorpus {
		for name, data := range corpusFiles(f, filepath.Join("testdata", "corpus", dir)) {
			f.Add(data, []byte("log"), strings.HasSuffix(name, ".tap"))
		}
	}
	f.Fuzz(func(t *testing.T, data, beside []byte, tap bool) {
		name := "a/t.js.json"
		if tap {
			name = "a/t.js.tap"
		}
		seen := map[string]bool{}
		for _, files := range []map[string][]byte{{name: data, name + LogExt: beside}, {name + LogExt: data, name + ".running": beside}} {
			for _, format := range []string{Node, Jest, Mocha} {
				r, err := Parse(format, files)
				if err != nil || len(r.Results) > MaxResults {
					t.Fatal(err)
				}
				clear(seen)
				for _, x := range r.Results {
					if seen[x.ID] || len(x.ID) > schema.MaxTestID+10 || len(x.Message) > MaxMessage || x.Outcome == schema.Missing {
						t.Errorf("%+v", x)
					}
					seen[x.ID] = true
				}
				Consistent(r, 0)
			}
		}
	})
}
