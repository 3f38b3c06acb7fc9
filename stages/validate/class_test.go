package validate

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
)

func outcomesOf(s string) (list []schema.TestOutcome) {
	for _, w := range strings.Fields(s) {
		if w == "missing" {
			w = ""
		}
		list = append(list, schema.TestOutcome(w))
	}
	return list
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		base, gold string
		want       schema.Class
	}{
		{"fail fail fail", "pass pass pass", schema.F2P},
		{"missing missing missing", "pass pass pass", schema.F2P},
		{"fail error missing", "pass pass pass", schema.F2P},
		{"pass pass pass", "pass pass pass", schema.P2P},
		{"pass fail pass", "pass pass pass", schema.Unstable},
		{"fail fail fail", "pass fail pass", schema.Unstable},
		{"fail not_run fail", "pass pass pass", schema.Unsettled},
		{"pass not_run pass", "pass pass pass", schema.Unstable},
		{"fail not_run fail", "fail fail fail", schema.Unstable},
		{"skip skip skip", "pass pass pass", schema.S2P},
		{"skip fail skip", "pass pass pass", schema.S2P},
		{"pass pass pass", "fail error fail", schema.P2F},
		{"fail missing skip", "fail fail fail", schema.F2F},
		{"pass fail pass", "fail fail fail", schema.Unstable},
		{"pass pass pass", "missing missing missing", schema.GoldMissing},
		{"pass pass pass", "skip skip skip", schema.SkippedTest},
		{"pass pass pass", "pass skip pass", schema.Unstable},
		{"fail fail fail", "not_run pass pass", schema.Unstable},
	} {
		if got := classify(outcomesOf(c.base), outcomesOf(c.gold)); got != c.want {
			t.Errorf("%s -> %s: %s, want %s", c.base, c.gold, got, c.want)
		}
	}
}

// TestViewSaysTheSame goes through every pair of outcomes over two repeats.
func TestViewSaysTheSame(t *testing.T) {
	words := []string{"pass", "fail", "error", "skip", "not_run", "missing"}
	var runs, rows [][]any
	want := map[string]string{}
	for _, state := range []string{base, gold} {
		for repeat := 1; repeat <= 2; repeat++ {
			runs = append(runs, runRow(state, repeat, 1, "ok"))
		}
	}
	n := len(words)
	for i := range n * n * n * n {
		w := []string{words[i%n], words[i/n%n], words[i/n/n%n], words[i/n/n/n%n]}
		if strings.Join(w, "") == strings.Repeat("missing", 4) {
			continue // never seen: no row of the view
		}
		id := fmt.Sprintf("u::T%04d", i)
		for j, o := range w {
			if o != "missing" {
				rows = append(rows, outcomeRow([]string{base, gold}[j/2], 1+j%2, 1, id, o))
			}
		}
		want[id] = string(classify(outcomesOf(w[0]+" "+w[1]), outcomesOf(w[2]+" "+w[3])))
	}
	if d := cmp.Diff(want, classes(t, runs, rows)); d != "" {
		t.Error(d)
	}
}

func TestViewLetsTheFirstOutcomeStand(t *testing.T) {
	runs := [][]any{runRow(base, 1, 1, "crashed"), runRow(base, 1, 2, "ok"), runRow(base, 1, 3, "ok"), runRow(gold, 1, 1,
		"ok"), runRow(gold, 2, 1, "ok")}
	rows := [][]any{
		outcomeRow(base, 1, 1, "u::stood", "fail"), outcomeRow(base, 1, 2, "u::stood", "pass"),
		outcomeRow(base, 1, 1, "u::filled", "not_run"), outcomeRow(base, 1, 3, "u::filled", "pass"),
		outcomeRow(base, 1, 1, "u::open", "not_run"),
		outcomeRow(gold, 1, 1, "u::stood", "pass"), outcomeRow(gold, 1, 1, "u::filled", "pass"), outcomeRow(gold, 1, 1,
			"u::open", "pass"), outcomeRow(gold, 1, 1, "u::new", "pass"),
		// A repeat without its base run does not count yet.
		outcomeRow(gold, 2, 1, "u::stood", "fail"),
	}
	want := map[string]string{"u::stood": "F2P", "u::filled": "P2P", "u::open": "unsettled", "u::new": "F2P"}
	if d := cmp.Diff(want, classes(t, runs, rows)); d != "" {
		t.Error(d)
	}
}

func TestViewBelievesNoInconsistentRun(t *testing.T) {
	runs := [][]any{runRow(base, 1, 1, "ok"), runRow(gold, 1, 1, "inconsistent")}
	rows := [][]any{outcomeRow(base, 1, 1, "u::T", "fail"), outcomeRow(gold, 1, 1, "u::T", "pass")}
	if d := cmp.Diff(map[string]string{"u::T": "unstable"}, classes(t, runs, rows)); d != "" {
		t.Error(d)
	}
}

func runID(state string, repeat, attempt int) string {
	return fmt.Sprintf("t/o/r/%s-%d-%d", state, repeat, attempt)
}

func runRow(state string, repeat, attempt int, status string) []any {
	return []any{runID(state, repeat, attempt), "t", "o/r", state, repeat, attempt, status, 0, false, false, 1.0, "i",
		"{}", "1", "p", "l", time.Unix(0, 0).UTC(), "", ""}
}

func outcomeRow(state string, repeat, attempt int, id, outcome string) []any {
	return []any{runID(state, repeat, attempt), "t", "o/r", state, repeat, id, outcome, "", 0.0}
}

func classes(t *testing.T, runs, outcomes [][]any) map[string]string {
	t.Helper()
	db := storetest.Open(t)
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return write("t", rows{runs: runs, outcomes: outcomes})(ctx, tx)
	}); err != nil {
		t.Fatal(err)
	}
	got, err := db.Query(t.Context(), "SELECT test_id, class FROM test_transitions")
	if err != nil {
		t.Fatal(err)
	}
	type pair struct{ id, class string }
	list, err := pipeline.Scan(got, func(p *pair) []any { return []any{&p.id, &p.class} })
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for _, p := range list {
		m[p.id] = p.class
	}
	return m
}
