package evaluate

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/evaluate/compare"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// compareOptions holds the flags of compare.
type compareOptions struct {
	env        *env.Env
	runA, runB string
	json       bool
}

// NewCompareCommand returns wideswe compare.
func NewCompareCommand(e *env.Env) *cobra.Command {
	o := &compareOptions{env: e}
	c := &cobra.Command{
		Use: "compare A [B]", Args: cobra.RangeArgs(1, 2),
		Short: "Say what changed between two evaluations, or between two runs of one",
		Long: `Say which tasks, targets and tests two runs differ in, with McNemar's exact test (two-sided) on what one of them
resolves and the other does not. A and B are folders that evaluate wrote; with A alone its own runs are compared.
A run is named as evaluate names it ("NAME joint", "NAME independent, attempt 2"), or by a beginning that no other run has.
A task that is infra on a side is left out of the test; a missing prediction does not resolve.`,
		Example: `  wideswe compare before after
  wideswe compare out --run-a 'me joint' --run-b 'me independent'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (o.runA == "" || o.runB == "") {
				return pipeline.Usage("one evaluation is compared with itself: " +
					"name two of its runs with --run-a and --run-b, or give a second folder")
			}
			return o.run(cmd.Context(), args[0], args[len(args)-1])
		},
	}
	c.Flags().StringVar(&o.runA, "run-a", "", "the run of A, where it has several")
	c.Flags().StringVar(&o.runB, "run-b", "", "the run of B, where it has several")
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
	return c
}

func (o *compareOptions) run(ctx context.Context, outA, outB string) error {
	sideA, err := o.side(ctx, outA, o.runA)
	if err != nil {
		return err
	}
	sideB, err := o.side(ctx, outB, o.runB)
	if err != nil {
		return err
	}
	c, err := compare.Runs(ctx, sideA, sideB)
	if err != nil {
		return err
	}
	if o.json {
		return render.Indented(o.env.Out, c)
	}
	printComparison(o.env.Out, c)
	return nil
}

func (o *compareOptions) side(ctx context.Context, out, run string) (compare.Side, error) {
	rep, db, err := o.env.OpenEvaluation(ctx, out)
	if err != nil {
		return compare.Side{}, err
	}
	return compare.NewSide(out, rep, db, run)
}

func printComparison(w io.Writer, c compare.Comparison) {
	fmt.Fprintf(w, "A  %s · %s\nB  %s · %s\n", c.A.Folder, results.Plain(c.A.Run), c.B.Folder, results.Plain(c.B.Run))
	for _, n := range c.Notes {
		fmt.Fprintln(w, results.Plain(n))
	}
	printPaired(w, "tasks", c.Tasks)
	printPaired(w, "targets", c.Targets)
	fmt.Fprintf(w, "%-8s passed in both %d, in A alone %d, in B alone %d, in neither %d\n", "tests",
		c.Tests.Both, c.Tests.OnlyA, c.Tests.OnlyB, c.Tests.Neither)
	for _, t := range c.Changes {
		fmt.Fprintf(w, "%s: %s → %s\n", t.Task, t.A, t.B)
		for _, x := range t.Targets {
			fmt.Fprintf(w, "  %s: %s → %s\n", x.Target, x.A, x.B)
			for _, n := range x.Tests {
				fmt.Fprintf(w, "    %s %s: %s → %s\n", n.Class, results.Plain(n.ID), n.A, n.B)
			}
			if x.More > 0 {
				fmt.Fprintf(w, "    and %d tests more\n", x.More)
			}
		}
	}
}

func printPaired(w io.Writer, what string, p compare.Paired) {
	fmt.Fprintf(w, "%-8s resolved by both %d, by A alone %d, by B alone %d, by neither %d, unknown %d; p = %.4f\n",
		what, p.Both, p.OnlyA, p.OnlyB, p.Neither, p.Unknown, p.P)
}
