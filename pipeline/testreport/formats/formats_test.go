package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

func TestUnknownFormat(t *testing.T) {
	_, err := Parse("swift", nil)
	if err == nil || !strings.HasSuffix(err.Error(), "there are "+strings.Join(Names(), ", ")) {
		t.Errorf("got %v, want an error that lists the formats", err)
	}
}

func TestNamesAreUnique(t *testing.T) {
	names := Names()
	if n := len(slices.Compact(slices.Clone(names))); n != len(names) {
		t.Errorf("two formats share a name: %s", strings.Join(names, ", "))
	}
}

func TestConsistent(t *testing.T) {
	type report = testreport.Report
	const gotest, junit, tap = "gotest", "junit", "tap"
	result := func(o schema.TestOutcome) []schema.TestResult { return []schema.TestResult{{ID: "u::t", Outcome: o}} }
	problem := func(k testreport.Kind) []testreport.Problem { return []testreport.Problem{{Kind: k}} }
	pass, fail := testreport.Counts{Pass: 1}, testreport.Counts{Fail: 1}
	for _, c := range []struct {
		name string
		r    report
		exit int
		want bool
	}{
		{"pass, 0", report{Format: gotest, Results: result(schema.Pass), Counts: pass}, 0, true},
		{"fail, 1", report{Format: gotest, Results: result(schema.Fail), Counts: fail}, 1, true},
		{"fail, 0", report{Format: gotest, Results: result(schema.Fail), Counts: fail}, 0, false},
		{"pass, 1", report{Format: gotest, Results: result(schema.Pass), Counts: pass}, 1, false},
		{"build failed, 1", report{Format: gotest, Problems: problem(testreport.BuildFailed)}, 1, true},
		{"crashed, 0", report{Format: gotest, Counts: pass, Problems: problem(testreport.Crashed)}, 0, false},
		{"contradiction, 1", report{Format: gotest, Counts: fail, Problems: problem(testreport.Contradiction)}, 1, false},
		{"pytest without tests, 5", report{Format: junit}, 5, true},
		{"pytest internal error, 3", report{Format: junit, Counts: pass}, 3, false},
		{"tap fail, 0", report{Format: tap, Counts: fail}, 0, true},
		{"tap pass, 1", report{Format: tap, Counts: pass}, 1, false},
		{"tap cut, 0", report{Format: tap, Counts: pass, Problems: problem(testreport.Cut)}, 0, false},
	} {
		if ok, why := Consistent(c.r, c.exit); ok != c.want || ok != (why == "") {
			t.Errorf("%s: got %v %q, want %v", c.name, ok, why, c.want)
		}
	}
}
