package evaluate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/regrade"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// regradeOptions holds the flags of regrade.
type regradeOptions struct {
	env        *env.Env
	rule, base string
	json       bool
}

// NewRegradeCommand returns wideswe regrade.
func NewRegradeCommand(e *env.Env) *cobra.Command {
	o := &regradeOptions{env: e}
	c := &cobra.Command{
		Use: "regrade OUT [--rule RULE]", Args: cobra.ExactArgs(1),
		Short: "Judge an evaluation by another benchmark's rule, from what is stored",
		Long:  regradeLong(),
		Example: `  wideswe regrade out                     # every rule, side by side
  wideswe regrade out --rule swe-bench    # and which verdicts differ`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	f := c.Flags()
	f.StringVar(&o.rule, "rule", "", ruleNames()+" (default: each)")
	f.StringVar(&o.base, "base", "", "an evaluation of the predictions empty, for rules that ask what passed before")
	f.BoolVar(&o.json, "json", false, "as JSON, with every task and target")
	return c
}

// ruleNames names the rules, separated by commas.
func ruleNames() string {
	var names []string
	for _, r := range regrade.Rules() {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

func regradeLong() string {
	var b strings.Builder
	b.WriteString(`Judge every run of an evaluation by a rule. Nothing is run: the tests' outcomes are those that the evaluation stored,
read by our report parsers, and what did not run (a patch that does not apply, a missing prediction) keeps its state.
A task is resolved where every target is. The rules:
`)
	for _, r := range regrade.Rules() {
		fmt.Fprintf(&b, "\n%s (%s)\n", r.Name, r.Source)
		for _, c := range r.Counts {
			fmt.Fprintf(&b, "  - %s\n", c)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (o *regradeOptions) run(ctx context.Context, out string) error {
	rules, err := o.rules()
	if err != nil {
		return err
	}
	rep, db, err := o.env.OpenEvaluation(ctx, out)
	if err != nil {
		return err
	}
	base, err := regrade.BaseOutcomes(ctx, rep, db)
	if err == nil && o.base != "" {
		base, err = o.otherBase(ctx, out, rep)
	}
	if err != nil {
		return err
	}
	var all []regrade.Evaluation
	for _, r := range rules {
		g, err := regrade.ByRule(ctx, r, rep, db, base)
		if err != nil {
			return err
		}
		all = append(all, g)
	}
	if o.json {
		return render.Indented(o.env.Out, all)
	}
	return printRegraded(o.env.Out, all)
}

// otherBase reads what passed before from the evaluation that --base names.
func (o *regradeOptions) otherBase(ctx context.Context, out string, rep schema.Report) (regrade.Base, error) {
	other, db, err := o.env.OpenEvaluation(ctx, o.base)
	if err != nil {
		return nil, err
	}
	if other.Release.SHA256 != rep.Release.SHA256 {
		return nil, pipeline.Usage("%s and %s are of different releases; "+
			"evaluate the predictions empty on the release of the first", out, o.base)
	}
	return regrade.BaseOutcomes(ctx, other, db)
}

// rules returns the rule that is named, or every one.
func (o *regradeOptions) rules() ([]regrade.Rule, error) {
	if o.rule == "" {
		return regrade.Rules(), nil
	}
	one, ok := regrade.RuleNamed(o.rule)
	if !ok {
		return nil, pipeline.Usage("there is no rule %q; the rules are %s", o.rule, ruleNames())
	}
	return []regrade.Rule{one}, nil
}

func printRegraded(w io.Writer, all []regrade.Evaluation) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "rule\trun\ttasks resolved\tas evaluated\ttargets resolved\tas evaluated\tnot scored")
	for _, g := range all {
		for _, r := range g.Runs {
			fmt.Fprintf(t, "%s\t%s\t%d of %d\t%d\t%d of %d\t%d\t%d\n", g.Name, runText(r),
				r.TasksResolved, r.Tasks, r.TasksWereResolved, r.TargetsResolved, r.Targets, r.TargetsWere, r.NotScored)
		}
	}
	if err := t.Flush(); err != nil || len(all) > 1 {
		return err
	}
	for _, r := range all[0].Runs {
		for _, id := range slices.Sorted(maps.Keys(r.ByTask)) {
			if x := r.ByTask[id]; x.Status != x.Was {
				fmt.Fprintf(w, "%s · %s: %s, and %s by %s%s\n", id, runText(r), x.Was, x.Status, all[0].Name,
					render.Because(x.Reason))
			}
		}
	}
	return nil
}

func runText(r regrade.Run) string {
	return results.Plain(schema.RunKey{Model: r.Model, Mode: r.Mode, Attempt: r.Attempt}.String())
}
