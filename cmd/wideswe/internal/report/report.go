// Package report is the commands wideswe report, report annotate and report convert. The stage report draws, and
// evaluate's peerreport converts.
package report

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages/report"
)

// NewCommand returns wideswe report.
func NewCommand(e *env.Env) *cobra.Command {
	var s report.Stage
	c := &cobra.Command{
		Use: "report --release RELEASE [--evaluation OUT [--label NAME]]… [--out DIR]", Args: cobra.NoArgs,
		Short: "Draw evaluations, or a release alone: tables, figures and one HTML page",
		Long: `Draw evaluations of a release, or a release alone: one HTML page, Markdown, JSON, a CSV file a
table and an SVG and PNG file a figure, with the numbers that the paper gives them.

Evaluations of one label are one configuration: in joint and in independent mode they are
compared task by task, in one mode they count as attempts. A release alone gives the figures of
the data set. Tables say incomplete while something is still to be judged.`,
		Example: `  wideswe report --release release
  wideswe report --release release --evaluation out
  wideswe report --release release --evaluation a --label codex --evaluation b --label codex \
    --evaluation c --label claude --pairs prompt-equivalent --out paper`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := check(s); err != nil {
				return err
			}
			return Run(cmd.Context(), e, s)
		},
	}
	f := c.Flags()
	addEvaluations(f, &s)
	f.StringVar(&s.Out, "out", "", "where to write (default: the evaluation's folder; without one, the current folder)")
	f.BoolVar(&s.Force, "force", false, "replace files of a report's names that no earlier report wrote")
	f.StringVar(&s.Pairs, "pairs", "", "the release's set of tasks that joint and independent are compared on "+
		"(default: what has predictions in both)")
	f.StringVar(&s.Annotations, "annotations", "", "the folder of annotators' sheets on unresolved runs")
	c.AddCommand(newAnnotateCommand(e), newConvertCommand(e))
	return c
}

// check refuses flags that are missing or don't fit, before anything is read.
func check(s report.Stage) error {
	if s.Release == "" {
		return pipeline.Usage("--release is missing; give the folder that export wrote")
	}
	if len(s.Evaluations) > 1 && s.Out == "" {
		return pipeline.Usage("--out is missing; a report of several evaluations needs a folder of its own")
	}
	return flags.Outside(s.Release, s.Folder())
}

// Run draws the report and prints its files. It needs no database, so its outcomes are kept in memory.
func Run(ctx context.Context, e *env.Env, s report.Stage) error {
	db, err := store.Open(ctx, "", store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	run := &pipeline.Run{Ledger: db, Log: e.Log(), Workers: 1, Now: time.Now, Out: e.Out}
	if err := pipeline.Execute(ctx, s, run); err != nil {
		return err
	}
	for _, p := range s.Paths() {
		fmt.Fprintln(e.Out, p)
	}
	return nil
}
