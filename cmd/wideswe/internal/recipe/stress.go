package recipe

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
)

// stressFinding is what gold's tests came to under one variant of stress.
type stressFinding struct {
	Variant string `json:"variant"`
	// Outcomes counts tests by what became of them: holds, breaks, wavers, needed,
	// fails, not_checked.
	Outcomes map[string]int `json:"outcomes"`
	// Tests are those that do not hold, each with what it said.
	Tests []stressedTest `json:"tests,omitempty"`
	// NotChecked is why none was looked at.
	NotChecked string `json:"not_checked,omitempty"`
}

type stressedTest struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"`
}

// readStress reads what --stress left of a target, by variant.
func readStress(ctx context.Context, db *store.DB, f *targetFinding) error {
	rows, err := db.Query(ctx, `SELECT r.variant, coalesce(o.test_id, ''), coalesce(o.outcome, r.status), coalesce(o.detail, r.detail)
		FROM (SELECT repository, variant, arg_max(status, try) AS status, arg_max(detail, try) AS detail FROM stress_runs GROUP BY ALL) r
		LEFT JOIN stress_outcomes o ON o.repository = r.repository AND o.variant = r.variant
		WHERE r.repository = ? ORDER BY r.variant, o.test_id`, f.Repository)
	if err != nil {
		return err
	}
	type row struct{ variant, test, outcome, detail string }
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.variant, &r.test, &r.outcome, &r.detail} })
	if err != nil {
		return fmt.Errorf("reading what became of tests under stress: %w", err)
	}
	f.Stress = nil
	for _, r := range list {
		if n := len(f.Stress); n == 0 || f.Stress[n-1].Variant != r.variant {
			f.Stress = append(f.Stress, stressFinding{Variant: r.variant, Outcomes: map[string]int{}})
		}
		s := &f.Stress[len(f.Stress)-1]
		if r.outcome == "not_checked" && s.NotChecked == "" {
			s.NotChecked = r.detail
		}
		if r.test == "" {
			continue
		}
		s.Outcomes[r.outcome]++
		if r.outcome != "holds" && r.outcome != "not_checked" {
			s.Tests = append(s.Tests, stressedTest{r.test, r.outcome, r.detail})
		}
	}
	return nil
}

// stressOutcomes is the order in which outcomes are counted.
var stressOutcomes = []string{"holds", "breaks", "wavers", "needed", "fails", "not_checked"}

// stressed tells of stress, a line a variant and one a test that does not hold.
func (f targetFinding) stressed() (list []string) {
	for _, s := range f.Stress {
		text := s.Variant + ":"
		for _, word := range stressOutcomes {
			if n := s.Outcomes[word]; n > 0 {
				text += fmt.Sprintf(" %s %d", word, n)
			}
		}
		if s.NotChecked != "" {
			text += " (not checked: " + s.NotChecked + ")"
		}
		list = append(list, text)
		for _, t := range s.Tests {
			list = append(list, "  "+t.Outcome+" "+t.ID+": "+t.Detail)
		}
	}
	return list
}
