package evaluate

import (
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// outcome is what a run reported of one test, whether it decides or not.
type outcome struct {
	ID      string             `json:"id"`
	Run     int                `json:"run"` // 1, or of the reruns that fill in what a crash hid
	Outcome schema.TestOutcome `json:"outcome"`
	Seconds float64            `json:"seconds,omitempty"`
	Message string             `json:"message,omitempty"`
}

// outcomes gives everything that a run and its reruns reported, as it was reported,
// so that another rule can judge it without running anything.
func outcomes(rep *testrun.Report) []outcome {
	var out []outcome
	taken := map[string]bool{}
	for i, a := range rep.Attempts {
		for _, t := range a.Taken {
			out, taken[t.ID] = append(out, outcome{t.ID, i + 1, t.Outcome, t.Seconds, t.Message}), true
		}
	}
	for _, t := range rep.Results { // a report that is not of a run has no attempts' own
		if !taken[t.ID] && t.Outcome != schema.Missing {
			out = append(out, outcome{t.ID, 1, t.Outcome, t.Seconds, t.Message})
		}
	}
	return out
}

func (v *verdict) outcomeRows(u unit) (rows [][]any) {
	for _, r := range v.Runs {
		for _, t := range r.Outcomes {
			rows = append(rows, []any{u.Task, u.Model, u.Mode, int32(u.Attempt), r.Target, r.Variant, int32(t.Run), t.ID, string(t.Outcome), t.Seconds, t.Message})
		}
	}
	return rows
}
