package validate

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

func TestUnusable(t *testing.T) {
	some := testreport.Report{Results: []schema.TestResult{{ID: "u::a", Outcome: schema.Pass}}}
	for name, c := range map[string]struct {
		a          testrun.Attempt
		base, gold bool // usable
	}{
		"ok":                     {testrun.Attempt{Status: testrun.OK, Phase: "test", Parsed: some}, true, true},
		"crash":                  {testrun.Attempt{Status: testrun.Crashed, Phase: "test", Parsed: some}, true, true},
		"hang":                   {testrun.Attempt{Status: testrun.Timeout, Phase: "test", Parsed: some}, true, false},
		"hang before any result": {testrun.Attempt{Status: testrun.Timeout, Phase: "test"}, false, false},
		"tests do not compile": {testrun.Attempt{Status: testrun.BuildFailed, Phase: "test",
			Parsed: testreport.Report{Problems: []testreport.Problem{{Kind: testreport.BuildFailed}}}}, true, true},
		"build ends badly":       {testrun.Attempt{Status: testrun.BuildFailed, Phase: "build"}, false, false},
		"exit and report differ": {testrun.Attempt{Status: testrun.Inconsistent, Phase: "test", Parsed: some}, false, false},
	} {
		if got := unusable(c.a, base) == ""; got != c.base {
			t.Errorf("%s: usable on base %v", name, got)
		}
		if got := unusable(c.a, gold) == ""; got != c.gold {
			t.Errorf("%s: usable on gold %v", name, got)
		}
	}
}
