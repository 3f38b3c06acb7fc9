package trial

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
)

// Stress is the result of gold's tests under one variant of stress.
type Stress struct {
	Variant string `json:"variant"`
	// Outcomes counts tests by outcome: holds, breaks, wavers, needed, fails, not_checked.
	Outcomes map[string]int `json:"outcomes"`
	// Tests are those that do not hold.
	Tests []StressedTest `json:"tests,omitempty"`
	// NotChecked is why no test was checked.
	NotChecked string `json:"not_checked,omitempty"`
}

// StressedTest is a test that does not hold under a variant of stress.
type StressedTest struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"`
}

// readStress reads the results of a target's stress runs, by variant.
func readStress(ctx context.Context, db pipeline.Queryer, t *Target) error {
	rows, err := db.Query(ctx, `SELECT r.variant, coalesce(o.test_id, ''), coalesce(o.outcome, r.status), coalesce(o.detail, r.detail)
		FROM (SELECT repository, variant, arg_max(status, try) AS status, arg_max(detail, try) AS detail
			FROM stress_runs GROUP BY ALL) r
		LEFT JOIN stress_outcomes o ON o.repository = r.repository AND o.variant = r.variant
		WHERE r.repository = ? ORDER BY r.variant, o.test_id`, t.Repository)
	if err != nil {
		return err
	}
	type row struct{ variant, test, outcome, detail string }
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.variant, &r.test, &r.outcome, &r.detail} })
	if err != nil {
		return fmt.Errorf("reading what became of tests under stress: %w", err)
	}
	t.Stress = nil
	for _, r := range list {
		if n := len(t.Stress); n == 0 || t.Stress[n-1].Variant != r.variant {
			t.Stress = append(t.Stress, Stress{Variant: r.variant, Outcomes: map[string]int{}})
		}
		t.Stress[len(t.Stress)-1].add(r.test, r.outcome, r.detail)
	}
	return nil
}

// add counts a test's outcome; a row without a test is of the whole variant.
func (s *Stress) add(test, outcome, detail string) {
	if outcome == "not_checked" && s.NotChecked == "" {
		s.NotChecked = detail
	}
	if test == "" {
		return
	}
	s.Outcomes[outcome]++
	if outcome != "holds" && outcome != "not_checked" {
		s.Tests = append(s.Tests, StressedTest{test, outcome, detail})
	}
}
