package evaluate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// TestThePersonSeesRunningCounts: a line a finished task with its run's counts so far,
// those of earlier calls among them, and in the end a table.
func TestThePersonSeesRunningCounts(t *testing.T) {
	r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
		if strings.Contains(q.Labels["wideswe.task"], "t2") {
			return &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.OK, ExitCode: 1}}}, nil
		}
		return allPass(q)
	}, schema.Prediction{Task: "t1", Patches: patches("o/lib", goldLib)})
	said := func() (counts []string) {
		t.Helper()
		var lines []string
		r.Say = func(line string) { lines = append(lines, line) }
		if _, err := r.run(t); err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			if _, c, ok := strings.Cut(l, " s · "); ok {
				l = c
			}
			counts = append(counts, l)
		}
		return counts
	}
	if d := cmp.Diff([]string{"1 of 1: resolved 1",
		"run      predicted  resolved  missing  as submitted\nm joint  1          1         1        1"}, said()); d != "" {
		t.Error(d)
	}
	r.Predictions = append(r.Predictions,
		schema.Prediction{Task: "t2", Model: "m", Mode: "joint", Attempt: 1, Patches: patches("o/lib", goldLib)},
		schema.Prediction{Task: "t2", Model: "n", Mode: "joint", Attempt: 1, Patches: patches()})
	want := []string{"2 of 2: resolved 1, unresolved 1", "1 of 1: empty 1",
		"run      predicted  resolved  empty  unresolved  missing  as submitted\n" +
			"m joint  2          1         0      1           0        1\n" +
			"n joint  1          0         1      0           1        0"}
	if d := cmp.Diff(want, said()); d != "" {
		t.Error(d)
	}
	// Where there is nothing to do nothing is said.
	if d := cmp.Diff([]string(nil), said()); d != "" {
		t.Error(d)
	}
	// What leaves the report is told.
	r.Predictions = r.Predictions[2:]
	want = []string{"m joint: 2 verdicts of an earlier call leave the report, since their predictions are not given " +
		"now; given again, they are there at once"}
	if d := cmp.Diff(want, said()); d != "" {
		t.Error(d)
	}
}
