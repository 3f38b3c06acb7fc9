package regrade

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// storedRun makes a stored run: F2P u::a and u::b, P2P u::c and u::d, and what is reported
// of them and of others, "id=outcome" (in a rerun "id@2=outcome").
func storedRun(status string, exit int, reported string, edit ...func(*verdict.Run)) *verdict.Run {
	s := &verdict.Run{Status: status, ExitCode: exit, TimedOut: status == "timeout"}
	merged := map[string]schema.TestOutcome{}
	for _, r := range strings.Fields(reported) {
		id, o, _ := strings.Cut(r, "=")
		run := 1
		if name, ok := strings.CutSuffix(id, "@2"); ok {
			id, run = name, 2
		}
		id = "u::" + strings.ReplaceAll(id, "_", " ")
		s.Outcomes = append(s.Outcomes, verdict.Outcome{ID: id, Run: run, Outcome: schema.TestOutcome(o)})
		merged[id] = schema.TestOutcome(o)
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		class := schema.F2P
		if id > "b" {
			class = schema.P2P
		}
		s.Tests = append(s.Tests, verdict.Test{ID: "u::" + id, Class: class, Outcome: merged["u::"+id]})
	}
	for _, e := range edit {
		e(s)
	}
	return s
}

func onlyP2P(s *verdict.Run) { s.Tests = s.Tests[2:] }

// TestRulesByHand is worked out by hand from each grader's own text: R resolved, u
// unresolved, - not scored, and other states in words.
func TestRulesByHand(t *testing.T) {
	all := "a=pass b=pass c=pass d=pass"
	base := map[string]schema.TestOutcome{"u::x": schema.Pass, "u::y": schema.Fail}
	tests := map[string]struct {
		e    evidence
		want string // ours authors swe-bench swe-bench-live multi-swe-bench
	}{
		"everything passes":    {evidence{run: storedRun("ok", 0, all)}, "R R R R R"},
		"an F2P is missing":    {evidence{run: storedRun("ok", 0, "a=pass c=pass d=pass")}, "u u u R u"},
		"every F2P is missing": {evidence{run: storedRun("ok", 0, "c=pass d=pass")}, "u u u u u"},
		"an F2P is skipped":    {evidence{run: storedRun("ok", 0, "a=pass b=skip c=pass d=pass")}, "u u u R u"},
		"an F2P fails":         {evidence{run: storedRun("ok", 1, "a=pass b=fail c=pass d=pass")}, "u u u u u"},
		"an F2P is in error": {evidence{run: storedRun("ok", 1, "a=pass b=error c=pass d=pass")},
			"u u u u u"},
		"a P2P is missing":             {evidence{run: storedRun("ok", 0, "a=pass b=pass c=pass")}, "u u u R u"},
		"a P2P is skipped":             {evidence{run: storedRun("ok", 0, "a=pass b=pass c=pass d=skip")}, "u u R R u"},
		"a P2P fails":                  {evidence{run: storedRun("ok", 1, "a=pass b=pass c=pass d=fail")}, "u u u u u"},
		"exit and report disagree":     {evidence{run: storedRun("inconsistent", 3, all)}, "inconsistent R R R R"},
		"no end, after all had passed": {evidence{run: storedRun("timeout", 137, all)}, "timeout R u R R"},
		"no end, and one unheard of": {evidence{run: storedRun("timeout", 137, "a=pass c=pass d=pass")},
			"timeout - u R u"},
		"no end, and a failure": {evidence{run: storedRun("timeout", 137, "a=pass b=fail c=pass")},
			"timeout u u u u"},
		"a crash hid one that passes": {evidence{run: storedRun("crashed", 1,
			"a=pass b=not_run c=pass d=pass b@2=pass")}, "R u u R u"},
		"killed, with a whole report": {evidence{run: storedRun("ok", 137, all)}, "R - R R R"},
		"the runner is not there":     {evidence{run: storedRun("build_failed", 127, "")}, "u - u u u"},
		"the build failed":            {evidence{run: storedRun("build_failed", 1, "")}, "u u u u u"},
		"all is well, says no report": {evidence{run: storedRun("no_report", 0, "")}, "inconsistent u u u u"},
		"nothing changed, all passes": {evidence{run: storedRun("ok", 0, all), changesNothing: true},
			"R R empty empty R"},
		"nothing changed": {evidence{run: storedRun("ok", 1, "a=fail c=pass d=pass"), changesNothing: true},
			"empty u empty empty u"},
		"another test broke": {evidence{run: storedRun("ok", 1, all+" x=fail y=fail"), base: base},
			"R R R R u"},
		"another test failed before": {evidence{run: storedRun("ok", 1, all+" x=skip y=fail"), base: base},
			"R R R R R"},
		"no F2P in the list": {evidence{run: storedRun("ok", 0, all, onlyP2P)}, "u u R u u"},
		"only its twins are reported": {evidence{run: storedRun("ok", 0, "a=pass b_#2=pass c=pass d=pass")},
			"u R u R u"},
		"a twin fails": {evidence{run: storedRun("ok", 1, "a=pass b_#2=pass b_#3=fail c=pass d=pass")}, "u u u R u"},
		"resolved by configuration": {evidence{run: storedRun("ok", 0, all),
			guarded: storedRun("ok", 1, "a=pass b=fail c=pass d=pass")},
			"disputed R R R R"},
		"the guard agrees": {evidence{run: storedRun("ok", 0, all), guarded: storedRun("ok", 0, all)}, "R R R R R"},
	}
	short := map[string]string{schema.StatusResolved: "R", schema.StatusUnresolved: "u", NotScored: "-"}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range Rules() {
				g := r.grade(tc.e)
				if g.Resolved != (g.Status == schema.StatusResolved) {
					t.Errorf("%s: %+v", r.Name, g)
				}
				word := g.Status
				if s, ok := short[g.Status]; ok {
					word = s
				}
				got = append(got, word)
			}
			if d := cmp.Diff(tc.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}
