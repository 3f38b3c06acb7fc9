package testrun

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

func TestCanaryNotice(t *testing.T) {
	if got := canaryNotice(kit.Plan{}); got != "" {
		t.Errorf("a plan without canaries: %q", got)
	}
	got := canaryNotice(kit.Plan{Canaries: []kit.Canary{
		{Want: map[string]schema.TestOutcome{"TestA": schema.Pass, "TestB": schema.Fail}},
		{Want: map[string]schema.TestOutcome{"TestC": schema.Skip},
			Last: map[string]schema.TestOutcome{"TestD": schema.Fail}},
	}})
	for _, want := range []string{"2 must fail, 1 must be skipped, 1 must pass", "must not pass: TestB, TestC, TestD\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
	if strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "== ") {
		t.Errorf("not one line: %q", got)
	}
	many := kit.Plan{}
	for range 20 {
		many.Canaries = append(many.Canaries, kit.Canary{Want: map[string]schema.TestOutcome{"TestX": schema.Fail}})
	}
	if got := canaryNotice(many); !strings.Contains(got, "20 must fail") || !strings.Contains(got, " and 4 more") {
		t.Error(got)
	}
}
