// Package demo is the command wideswe demo, which runs every step on the small ecosystem that the program carries. It
// calls what other groups' commands call, with data/demo's script in the place of a person.
package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/review"
)

// NewCommand returns wideswe demo.
func NewCommand(e *env.Env) *cobra.Command {
	var sandbox, dir string
	c := &cobra.Command{
		Use: "demo", Args: cobra.NoArgs,
		Short: "Walk the whole road offline, on a small ecosystem that the program carries",
		Long: `Walk the whole road offline, on a small ecosystem that the program carries: crawl an
in-process GitHub, link, group, review as data/demo says, validate, export, and score
five predictions. The folder it leaves is a curator's folder like any other.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return Run(cmd.Context(), e, dir, sandbox) },
	}
	c.Flags().StringVar(&dir, "folder", "demo", "where to work; a folder of an earlier demo is gone on with")
	c.Flags().StringVar(&sandbox, "sandbox", "process", "process, or docker")
	return c
}

// demo is one run of the demo in a folder, which is the environment's.
type demo struct {
	env     *env.Env
	sandbox string
	script  data.Script
}

// newDemo makes the folder the environment's, and a curator's folder where it is none yet.
func newDemo(e *env.Env, dir, sandbox string) (*demo, error) {
	script, err := data.DemoScript()
	if err != nil {
		return nil, err
	}
	e.Dir = dir
	if _, err := os.Stat(filepath.Join(dir, "wideswe.yaml")); errors.Is(err, os.ErrNotExist) {
		ecosystem := []schema.EcosystemConfig{{Name: "lanternworks", Organizations: []string{"lanternworks"}}}
		text := config.NewDemoText(ecosystem, sandbox)
		if _, err := folder.Init(dir, []byte(text)); err != nil {
			return nil, err
		}
	}
	return &demo{env: e, sandbox: sandbox, script: script}, nil
}

// Run runs the demo in a folder and prints what it comes to.
func Run(ctx context.Context, e *env.Env, dir, sandbox string) error {
	d, err := newDemo(e, dir, sandbox)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		d.walk("rank", "inspect"), d.review, d.walk("review", "export"), d.printFunnel, d.score,
	} {
		err := step(ctx)
		e.Close() // each step opens the database for itself
		if err != nil {
			return err
		}
	}
	return nil
}

// walk returns the step that runs stages.
func (d *demo) walk(from, until string) func(context.Context) error {
	return func(ctx context.Context) error {
		return walk.Run(ctx, d.env, walk.Flags{Sandbox: d.sandbox}, from, until)
	}
}

// review gives the verdicts of the script, once.
func (d *demo) review(ctx context.Context) error {
	cur, db, err := d.env.ReadFolderDatabase(ctx)
	if err != nil {
		return err
	}
	desk := review.Desk{DB: db, Folder: cur.Folder}
	for _, r := range d.script.Reviews {
		id, err := candidateOf(ctx, db, r.Pulls)
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(cur.Dir, "reviews", id, r.Reviewer+".yaml")); err == nil {
			continue // a demo gone on with; the person may have changed it
		}
		o := review.AcceptOptions{Kind: r.Kind, Pattern: r.Pattern, Reviewer: r.Reviewer, Note: r.Note}
		if _, err := desk.Accept(ctx, id, o); err != nil {
			return err
		}
	}
	return nil
}

// candidateOf finds the candidate of exactly these pulls.
func candidateOf(ctx context.Context, db pipeline.Queryer, pulls []string) (string, error) {
	want := slices.Sorted(slices.Values(pulls))
	ids, err := pipeline.Column(ctx, db, `SELECT candidate_id FROM candidate_pulls GROUP BY candidate_id
		HAVING string_agg(repository || '#' || number, ' ' ORDER BY repository || '#' || number) = ?`, strings.Join(want,
		" "))
	if err != nil {
		return "", err
	}
	if len(ids) != 1 {
		return "", fmt.Errorf("the demo wants one candidate of %s and found %d", strings.Join(want, " and "), len(ids))
	}
	return ids[0], nil
}

func (d *demo) printFunnel(ctx context.Context) error {
	_, db, err := d.env.ReadFolderDatabase(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(d.env.Out, "\nThe funnel: what each stage kept, and why the rest dropped out")
	return render.Query(ctx, db, "SELECT stage, unit, status, items, reason FROM funnel", d.env.Out, render.Table)
}
