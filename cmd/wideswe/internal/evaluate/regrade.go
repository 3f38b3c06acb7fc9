package evaluate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
)

func NewRegradeCommand(a *env.Env) *cobra.Command {
	var rule, base string
	var asJSON bool
	c := &cobra.Command{
		Use: "regrade OUT [--rule RULE]", Args: cobra.ExactArgs(1),
		Short: "Judge an evaluation by another benchmark's rule, from what is stored",
		Long:  regradeLong(),
		Example: `  wideswe regrade out                     # every rule, side by side
  wideswe regrade out --rule swe-bench    # and which verdicts differ`,
		RunE: func(cmd *cobra.Command, args []string) error {
			rules := evaluate.Rules()
			if rule != "" {
				one, ok := evaluate.RuleNamed(rule)
				if !ok {
					return pipeline.Usage("there is no rule %q; the rules are %s", rule, strings.Join(ruleNames(), ", "))
				}
				rules = []evaluate.Rule{one}
			}
			return regradeEvaluation(cmd.Context(), a, args[0], base, rules, asJSON)
		},
	}
	c.Flags().StringVar(&rule, "rule", "", strings.Join(ruleNames(), ", ")+" (default: each)")
	c.Flags().StringVar(&base, "base", "", "an evaluation of the predictions empty, for rules that ask what passed before")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON, with every task and target")
	return c
}

func ruleNames() (names []string) {
	for _, r := range evaluate.Rules() {
		names = append(names, r.Name)
	}
	return names
}

func regradeLong() string {
	var b strings.Builder
	b.WriteString("Judge every run of an evaluation by a rule. Nothing is run: the tests' outcomes are those that the evaluation stored,\n" +
		"read by our report parsers, and what did not run (a patch that does not apply, a missing prediction) keeps its state.\n" +
		"A task is resolved where every target is. The rules:\n")
	for _, r := range evaluate.Rules() {
		fmt.Fprintf(&b, "\n%s (%s)\n", r.Name, r.Source)
		for _, c := range r.Counts {
			fmt.Fprintf(&b, "  - %s\n", c)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func regradeEvaluation(ctx context.Context, a *env.Env, out, baseOut string, rules []evaluate.Rule, asJSON bool) error {
	rep, db, err := a.OpenEvaluation(ctx, out)
	if err != nil {
		return err
	}
	base, err := evaluate.BaseOutcomes(ctx, rep, db)
	if err != nil {
		return err
	}
	if baseOut != "" {
		other, otherDB, err := a.OpenEvaluation(ctx, baseOut)
		if err != nil {
			return err
		}
		if other.Release.SHA256 != rep.Release.SHA256 {
			return pipeline.Usage("%s and %s are of different releases; evaluate the predictions empty on the release of the first", out, baseOut)
		}
		if base, err = evaluate.BaseOutcomes(ctx, other, otherDB); err != nil {
			return err
		}
	}
	var all []evaluate.Regraded
	for _, r := range rules {
		g, err := evaluate.Regrade(ctx, r, rep, db, base)
		if err != nil {
			return err
		}
		all = append(all, g)
	}
	if asJSON {
		return render.Indented(a.Out, all)
	}
	return printRegraded(a, all)
}

func printRegraded(a *env.Env, all []evaluate.Regraded) error {
	t := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "rule\trun\ttasks resolved\tas evaluated\ttargets resolved\tas evaluated\tnot scored")
	for _, g := range all {
		for _, r := range g.Runs {
			fmt.Fprintf(t, "%s\t%s\t%d of %d\t%d\t%d of %d\t%d\t%d\n", g.Name, runText(r), r.TasksResolved, r.Tasks, r.TasksWereResolved, r.TargetsResolved, r.Targets, r.TargetsWere, r.NotScored)
		}
	}
	if err := t.Flush(); err != nil || len(all) > 1 {
		return err
	}
	for _, r := range all[0].Runs {
		for _, id := range slices.Sorted(maps.Keys(r.ByTask)) {
			if x := r.ByTask[id]; x.Status != x.Was {
				fmt.Fprintf(a.Out, "%s · %s: %s, and %s by %s%s\n", id, runText(r), x.Was, x.Status, all[0].Name, render.Because(x.Reason))
			}
		}
	}
	return nil
}

func runText(r evaluate.RegradedRun) string {
	return evaluate.Plain(evaluate.RunName(schema.ReportRun{Model: r.Model, Mode: r.Mode, Attempt: r.Attempt}))
}
