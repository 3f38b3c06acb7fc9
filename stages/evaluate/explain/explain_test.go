package explain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

func TestAccounts(t *testing.T) {
	out := t.TempDir()
	if err := os.MkdirAll(filepath.Join(out, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "logs", "l.log"),
		[]byte(strings.Repeat("x", 9000)+"\nit fell \x1b[2Jhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	failing := []schema.FailingTest{{ID: "u::a", Class: schema.F2P, Outcome: schema.Fail,
		Message: "want 1\x1b]0;title\x07, got 2"}, {ID: "u::b", Class: schema.P2P}}
	rep := schema.Report{Tasks: map[string]schema.TaskReport{
		"task-one": {Status: "unresolved", Model: "m", Mode: "joint", Attempt: 1, Reason: "why",
			Flags: []string{"a flag"}, Targets: map[string]schema.TargetReport{
				"o/a": {Status: "unresolved", F2P: schema.Tally{Passed: 1, Total: 2},
					P2P: schema.Tally{Passed: 4, Total: 5}, Failing: failing, Log: "logs/l.log",
					Replaced: []string{"x_test.go"}},
				"o/b": {Status: "unresolved", F2P: schema.Tally{Total: 1},
					Failing: []schema.FailingTest{{ID: "u::c", Class: schema.F2P}}, Log: "logs/l.log"},
				"o/c": {Status: "resolved", Resolved: true, Log: "logs/l.log"},
				"o/d": {Status: "unresolved", Log: "../../../etc/hostname"}}},
		"task-two": {Status: "resolved", Model: "m", Mode: "joint", Attempt: 1}}}
	got, err := Accounts(out, rep, "task-o", "")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	a, b := got[0].Targets[0], got[0].Targets[1]
	if a.First.ID != "u::a" || a.First.Message != "want 1]0;title, got 2" || a.More != 1 || a.Tail != "" ||
		a.Replaced[0] != "x_test.go" {
		t.Errorf("%+v %+v", a, a.First)
	}
	if len(b.Tail) > maxTail || !strings.HasSuffix(b.Tail, "it fell [2Jhere\n") {
		t.Errorf("%d bytes: …%q", len(b.Tail), b.Tail[max(0, len(b.Tail)-30):])
	}
	if c, d := got[0].Targets[2], got[0].Targets[3]; c.First != nil || c.Tail != "" || d.Tail != "" {
		t.Errorf("%+v %+v", c, d)
	}
	for _, name := range []string{"task", "none"} {
		if _, err := Accounts(out, rep, name, ""); err == nil {
			t.Errorf("%q names a task", name)
		}
	}
}

// A test with subtests fails with them and says nothing itself; what is told is the
// first of them that failed, however deep it lies.
func TestAccountTellsTheSubtestThatFailed(t *testing.T) {
	fail := func(id, says string) schema.FailingTest {
		return schema.FailingTest{ID: id, Class: schema.F2P, Outcome: schema.Fail, Message: says}
	}
	gone := schema.FailingTest{ID: "p::TestA/gone", Class: schema.F2P, Outcome: schema.Missing}
	for name, c := range map[string]struct {
		failing []schema.FailingTest
		want    string
	}{
		"subtests": {[]schema.FailingTest{fail("p::TestA", ""), fail("p::TestA/b", ""),
			fail("p::TestA/b/c", "here"), fail("p::TestA/d", "there")}, "p::TestA/b/c"},
		"no subtest of it": {[]schema.FailingTest{fail("p::TestA", "here"), fail("p::TestAB", "")}, "p::TestA"},
		"others in between": {[]schema.FailingTest{fail("p::TestA", ""), fail("p::TestB", "x"),
			fail("p::TestA/b", "here")}, "p::TestA/b"},
		"a subtest is gone": {[]schema.FailingTest{fail("p::TestA", "panic"), gone}, "p::TestA"},
	} {
		a := explainTarget(t.TempDir(), "o/r",
			schema.TargetReport{F2P: schema.Tally{Total: len(c.failing)}, Failing: c.failing})
		if a.First.ID != c.want || a.More != len(c.failing)-1 {
			t.Errorf("%s: %s and %d more are told, want %s", name, a.First.ID, a.More, c.want)
		}
	}
}
