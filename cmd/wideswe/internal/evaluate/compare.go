package evaluate

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/evaluate"
)

func NewCompareCommand(a *env.Env) *cobra.Command {
	var runA, runB string
	var asJSON bool
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
			if len(args) == 1 && (runA == "" || runB == "") {
				return pipeline.Usage("one evaluation is compared with itself: name two of its runs with --run-a and --run-b, or give a second folder")
			}
			return compareEvaluations(cmd.Context(), a, args[0], args[len(args)-1], runA, runB, asJSON)
		},
	}
	c.Flags().StringVar(&runA, "run-a", "", "the run of A, where it has several")
	c.Flags().StringVar(&runB, "run-b", "", "the run of B, where it has several")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func compareEvaluations(ctx context.Context, a *env.Env, outA, outB, runA, runB string, asJSON bool) error {
	sideA, err := openSide(ctx, a, outA, runA)
	if err != nil {
		return err
	}
	sideB, err := openSide(ctx, a, outB, runB)
	if err != nil {
		return err
	}
	c, err := evaluate.Compare(ctx, sideA, sideB)
	if err != nil {
		return err
	}
	if asJSON {
		return render.Indented(a.Out, c)
	}
	printComparison(a, c)
	return nil
}

func openSide(ctx context.Context, a *env.Env, out, run string) (evaluate.Side, error) {
	rep, db, err := a.OpenEvaluation(ctx, out)
	if err != nil {
		return evaluate.Side{}, err
	}
	return evaluate.NewSide(out, rep, db, run)
}

func printComparison(a *env.Env, c evaluate.Comparison) {
	fmt.Fprintf(a.Out, "A  %s · %s\nB  %s · %s\n", c.A.Folder, evaluate.Plain(c.A.Run), c.B.Folder, evaluate.Plain(c.B.Run))
	for _, n := range c.Notes {
		fmt.Fprintln(a.Out, evaluate.Plain(n))
	}
	for _, x := range []struct {
		what string
		p    evaluate.Paired
	}{{"tasks", c.Tasks}, {"targets", c.Targets}} {
		fmt.Fprintf(a.Out, "%-8s resolved by both %d, by A alone %d, by B alone %d, by neither %d, unknown %d; p = %.4f\n", x.what, x.p.Both, x.p.OnlyA, x.p.OnlyB, x.p.Neither, x.p.Unknown, x.p.P)
	}
	fmt.Fprintf(a.Out, "%-8s passed in both %d, in A alone %d, in B alone %d, in neither %d\n", "tests", c.Tests.Both, c.Tests.OnlyA, c.Tests.OnlyB, c.Tests.Neither)
	for _, t := range c.Changes {
		fmt.Fprintf(a.Out, "%s: %s → %s\n", t.Task, t.A, t.B)
		for _, x := range t.Targets {
			fmt.Fprintf(a.Out, "  %s: %s → %s\n", x.Target, x.A, x.B)
			for _, n := range x.Tests {
				fmt.Fprintf(a.Out, "    %s %s: %s → %s\n", n.Class, evaluate.Plain(n.ID), n.A, n.B)
			}
			if x.More > 0 {
				fmt.Fprintf(a.Out, "    and %d tests more\n", x.More)
			}
		}
	}
}
