package demo

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
	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	evaluatecmd "github.com/wideswe/wideswe/cmd/wideswe/internal/evaluate"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	reportcmd "github.com/wideswe/wideswe/cmd/wideswe/internal/report"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
	"github.com/wideswe/wideswe/stages/report"
	"github.com/wideswe/wideswe/stages/review"
)

func NewCommand(a *env.Env) *cobra.Command {
	var sandbox, dir string
	c := &cobra.Command{
		Use: "demo", Args: cobra.NoArgs,
		Short: "Walk the whole road offline, on a small ecosystem that the program carries",
		Long: `Walk the whole road offline, on a small ecosystem that the program carries: crawl an
in-process GitHub, link, group, review as data/demo says, validate, export, and score
five predictions. The folder it leaves is a curator's folder like any other.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return Run(cmd.Context(), a, dir, sandbox) },
	}
	c.Flags().StringVar(&dir, "folder", "demo", "where to work; a folder of an earlier demo is gone on with")
	c.Flags().StringVar(&sandbox, "sandbox", "process", "process, or docker")
	return c
}

func Run(ctx context.Context, a *env.Env, dir, sandbox string) error {
	script, err := data.DemoScript()
	if err != nil {
		return err
	}
	a.Dir = dir
	if _, err := os.Stat(filepath.Join(dir, "wideswe.yaml")); errors.Is(err, os.ErrNotExist) {
		eco := []schema.EcosystemConfig{{Name: "lanternworks", Organizations: []string{"lanternworks"}}}
		if err := env.InitFolder(a, dir, config.NewText(eco, config.DemoURL, config.DemoURL, sandbox)); err != nil {
			return err
		}
	}
	f := walk.Flags{Sandbox: sandbox}
	for _, step := range []func() error{
		func() error { return walk.Run(ctx, a, f, "rank", "inspect") },
		func() error { return demoReviews(ctx, a, script) },
		func() error { return walk.Run(ctx, a, f, "review", "export") },
		func() error { return demoFunnel(ctx, a) },
		func() error { return demoPredictions(ctx, a, dir, sandbox, script) },
	} {
		err := step()
		a.Close() // each step opens the database for itself
		if err != nil {
			return err
		}
	}
	return nil
}

// demoReviews gives the verdicts of the demo's script, once.
func demoReviews(ctx context.Context, a *env.Env, script data.Script) error {
	cur, err := a.Curator()
	if err != nil {
		return err
	}
	db, err := a.ReadDatabase(ctx, cur)
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

func demoFunnel(ctx context.Context, a *env.Env) error {
	cur, err := a.Curator()
	if err != nil {
		return err
	}
	db, err := a.ReadDatabase(ctx, cur)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Out, "\nThe funnel: what each stage kept, and why the rest dropped out")
	return render.Query(ctx, db, "SELECT stage, unit, status, items, reason FROM funnel", a.Out, render.Table)
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
func demoPredictions(ctx context.Context, a *env.Env, dir, sandbox string, script data.Script) error {
	predictions, tasks, err := demoLines(ctx, a, script)
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "evaluation")
	e := evaluatecmd.Options{Release: filepath.Join(dir, "release"), Predictions: "demo", Out: out, Sandbox: sandbox, Workers: 2,
		Given: predictions, Trusted: func(schema.Prediction) bool { return true }}
	if err := evaluatecmd.Run(ctx, a, e); err != nil {
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
	if err := reportcmd.Run(ctx, a, report.Stage{Release: e.Release, Evaluations: []report.Source{{Folder: out}}}); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s\n", filepath.Join(e.Release, "release.json"))
	return demoVerdicts(a, verdicts)
}

func demoVerdicts(a *env.Env, verdicts []verdict) error {
	fmt.Fprintln(a.Out, "\nFive predictions and the verdict each must get")
	t := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
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
func demoLines(ctx context.Context, a *env.Env, script data.Script) (lines []schema.Prediction, tasks []string, err error) {
	cur, err := a.Curator()
	if err != nil {
		return nil, nil, err
	}
	db, err := a.ReadDatabase(ctx, cur)
	if err != nil {
		return nil, nil, err
	}
	rel, err := a.OpenRelease(cur.Release())
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
