package compare

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// handMade is an evaluation of seven tasks with one target each, and a run a letter:
// R resolved, u unresolved, i infra, x inconsistent. The tests are F2P a and P2P b.
func handMade(t *testing.T, runs map[string]string) (schema.Report, *store.DB) {
	t.Helper()
	db := storetest.Open(t)
	rep := schema.Report{Tasks: map[string]schema.TaskReport{}}
	var tests, ran [][]any
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		r := schema.ReportRun{Model: name, Mode: schema.Joint, Attempt: 1, Tasks: map[string]schema.TaskReport{}}
		for i, letter := range runs[name] {
			id := fmt.Sprintf("t%d", i)
			status := map[rune]string{'R': schema.StatusResolved, 'u': schema.StatusUnresolved, 'i': schema.StatusInfra,
				'x': schema.StatusInconsistent}[letter]
			r.Tasks[id] = schema.TaskReport{Status: status, Resolved: letter == 'R',
				Targets: map[string]schema.TargetReport{"o/r": {Status: status, Resolved: letter == 'R'}}}
			rep.Tasks[id] = r.Tasks[id]
			if letter == 'i' {
				continue
			}
			a := map[rune]string{'R': "pass", 'u': "missing", 'x': "pass"}[letter]
			how := map[bool]string{true: "inconsistent", false: "ok"}[letter == 'x']
			ran = append(ran, []any{id, name, schema.Joint, int32(1), "o/r", verdict.Submitted, "k", how, "", int32(0),
				false, false, int32(1), 1.0, "", "", false})
			tests = append(tests,
				[]any{id, name, schema.Joint, int32(1), "o/r", verdict.Submitted, "u::a", "F2P", a, ""},
				[]any{id, name, schema.Joint, int32(1), "o/r", verdict.Submitted, "u::b", "P2P", "pass", ""})
		}
		rep.Runs = append(rep.Runs, r)
	}
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Append(ctx, "evaluation_runs", ran); err != nil {
			return err
		}
		return tx.Append(ctx, "evaluation_tests", tests)
	})
	if err != nil {
		t.Fatal(err)
	}
	return rep, db
}

func TestCompare(t *testing.T) {
	rep, db := handMade(t, map[string]string{"old": "RRRRRuuuui", "new": "Ruuuuuuuuu"})
	a, err := NewSide("x", rep, db, "old")
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewSide("x", rep, db, "new joint")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Runs(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	// Four changed one way and none the other: 2 · (1/2)^4.
	want := Paired{Both: 1, OnlyA: 4, Neither: 4, Unknown: 1, P: 0.125}
	if d := cmp.Diff([]Paired{want, want}, []Paired{c.Tasks, c.Targets}); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(TestCounts{Both: 10, OnlyA: 4, Neither: 4}, c.Tests); d != "" {
		t.Error(d)
	}
	var ids []string
	for _, x := range c.Changes {
		ids = append(ids, x.Task)
	}
	if d := cmp.Diff([]string{"t1", "t2", "t3", "t4", "t9"}, ids); d != "" {
		t.Error(d)
	}
	first := TaskChange{Task: "t1", A: "resolved", B: "unresolved",
		Targets: []TargetChange{{Target: "o/r", A: "resolved", B: "unresolved",
			Tests: []TestChange{{"u::a", schema.F2P, "pass", "missing"}}}}}
	if d := cmp.Diff(first, c.Changes[0]); d != "" {
		t.Error(d)
	}
	same, err := Runs(t.Context(), a, a)
	if err != nil || len(same.Changes) != 0 || same.Tasks.P != 1 || len(same.Notes) != 0 {
		t.Errorf("with itself: %+v %v", same, err)
	}
	b.Release.SHA256, b.run.Summary.ByStatus = "other", map[string]int{schema.StatusMissing: 2}
	if c, err = Runs(t.Context(), a, b); err != nil || len(c.Notes) != 2 ||
		!strings.Contains(c.Notes[1], "new joint of x has no prediction for 2 tasks, which count as not resolved") {
		t.Errorf("another release: %v %v", c.Notes, err)
	}
}

// TestPassesThatDontCount: what passed in a run that stands for nothing is that run's state.
func TestPassesThatDontCount(t *testing.T) {
	rep, db := handMade(t, map[string]string{"a": "R", "b": "x"})
	a, _ := NewSide("x", rep, db, "a")
	b, _ := NewSide("x", rep, db, "b")
	c, err := Runs(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []TestChange{{"u::a", schema.F2P, "pass", "inconsistent"}, {"u::b", schema.P2P, "pass", "inconsistent"}}
	if d := cmp.Diff(want, c.Changes[0].Targets[0].Tests); d != "" {
		t.Error(d)
	}
	got := strings.Join(storetest.Strings(t, db,
		"SELECT model || ' ' || count(*) FILTER (passed) || ' of ' || count(*) FILTER (outcome = 'pass') AS x FROM "+
			"evaluation_results GROUP BY model ORDER BY 1"), "\n")
	if d := cmp.Diff("a 2 of 2\nb 0 of 2", got); d != "" {
		t.Error(d)
	}
}

func TestPairedKnownValues(t *testing.T) {
	// p values of the exact test, worked out from the binomial's own terms.
	for _, tc := range []struct {
		a, b int
		p    float64
	}{{0, 0, 1}, {0, 5, 0.0625}, {1, 5, 14.0 / 64}, {2, 10, 158.0 / 4096}, {3, 3, 1}, {0, 1, 1}} {
		runs := map[string]string{"a": strings.Repeat("R", tc.a) + strings.Repeat("u", tc.b),
			"b": strings.Repeat("u", tc.a) + strings.Repeat("R", tc.b)}
		if tc.a+tc.b == 0 {
			runs = map[string]string{"a": "R", "b": "R"}
		}
		rep, db := handMade(t, runs)
		a, _ := NewSide("x", rep, db, "a")
		b, _ := NewSide("x", rep, db, "b")
		c, err := Runs(t.Context(), a, b)
		if d := c.Tasks.P - tc.p; err != nil || d > 1e-12 || d < -1e-12 {
			t.Errorf("%d and %d: p %v, want %v (%v)", tc.a, tc.b, c.Tasks.P, tc.p, err)
		}
	}
}

func TestRunsByName(t *testing.T) {
	rep, db := handMade(t, map[string]string{"m": "R", "m2": "u"})
	rep.Runs[1].Model, rep.Runs[1].Attempt = "m", 2
	for name, want := range map[string]string{"m joint": "m joint", "m joint, attempt 2": "m joint, attempt 2", "m": "",
		"": "", "x": ""} {
		s, err := NewSide("x", rep, db, name)
		if s.Run != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", name, s.Run, err)
		}
		if err != nil && !strings.Contains(err.Error(), "m joint; m joint, attempt 2") {
			t.Errorf("%q: %v", name, err)
		}
		if name == "" && (err == nil || !strings.HasPrefix(err.Error(), "x has 2 runs: name one")) {
			t.Errorf("no name: %v", err)
		}
	}
}
