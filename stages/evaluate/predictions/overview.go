package predictions

import (
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// RunOverview says what the predictions of one run hold.
type RunOverview struct {
	Run     string `json:"run"` // as in reports
	Model   string `json:"model"`
	Mode    string `json:"mode"`
	Attempt int    `json:"attempt"`
	// Tasks of the release have a prediction (in mode independent: for every target),
	// Partly for some of the targets only, Missing none.
	Tasks   int      `json:"tasks"`
	Partly  []string `json:"partly"`
	Missing []string `json:"missing"`
	// Empty are the tasks whose prediction changes nothing.
	Empty []string `json:"empty"`
	// Targets and Context count the repositories that are changed.
	Targets int   `json:"targets"`
	Context int   `json:"context"`
	Bytes   int64 `json:"bytes"`
}

// Overview says what predictions hold, run by run in their order.
func Overview(rel *release.Release, list []schema.Prediction) []RunOverview {
	var order []schema.RunKey
	byTask := map[schema.RunKey]map[string][]schema.Prediction{}
	for _, p := range list {
		k := p.RunKey()
		if byTask[k] == nil {
			order, byTask[k] = append(order, k), map[string][]schema.Prediction{}
		}
		byTask[k][p.Task] = append(byTask[k][p.Task], p)
	}
	out := []RunOverview{}
	for _, k := range order {
		o := RunOverview{Run: k.String(), Model: k.Model, Mode: k.Mode, Attempt: k.Attempt, Partly: []string{},
			Missing: []string{}, Empty: []string{}}
		for _, t := range rel.Tasks {
			o.add(t, byTask[k][t.ID])
		}
		out = append(out, o)
	}
	return out
}

func (o *RunOverview) add(t schema.ReleaseTask, predictions []schema.Prediction) {
	switch {
	case len(predictions) == 0:
		o.Missing = append(o.Missing, t.ID)
		return
	case o.Mode == schema.Independent && len(predictions) < len(t.Targets):
		o.Partly = append(o.Partly, t.ID)
	default:
		o.Tasks++
	}
	target := map[string]bool{}
	for _, r := range t.Targets {
		target[r] = true
	}
	empty := true
	for _, p := range predictions {
		for repository, patch := range p.Patches {
			o.Bytes += int64(len(patch))
			if strings.TrimSpace(patch) == "" {
				continue
			}
			empty = false
			if target[repository] {
				o.Targets++
			} else {
				o.Context++
			}
		}
	}
	if empty {
		o.Empty = append(o.Empty, t.ID)
	}
}
