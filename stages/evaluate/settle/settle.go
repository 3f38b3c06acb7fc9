// Package settle records a person's decision on a verdict that the program can't reach:
// a target that resolves as submitted and not in the second run.
//
// It reads an evaluation's report and writes the file of decisions beside it. The verdict
// itself stays as it is.
package settle

import (
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/settled"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// Decision is what a person says of a target.
type Decision struct {
	Task, Target string
	Run          string // the run's name, or the beginning of it; needed where there are several
	Resolved     bool
	Reason, By   string
}

// Record writes a decision into an evaluation's folder.
func Record(out string, d Decision, now time.Time) (settled.Decision, error) {
	if strings.TrimSpace(d.Reason) == "" || strings.TrimSpace(d.By) == "" {
		return settled.Decision{}, pipeline.Usage("--reason and --by are needed: why you decide so, and who you are")
	}
	rep, err := results.ReadReport(out)
	if err != nil {
		return settled.Decision{}, err
	}
	run, err := runNamed(out, rep, d.Run)
	if err != nil {
		return settled.Decision{}, err
	}
	status, err := openState(run, d)
	if err != nil {
		return settled.Decision{}, err
	}
	patches, err := settled.Digest(out, run.Tasks[d.Task].Patches, d.Target)
	if err != nil {
		return settled.Decision{}, err
	}
	s := settled.Decision{Task: d.Task, Target: d.Target, Model: run.Model, Mode: run.Mode, Attempt: run.Attempt,
		Resolved: d.Resolved, Reason: d.Reason, By: d.By, Verdict: status, Rules: rep.Rules, Patches: patches,
		Date: now.UTC().Format(time.DateOnly)}
	return s, settled.Put(out, s)
}

// runNamed finds the run that a person names.
func runNamed(out string, rep schema.Report, name string) (schema.ReportRun, error) {
	runs := results.Runs(rep)
	if name != "" || len(runs) == 1 {
		return results.FindRun(out, rep, name)
	}
	var names []string
	for _, r := range runs {
		names = append(names, r.Key().String())
	}
	return schema.ReportRun{}, pipeline.Usage("%s has %d runs; name one of them with --run: %s", out, len(runs),
		strings.Join(names, "; "))
}

// openState gives the state of the target that is to be settled. Only disputed and
// unbuilt verdicts are open to a decision.
func openState(run schema.ReportRun, d Decision) (string, error) {
	task, ok := run.Tasks[d.Task]
	if !ok {
		return "", pipeline.Usage("the evaluation has no task %q; jq -r '.tasks | keys[]' report.json lists them", d.Task)
	}
	target, ok := task.Targets[d.Target]
	if !ok {
		return "", pipeline.Usage("%s has no target %q", d.Task, d.Target)
	}
	if !slices.Contains([]string{schema.StatusDisputed, schema.StatusUnbuilt}, target.Status) {
		return "", pipeline.Usage("%s of %s is %s; only disputed and unbuilt verdicts can be settled", d.Target, d.Task,
			target.Status)
	}
	return target.Status, nil
}
