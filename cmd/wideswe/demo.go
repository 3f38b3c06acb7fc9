package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
	"github.com/wideswe/wideswe/stages/report"
	"github.com/wideswe/wideswe/stages/review"
)

func newDemoCommand(a *app) *cobra.Command {
	var sandbox, dir string
	c := &cobra.Command{
		Use: "demo", Args: cobra.NoArgs,
		Short: "Walk the whole road offline, on a small ecosystem that the program carries",
		Long: `Walk the whole road offline, on a small ecosystem that the program carries: crawl an
in-process GitHub, link, group, review as data/demo says, validate, export, and score
five predictions. The folder it leaves is a curator's folder like any other.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), a, dir, sandbox) },
	}
	c.Flags().StringVar(&dir, "folder", "demo", "where to work; a folder of an earlier demo is gone on with")
	c.Flags().StringVar(&sandbox, "sandbox", "process", "process, or docker")
	return c
}

func runDemo(ctx context.Context, a *app, dir, sandbox string) error {
	script, err := data.DemoScript()
	if err != nil {
		return err
	}
	a.dir = dir
	if _, err := os.Stat(filepath.Join(dir, "wideswe.yaml")); errors.Is(err, os.ErrNotExist) {
		eco := []schema.EcosystemConfig{{Name: "lanternworks", Organizations: []string{"lanternworks"}}}
		if err := initFolder(a, dir, newConfigText(eco, demoURL, demoURL, sandbox)); err != nil {
			return err
		}
	}
	f := runFlags{sandbox: sandbox}
	for _, step := range []func() error{
		func() error { return walkStages(ctx, a, f, "rank", "inspect") },
		func() error { return demoReviews(ctx, a, script) },
		func() error { return walkStages(ctx, a, f, "review", "export") },
		func() error { return demoFunnel(ctx, a) },
		func() error { return demoPredictions(ctx, a, dir, sandbox, script) },
	} {
		err := step()
		a.close() // each step opens the database for itself
		if err != nil {
			return err
		}
	}
	return nil
}

// demoReviews gives the verdicts of the demo's script, once.
func demoReviews(ctx context.Context, a *app, script data.Script) error {
	cur, err := a.curator()
	if err != nil {
		return err
	}
	db, err := a.read(ctx, cur)
	if err != nil {
		return err
	}
	desk := review.Desk{DB: db, Folder: cur.Folder}
	for _, r := range script.Reviews {
		id, err := candidateOf(ctx, db, r.Pulls)
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(cur.Dir, "reviews", id, r.Reviewer+".yaml")); err == nil {
			continue // a demo gone on with; the person may have changed it
		}
		if _, err := desk.Accept(ctx, id, review.AcceptOptions{Kind: r.Kind, Pattern: r.Pattern, Reviewer: r.Reviewer, Note: r.Note}); err != nil {
			return err
		}
	}
	return nil
}

// candidateOf finds the candidate of exactly these pulls.
func candidateOf(ctx context.Context, db pipeline.Queryer, pulls []string) (string, error) {
	want := slices.Sorted(slices.Values(pulls))
	ids, err := pipeline.Column(ctx, db, `SELECT candidate_id FROM candidate_pulls GROUP BY candidate_id
		HAVING string_agg(repository || '#' || number, ' ' ORDER BY repository || '#' || number) = ?`, strings.Join(want, " "))
	if err != nil {
		return "", err
	}
	if len(ids) != 1 {
		return "", fmt.Errorf("the demo wants one candidate of %s and found %d", strings.Join(want, " and "), len(ids))
	}
	return ids[0], nil
}

func demoFunnel(ctx context.Context, a *app) error {
	cur, err := a.curator()
	if err != nil {
		return err
	}
	db, err := a.read(ctx, cur)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, "\nThe funnel: what each stage kept, and why the rest dropped out")
	return ask(ctx, db, "SELECT stage, unit, status, items, reason FROM funnel", a.out, writeTable)
}

// verdict is a prediction's line in the demo's table.
type verdict struct {
	data.Prediction
	got schema.TaskReport
}

func (v verdict) right() bool {
	if v.got.Resolved != v.Expect.Resolved || !slices.Contains(v.Expect.Status, v.got.Status) {
		return false
	}
	for repository, resolved := range v.Expect.Targets {
		if v.got.Targets[repository].Resolved != resolved {
			return false
		}
	}
	return true
}

// demoPredictions scores the script's predictions and says whether each got the verdict it must get.
func demoPredictions(ctx context.Context, a *app, dir, sandbox string, script data.Script) error {
	predictions, tasks, err := demoLines(ctx, a, script)
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "evaluation")
	e := evaluation{release: filepath.Join(dir, "release"), predictions: "demo", out: out, sandbox: sandbox, workers: 2,
		given: predictions, trusted: func(schema.Prediction) bool { return true }}
	if err := runEvaluate(ctx, a, e); err != nil {
		return err
	}
	rep, err := evaluate.ReadReport(out)
	if err != nil {
		return err
	}
	var verdicts []verdict
	for i, p := range script.Predictions {
		verdicts = append(verdicts, verdict{p, rep.Verdict(p.Name, tasks[i])})
	}
	if err := runReport(ctx, a, report.Stage{Release: e.release, Evaluations: []report.Source{{Folder: out}}}); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s\n", filepath.Join(e.release, "release.json"))
	return demoVerdicts(a, verdicts)
}

func demoVerdicts(a *app, verdicts []verdict) error {
	fmt.Fprintln(a.out, "\nFive predictions and the verdict each must get")
	t := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "prediction\tverdict\tas expected\twhat it is")
	var wrong []string
	for _, v := range verdicts {
		mark := "yes"
		if !v.right() {
			mark, wrong = "NO", append(wrong, v.Name)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", v.Name, v.got.Status, mark, v.What)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("predictions that did not get the verdict they must get: %s", strings.Join(wrong, ", "))
	}
	return nil
}

// demoLines makes prediction lines for the tasks of the script's pulls.
func demoLines(ctx context.Context, a *app, script data.Script) (lines []schema.Prediction, tasks []string, err error) {
	cur, err := a.curator()
	if err != nil {
		return nil, nil, err
	}
	db, err := a.read(ctx, cur)
	if err != nil {
		return nil, nil, err
	}
	rel, err := a.openRelease(cur.Release())
	if err != nil {
		return nil, nil, err
	}
	for _, p := range script.Predictions {
		id, err := taskOf(ctx, db, p.Task)
		if err != nil {
			return nil, nil, err
		}
		line := schema.Prediction{Task: id, Model: p.Name, Mode: schema.Joint, Attempt: 1, Patches: p.Patches}
		if p.Builtin != "" {
			all, err := evaluate.LoadPredictions(rel, p.Builtin)
			if err != nil {
				return nil, nil, err
			}
			lines = append(lines, all...) // gold and empty answer every task
		} else {
			lines = append(lines, line)
		}
		tasks = append(tasks, id)
	}
	return lines, tasks, nil
}

func taskOf(ctx context.Context, db *store.DB, pulls []string) (string, error) {
	candidate, err := candidateOf(ctx, db, pulls)
	if err != nil {
		return "", err
	}
	ids, err := pipeline.Column(ctx, db, "SELECT task_id FROM task_list WHERE candidate_id = ?", candidate)
	if err != nil || len(ids) != 1 {
		return "", errors.Join(err, fmt.Errorf("candidate %s has %d tasks; wideswe explain %s tells why", candidate, len(ids), candidate))
	}
	return ids[0], nil
}
