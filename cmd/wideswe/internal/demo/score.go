package demo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	evaluatecmd "github.com/wideswe/wideswe/cmd/wideswe/internal/evaluate"
	reportcmd "github.com/wideswe/wideswe/cmd/wideswe/internal/report"
	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/report"
)

// scored is a prediction of the script with its verdict.
type scored struct {
	data.Prediction
	got schema.TaskReport
}

// asExpected reports whether the prediction got the verdict that it must get.
func (s scored) asExpected() bool {
	if s.got.Resolved != s.Expect.Resolved || !slices.Contains(s.Expect.Status, s.got.Status) {
		return false
	}
	for repository, resolved := range s.Expect.Targets {
		if s.got.Targets[repository].Resolved != resolved {
			return false
		}
	}
	return true
}

// score scores the script's predictions, and prints whether each got the verdict that it must get.
func (d *demo) score(ctx context.Context) error {
	predictions, tasks, err := d.predictions(ctx)
	if err != nil {
		return err
	}
	release, out := filepath.Join(d.env.Dir, "release"), filepath.Join(d.env.Dir, "evaluation")
	if err := evaluatecmd.Run(ctx, d.env, evaluatecmd.Options{Release: release, Predictions: "demo", Out: out,
		Sandbox: d.sandbox, Workers: 2, Given: predictions,
		Trusted: func(schema.Prediction) bool { return true }}); err != nil {
		return err
	}
	rep, err := results.ReadReport(out)
	if err != nil {
		return err
	}
	var list []scored
	for i, p := range d.script.Predictions {
		list = append(list, scored{p, rep.Verdict(p.Name, tasks[i])})
	}
	s := report.Stage{Release: release, Evaluations: []report.Source{{Folder: out}}}
	if err := reportcmd.Run(ctx, d.env, s); err != nil {
		return err
	}
	fmt.Fprintf(d.env.Out, "%s\n", filepath.Join(release, "release.json"))
	return d.printScores(list)
}

func (d *demo) printScores(list []scored) error {
	fmt.Fprintln(d.env.Out, "\nFive predictions and the verdict each must get")
	t := tabwriter.NewWriter(d.env.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "prediction\tverdict\tas expected\twhat it is")
	var wrong []string
	for _, s := range list {
		mark := "yes"
		if !s.asExpected() {
			mark, wrong = "NO", append(wrong, s.Name)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.Name, s.got.Status, mark, s.What)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("predictions that did not get the verdict they must get: %s", strings.Join(wrong, ", "))
	}
	return nil
}

// predictions makes predictions for the tasks of the script's pulls, and returns these tasks, too.
func (d *demo) predictions(ctx context.Context) (list []schema.Prediction, tasks []string, err error) {
	cur, db, err := d.env.ReadFolderDatabase(ctx)
	if err != nil {
		return nil, nil, err
	}
	rel, err := d.env.OpenRelease(cur.Release())
	if err != nil {
		return nil, nil, err
	}
	for _, p := range d.script.Predictions {
		id, err := taskOf(ctx, db, p.Task)
		if err != nil {
			return nil, nil, err
		}
		tasks = append(tasks, id)
		if p.Builtin == "" {
			list = append(list, schema.Prediction{Task: id, Model: p.Name, Mode: schema.Joint, Attempt: 1, Patches: p.Patches})
			continue
		}
		all, err := predictions.Load(rel, p.Builtin, predictions.Options{})
		if err != nil {
			return nil, nil, err
		}
		list = append(list, all...) // gold and empty answer every task
	}
	return list, tasks, nil
}

// taskOf finds the task of exactly these pulls.
func taskOf(ctx context.Context, db pipeline.Queryer, pulls []string) (string, error) {
	candidate, err := candidateOf(ctx, db, pulls)
	if err != nil {
		return "", err
	}
	ids, err := pipeline.Column(ctx, db, "SELECT task_id FROM task_list WHERE candidate_id = ?", candidate)
	if err != nil || len(ids) != 1 {
		return "", errors.Join(err, fmt.Errorf("candidate %s has %d tasks; wideswe explain %s tells why", candidate, len(ids),
			candidate))
	}
	return ids[0], nil
}
