// Package reproduce judges whether a release reproduces on a machine: gold must resolve every task, and the empty patch
// none. It names the predictions to evaluate and reads the report; the evaluation is the stage's.
package reproduce

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
)

// Predictions returns the gold and the empty predictions of tasks of a release.
func Predictions(rel *release.Release, tasks []string) ([]schema.Prediction, error) {
	all := []schema.Prediction{}
	for _, model := range []string{predictions.Gold, predictions.Empty} {
		list, err := predictions.Load(rel, model, predictions.Options{})
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			if slices.Contains(tasks, p.Task) {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// Proof is the result of gold and of the empty patch on one task.
type Proof struct {
	Task       string `json:"task"`
	Reproduces bool   `json:"reproduces"`
	Infra      bool   `json:"infra,omitempty"` // not known yet: trouble of this machine
	Gold       string `json:"gold"`
	Empty      string `json:"empty"`
	Reason     string `json:"reason,omitempty"`
}

// Proofs reads the result of each task from the report of an evaluation of gold and empty.
func Proofs(rep schema.Report, tasks []string) (list []Proof) {
	for _, id := range tasks {
		list = append(list, proofOf(id, rep.Verdict(predictions.Gold, id), rep.Verdict(predictions.Empty, id)))
	}
	return list
}

func proofOf(task string, gold, empty schema.TaskReport) Proof {
	p := Proof{Task: task, Gold: gold.Status, Empty: empty.Status}
	switch {
	case unknown(gold) || unknown(empty):
		p.Infra, p.Reason = true, empty.Reason
		if gold.Status == schema.StatusInfra {
			p.Reason = gold.Reason
		}
	case !gold.Resolved:
		p.Reason = "gold does not resolve it: " + reason(gold)
	case empty.Resolved:
		p.Reason = "nothing at all resolves it"
	case empty.Status != schema.StatusEmpty:
		p.Reason = "nothing at all ends with " + empty.Status + ": " + reason(empty)
	default:
		p.Reproduces = true
	}
	return p
}

func unknown(t schema.TaskReport) bool { return t.Status == schema.StatusInfra || t.Status == "" }

// reason returns the reason of a task's verdict, with the first test of each target that should have passed.
func reason(t schema.TaskReport) string {
	text := []string{t.Status}
	if t.Reason != "" {
		text = append(text, t.Reason)
	}
	for _, repository := range slices.Sorted(maps.Keys(t.Targets)) {
		x := t.Targets[repository]
		if x.Resolved || len(x.Failing) == 0 {
			continue
		}
		text = append(text, fmt.Sprintf("%s: %s, log %s", repository, x.Failing[0].ID, x.Log))
	}
	return strings.Join(text, "; ")
}
