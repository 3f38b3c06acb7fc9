package results

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
)

// TestAttemptsByHand: three attempts on four tasks, worked out by hand. t0 is resolved
// by all, t1 by two, t2 by one, t3 by none; one attempt at t2 is infra.
func TestAttemptsByHand(t *testing.T) {
	db := storetest.Open(t)
	var tasks []schema.ReleaseTask
	for i := range 4 {
		tasks = append(tasks, schema.ReleaseTask{ID: fmt.Sprintf("t%d", i), Ecosystem: "o", Kind: schema.Bugfix})
	}
	rep := schema.Report{}
	for n, states := range []string{"RRRu", "RRuu", "Ruiu"} {
		r := schema.ReportRun{Model: "m", Mode: schema.Joint, Attempt: n + 1, Tasks: map[string]schema.TaskReport{}}
		for i, letter := range states {
			status := map[rune]string{'R': schema.StatusResolved, 'u': schema.StatusUnresolved,
				'i': schema.StatusInfra}[letter]
			x := schema.TargetReport{Status: status, Resolved: letter == 'R', F2P: schema.Tally{Total: 1}}
			if x.Resolved {
				x.F2P.Passed = 1
			}
			r.Tasks[fmt.Sprintf("t%d", i)] = schema.TaskReport{Status: status, Resolved: letter == 'R',
				Targets: map[string]schema.TargetReport{"o/a": x, "o/b": x}}
		}
		rep.Runs = append(rep.Runs, r)
	}
	for range 2 { // a second report replaces the first
		if err := writeStates(t.Context(), db, tasks, rep); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct{ query, want string }{
		"attempts": {"SELECT task_id || ' ' || attempts || ' ' || resolved || ' ' || infra AS x FROM " +
			"evaluation_attempts ORDER BY task_id",
			"t0 3 3 0\nt1 3 2 0\nt2 2 1 1\nt3 3 0 0"},
		// k = 1: (1 + 2/3 + 1/2 + 0) / 4; k = 2: t0 1, t1 1, t2 1, t3 0; k = 3: t0 1, t1 1, t3 0.
		"at least one of k": {"SELECT k || ' ' || tasks || ' ' || round(pass_at_k, 6) AS x FROM evaluation_pass_at " +
			"ORDER BY k",
			"1 4 0.541667\n2 4 0.75\n3 3 0.666667"},
		// k = 2: t0 1, t1 C(2,2)/C(3,2) = 1/3, t2 0, t3 0; k = 3: t0 1, t1 0, t3 0.
		"all of k": {"SELECT k || ' ' || round(pass_all_k, 6) AS x FROM evaluation_pass_at ORDER BY k",
			"1 0.541667\n2 0.333333\n3 0.333333"},
		// Shares 3/4, 2/4, 1/4: mean 1/2, sample variance 1/16.
		"variance": {"SELECT attempts || ' ' || tasks || ' ' || targets || ' ' || tasks_resolved_mean || ' ' || " +
			"tasks_resolved_variance || ' ' || targets_resolved_mean || ' ' || incomplete AS x FROM " +
			"evaluation_configurations",
			"3 4 8 0.5 0.0625 0.5 true"},
		"tasks": {"SELECT configuration || ' ' || status || ' ' || targets_resolved || ' ' || f2p_passed AS x FROM " +
			"evaluation_tasks WHERE task_id = 't1' ORDER BY attempt",
			"m joint resolved 2 2\nm joint, attempt 2 resolved 2 2\nm joint, attempt 3 unresolved 0 0"},
		"targets": {"SELECT count(*)::VARCHAR || ' ' || count(*) FILTER (f2p_complete) || ' ' || " +
			"count(p2p_preserved) AS x FROM evaluation_targets", "24 12 0"},
	} {
		if d := cmp.Diff(tc.want, strings.Join(storetest.Strings(t, db, tc.query), "\n")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
