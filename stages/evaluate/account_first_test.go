package evaluate

import (
	"testing"

	"github.com/wideswe/wideswe/schema"
)

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
		"subtests":          {[]schema.FailingTest{fail("p::TestA", ""), fail("p::TestA/b", ""), fail("p::TestA/b/c", "here"), fail("p::TestA/d", "there")}, "p::TestA/b/c"},
		"no subtest of it":  {[]schema.FailingTest{fail("p::TestA", "here"), fail("p::TestAB", "")}, "p::TestA"},
		"others in between": {[]schema.FailingTest{fail("p::TestA", ""), fail("p::TestB", "x"), fail("p::TestA/b", "here")}, "p::TestA/b"},
		"a subtest is gone": {[]schema.FailingTest{fail("p::TestA", "panic"), gone}, "p::TestA"},
	} {
		a := accountOf(t.TempDir(), "o/r", schema.TargetReport{F2P: schema.Tally{Total: len(c.failing)}, Failing: c.failing})
		if a.First.ID != c.want || a.More != len(c.failing)-1 {
			t.Errorf("%s: %s and %d more are told, want %s", name, a.First.ID, a.More, c.want)
		}
	}
}
