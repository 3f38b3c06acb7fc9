package main

import (
	"context"
	"encoding/json"
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
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
	"github.com/wideswe/wideswe/stages/report"
	"github.com/wideswe/wideswe/stages/review"
)

func (a *app) demoCommand() *cobra.Command {
	var sandbox, dir string
	c := &cobra.Command{
		Use: "demo", Args: cobra.NoArgs,
		Short: "Walk the whole road offline, on a small ecosystem that the program carries",
		Long: `Walk the whole road offline, on a small ecosystem that the program carries: crawl an
in-process GitHub, link, group, review as data/demo says, validate, export, and score
five predictions. The folder it leaves is a curator's folder like any other.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), dir, sandbox) },
	}
	c.Flags().StringVar(&dir, "folder", "demo", "where to work; a folder of an earlier demo is gone on with")
	c.Flags().StringVar(&sandbox, "sandbox", "process", "process, or docker")
	return c
}

func (a *app) demo(ctx context.Context, dir, sandbox string) error {
	script, err := data.DemoScript()
	if err != nil {
		return err
	}
	a.dir = dir
	if _, err := os.Stat(filepath.Join(dir, "wideswe.yaml")); errors.Is(err, os.ErrNotExist) {
		eco := []schema.EcosystemConfig{{Name: "lanternworks", Organizations: []string{"lanternworks"}}}
		if err := a.initFolder(dir, newConfigText(eco, demoURL, demoURL, sandbox)); err != nil {
			return err
		}
	}
	f := runFlags{sandbox: sandbox}
	for _, step := range []func() error{
		func() error { return a.walk(ctx, f, "rank", "inspect") },
		func() error { return a.demoReviews(ctx, script) },
		func() error { return a.walk(ctx, f, "review", "export") },
		func() error { return a.demoFunnel(ctx) },
		func() error { return a.demoPredictions(ctx, dir, sandbox, script) },
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
func (a *app) demoReviews(ctx context.Context, script data.Script) error {
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
	ids, err := column(ctx, db, `SELECT candidate_id FROM candidate_pulls GROUP BY candidate_id
		HAVING string_agg(repository || '#' || number, ' ' ORDER BY repository || '#' || number) = ?`, strings.Join(want, " "))
	if err != nil {
		return "", err
	}
	if len(ids) != 1 {
		return "", fmt.Errorf("the demo wants one candidate of %s and found %d", strings.Join(want, " and "), len(ids))
	}
	return ids[0], nil
}

func (a *app) demoFunnel(ctx context.Context) error {
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
func (a *app) demoPredictions(ctx context.Context, dir, sandbox string, script data.Script) error {
	predictions, tasks, err := a.demoLines(ctx, script)
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "evaluation")
	e := evaluation{release: filepath.Join(dir, "release"), predictions: "demo", out: out, sandbox: sandbox, workers: 2,
		given: predictions, trusted: func(schema.Prediction) bool { return true }}
	if err := a.evaluate(ctx, e); err != nil {
		return err
	}
	rep, err := readReport(out)
	if err != nil {
		return err
	}
	var verdicts []verdict
	for i, p := range script.Predictions {
		verdicts = append(verdicts, verdict{p, reportOf(rep, p.Name, tasks[i])})
	}
	if err := a.report(ctx, report.Stage{Release: e.release, Evaluations: []report.Source{{Folder: out}}}); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s\n", filepath.Join(e.release, "release.json"))
	return a.demoVerdicts(verdicts)
}

func (a *app) demoVerdicts(verdicts []verdict) error {
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
func (a *app) demoLines(ctx context.Context, script data.Script) (lines []schema.Prediction, tasks []string, err error) {
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
			all, err := predictions.Load(rel, p.Builtin, "")
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
	ids, err := column(ctx, db, "SELECT task_id FROM task_list WHERE candidate_id = ?", candidate)
	if err != nil || len(ids) != 1 {
		return "", errors.Join(err, fmt.Errorf("candidate %s has %d tasks; wideswe explain %s tells why", candidate, len(ids), candidate))
	}
	return ids[0], nil
}

func readReport(out string) (*schema.Report, error) {
	b, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		return nil, err
	}
	rep := &schema.Report{}
	return rep, json.Unmarshal(b, rep)
}

// reportOf finds the verdict of one model on one task.
func reportOf(rep *schema.Report, model, task string) schema.TaskReport {
	for _, r := range rep.Runs {
		if r.Model == model {
			return r.Tasks[task]
		}
	}
	return rep.Tasks[task]
}
