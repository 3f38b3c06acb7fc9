package evaluate

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// TestHiddenFilesThatChange: a run that would resolve its target and that changed a
// hidden file is inconsistent, unless gold's run changes that file, too. Gold is asked
// once, and only where there is such a run.
func TestHiddenFilesThatChange(t *testing.T) {
	inside := testrun.Names{Inside: map[string]string{"lib_test.go": "o/lib/other.go"}}
	for name, tc := range map[string]struct {
		changed, byGold  []string
		unread, goldToo  []string
		names, goldNames testrun.Names
		fails            bool
		status           string
		golds            int
	}{
		"none": {status: schema.StatusResolved},
		"one":  {changed: []string{"lib_test.go"}, status: schema.StatusInconsistent, golds: 1},
		"by gold, too": {changed: []string{"a", "b"}, byGold: []string{"b", "a"}, status: schema.StatusResolved,
			golds: 1},
		"one not by gold": {changed: []string{"a", "lib_test.go"}, byGold: []string{"a"}, status: schema.StatusInconsistent,
			golds: 1},
		"not resolved then": {changed: []string{"lib_test.go"}, fails: true, status: schema.StatusUnresolved},
		"not read":          {unread: []string{"lib_test.go"}, status: schema.StatusInconsistent, golds: 1},
		"not by gold": {unread: []string{"a", "b"}, goldToo: []string{"a", "b"}, status: schema.StatusResolved,
			golds: 1},
		"a name of gold's": {names: testrun.Names{Inside: map[string]string{"lib": "o/lib/go.mod"}},
			status: schema.StatusResolved},
		"a new name":   {names: inside, status: schema.StatusResolved, golds: 1},
		"a name moved": {names: inside, goldNames: inside, status: schema.StatusResolved, golds: 1},
		"a name taken": {names: inside, goldNames: testrun.Names{Outside: map[string]bool{"lib_test.go": true}},
			status: schema.StatusInconsistent, golds: 1},
		"names lost": {names: testrun.Names{Lost: true}, status: schema.StatusInconsistent, golds: 1},
		"names lost by gold": {names: testrun.Names{Lost: true}, goldNames: testrun.Names{Lost: true},
			status: schema.StatusResolved, golds: 1},
	} {
		t.Run(name, func(t *testing.T) {
			golds := 0
			r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
				rep, err := allPass(q)
				switch gold := strings.HasSuffix(q.Workspace, "/gold"); {
				case gold:
					golds++
					rep.Attempts[0].Names = &tc.goldNames
					rep.Attempts[0].Changed, rep.Attempts[0].Unread = tc.byGold, tc.goldToo
				case q.Repository == "o/lib":
					rep.Attempts[0].Names = &tc.names
					if rep.Attempts[0].Changed, rep.Attempts[0].Unread = tc.changed, tc.unread; tc.fails {
						rep.Results = nil
					}
				}
				return rep, err
			}, schema.Prediction{Patches: patches("o/lib", goldLib)})
			if _, err := r.run(t); err != nil {
				t.Fatal(err)
			}
			got := r.report(t).Tasks["t1"].Targets["o/lib"]
			if got.Status != tc.status || golds != tc.golds {
				t.Errorf("%s (%s), gold ran %d times", got.Status, got.Reason, golds)
			}
			if tc.status == schema.StatusInconsistent && (!strings.Contains(got.Reason, "lib_test.go") && !tc.names.Lost ||
				got.Resolved || !got.AsSubmitted) {
				t.Errorf("%+v", got)
			}
		})
	}
}
