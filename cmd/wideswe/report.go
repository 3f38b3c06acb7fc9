package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages/report"
)

// evaluationFlag adds an evaluation, ofEvaluation says something of the one before it.
type (
	evaluationFlag struct{ list *[]report.Source }
	ofEvaluation   struct {
		list  *[]report.Source
		name  string
		field func(*report.Source) *string
	}
)

func (f evaluationFlag) String() string { return "" }
func (f evaluationFlag) Type() string   { return "string" }
func (f evaluationFlag) Set(folder string) error {
	*f.list = append(*f.list, report.Source{Folder: folder})
	return nil
}

func (f ofEvaluation) String() string { return "" }
func (f ofEvaluation) Type() string   { return "string" }
func (f ofEvaluation) Set(value string) error {
	n := len(*f.list)
	if n == 0 || *f.field(&(*f.list)[n-1]) != "" {
		return fmt.Errorf("each --%s follows the --evaluation that it is about", f.name)
	}
	*f.field(&(*f.list)[n-1]) = value
	return nil
}

// evaluations adds the flags of a release and evaluations of it.
func evaluations(f *pflag.FlagSet, s *report.Stage) {
	f.StringVar(&s.Release, "release", "", "the release's folder")
	f.Var(evaluationFlag{&s.Evaluations}, "evaluation", "a folder that evaluate wrote; may be given several times")
	f.Var(ofEvaluation{&s.Evaluations, "label", func(e *report.Source) *string { return &e.Label }}, "label", "what the evaluation before it is called (default: the predictions' model)")
}

func (a *app) reportCommand() *cobra.Command {
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
			if err := reportable(s); err != nil {
				return err
			}
			return a.report(cmd.Context(), s)
		},
	}
	evaluations(c.Flags(), &s)
	c.Flags().StringVar(&s.Out, "out", "", "where to write (default: the evaluation's folder; without one, the current folder)")
	c.Flags().StringVar(&s.Pairs, "pairs", "", "the release's set of tasks that joint and independent are compared on (default: what has predictions in both)")
	c.Flags().StringVar(&s.Annotations, "annotations", "", "the folder of annotators' sheets on unresolved runs")
	c.Flags().BoolVar(&s.Force, "force", false, "replace files of a report's names that no earlier report wrote")
	c.AddCommand(a.annotateCommand())
	return c
}

// reportable says what is wrong with the words of report before anything is read.
func reportable(s report.Stage) error {
	if s.Release == "" {
		return pipeline.Usage("--release is missing; give the folder that export wrote")
	}
	if len(s.Evaluations) > 1 && s.Out == "" {
		return pipeline.Usage("--out is missing; a report of several evaluations needs a folder of its own")
	}
	return outside(s.Release, s.Folder())
}

// report draws into files; it needs no database, so its outcomes are kept in memory.
func (a *app) report(ctx context.Context, s report.Stage) error {
	db, err := store.Open(ctx, "", store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	run := &pipeline.Run{Ledger: db, Log: a.log(), Workers: 1, Now: time.Now, Out: a.out}
	if err := pipeline.Execute(ctx, s, run); err != nil {
		return err
	}
	for _, p := range s.Paths() {
		fmt.Fprintln(a.out, p)
	}
	return nil
}

func (a *app) annotateCommand() *cobra.Command {
	var s report.Stage
	var dir, annotator string
	c := &cobra.Command{
		Use: "annotate --release RELEASE --evaluation OUT [--label NAME] [--runs DIR] --annotations DIR --annotator NAME", Args: cobra.NoArgs,
		Short: "Write the sheets in which people say why unresolved runs failed",
		Long: `Write one sheet a run that joint predictions left unresolved, with the evidence beside it:
DIR/CONFIGURATION/TASK/evidence.md and DIR/CONFIGURATION/TASK/NAME.yaml. A rule proposes (are there
substantive code changes in every target?); two annotators fill in their sheets, each without the
other's; where they differ they write decision.yaml of the same shape together. What is written
stays when the command is called again. report --annotations DIR counts the sheets and says how
far the annotators agree (Cohen's kappa).`,
		Example: `  wideswe report annotate --release release --evaluation out --annotations annotations --annotator ann`,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case s.Release == "" || len(s.Evaluations) == 0 || dir == "" || annotator == "":
				return pipeline.Usage("--release, --evaluation, --annotations and --annotator are needed; wideswe report annotate --help shows an example")
			}
			if err := outside(s.Release, dir); err != nil {
				return err
			}
			sheets, blank, err := s.Annotate(dir, annotator)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: %d sheets of %s, %d to be filled in\n", dir, sheets, annotator, blank)
			return nil
		},
	}
	evaluations(c.Flags(), &s)
	c.Flags().Var(ofEvaluation{&s.Evaluations, "runs", func(e *report.Source) *string { return &e.Runs }}, "runs", "where agent run wrote the predictions of the evaluation before it: the evidence names what it kept there")
	c.Flags().StringVar(&dir, "annotations", "", "the folder of the sheets")
	c.Flags().StringVar(&annotator, "annotator", "", "whose sheets to write")
	return c
}
