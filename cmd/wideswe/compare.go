package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/evaluate/compare"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

func (a *app) compareCommand() *cobra.Command {
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
			return a.compare(cmd.Context(), args[0], args[len(args)-1], runA, runB, asJSON)
		},
	}
	c.Flags().StringVar(&runA, "run-a", "", "the run of A, where it has several")
	c.Flags().StringVar(&runB, "run-b", "", "the run of B, where it has several")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) compare(ctx context.Context, outA, outB, runA, runB string, asJSON bool) error {
	sideA, err := a.side(ctx, outA, runA)
	if err != nil {
		return err
	}
	sideB, err := a.side(ctx, outB, runB)
	if err != nil {
		return err
	}
	c, err := compare.Runs(ctx, sideA, sideB)
	if err != nil {
		return err
	}
	if asJSON {
		return writeIndented(a.out, c)
	}
	a.printComparison(c)
	return nil
}

func (a *app) side(ctx context.Context, out, run string) (compare.Side, error) {
	rep, db, err := a.evaluationOf(ctx, out)
	if err != nil {
		return compare.Side{}, err
	}
	return compare.NewSide(out, rep, db, run)
}

func (a *app) printComparison(c compare.Comparison) {
	fmt.Fprintf(a.out, "A  %s · %s\nB  %s · %s\n", c.A.Folder, results.Plain(c.A.Run), c.B.Folder, results.Plain(c.B.Run))
	for _, n := range c.Notes {
		fmt.Fprintln(a.out, results.Plain(n))
	}
	for _, x := range []struct {
		what string
		p    compare.Paired
	}{{"tasks", c.Tasks}, {"targets", c.Targets}} {
		fmt.Fprintf(a.out, "%-8s resolved by both %d, by A alone %d, by B alone %d, by neither %d, unknown %d; p = %.4f\n", x.what, x.p.Both, x.p.OnlyA, x.p.OnlyB, x.p.Neither, x.p.Unknown, x.p.P)
	}
	fmt.Fprintf(a.out, "%-8s passed in both %d, in A alone %d, in B alone %d, in neither %d\n", "tests", c.Tests.Both, c.Tests.OnlyA, c.Tests.OnlyB, c.Tests.Neither)
	for _, t := range c.Changes {
		fmt.Fprintf(a.out, "%s: %s → %s\n", t.Task, t.A, t.B)
		for _, x := range t.Targets {
			fmt.Fprintf(a.out, "  %s: %s → %s\n", x.Target, x.A, x.B)
			for _, n := range x.Tests {
				fmt.Fprintf(a.out, "    %s %s: %s → %s\n", n.Class, results.Plain(n.ID), n.A, n.B)
			}
			if x.More > 0 {
				fmt.Fprintf(a.out, "    and %d tests more\n", x.More)
			}
		}
	}
}
