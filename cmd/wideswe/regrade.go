package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/regrade"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// evaluationOf opens an evaluation's report and its store, for reading.
func (a *app) evaluationOf(ctx context.Context, out string) (schema.Report, *store.DB, error) {
	rep, err := results.ReadReport(out)
	if err != nil {
		return rep, nil, err
	}
	db, err := a.storeOf(ctx, out)
	return rep, db, err
}

// storeOf opens an evaluation's store, named by its folder or as a file.
func (a *app) storeOf(ctx context.Context, out string) (*store.DB, error) {
	file := out
	if info, err := os.Stat(out); err != nil || info.IsDir() {
		file = filepath.Join(out, results.StoreName)
	}
	if _, err := os.Stat(file); err != nil {
		return nil, pipeline.Usage("%s is no evaluation (%v); give the folder that wideswe evaluate wrote with --out", out, err)
	}
	db, err := store.Open(ctx, file, store.Options{ReadOnly: true})
	if store.InUse(err) {
		return nil, pipeline.Need("%s is being written by an evaluation; wait for it to end", out)
	}
	if err != nil {
		return nil, err
	}
	a.later(func() { _ = db.Close() })
	return db, nil
}

// readTablesOf opens an evaluation's store where one is named, else the curator's database.
func (a *app) readTablesOf(ctx context.Context, evaluation string) (*store.DB, error) {
	if evaluation != "" {
		return a.storeOf(ctx, evaluation)
	}
	cur, err := a.curator()
	if err != nil {
		return nil, err
	}
	return a.read(ctx, cur)
}

func (a *app) regradeCommand() *cobra.Command {
	var rule, base string
	var asJSON bool
	c := &cobra.Command{
		Use: "regrade OUT [--rule RULE]", Args: cobra.ExactArgs(1),
		Short: "Judge an evaluation by another benchmark's rule, from what is stored",
		Long:  regradeLong(),
		Example: `  wideswe regrade out                     # every rule, side by side
  wideswe regrade out --rule swe-bench    # and which verdicts differ`,
		RunE: func(cmd *cobra.Command, args []string) error {
			rules := regrade.Rules()
			if rule != "" {
				one, ok := regrade.RuleNamed(rule)
				if !ok {
					return pipeline.Usage("there is no rule %q; the rules are %s", rule, strings.Join(ruleNames(), ", "))
				}
				rules = []regrade.Rule{one}
			}
			return a.regrade(cmd.Context(), args[0], base, rules, asJSON)
		},
	}
	c.Flags().StringVar(&rule, "rule", "", strings.Join(ruleNames(), ", ")+" (default: each)")
	c.Flags().StringVar(&base, "base", "", "an evaluation of the predictions empty, for rules that ask what passed before")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON, with every task and target")
	return c
}

func ruleNames() (names []string) {
	for _, r := range regrade.Rules() {
		names = append(names, r.Name)
	}
	return names
}

func regradeLong() string {
	var b strings.Builder
	b.WriteString("Judge every run of an evaluation by a rule. Nothing is run: the tests' outcomes are those that the evaluation stored,\n" +
		"read by our report parsers, and what did not run (a patch that does not apply, a missing prediction) keeps its state.\n" +
		"A task is resolved where every target is. The rules:\n")
	for _, r := range regrade.Rules() {
		fmt.Fprintf(&b, "\n%s (%s)\n", r.Name, r.Source)
		for _, c := range r.Counts {
			fmt.Fprintf(&b, "  - %s\n", c)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (a *app) regrade(ctx context.Context, out, baseOut string, rules []regrade.Rule, asJSON bool) error {
	rep, db, err := a.evaluationOf(ctx, out)
	if err != nil {
		return err
	}
	base, err := regrade.BaseOutcomes(ctx, rep, db)
	if err != nil {
		return err
	}
	if baseOut != "" {
		other, otherDB, err := a.evaluationOf(ctx, baseOut)
		if err != nil {
			return err
		}
		if other.Release.SHA256 != rep.Release.SHA256 {
			return pipeline.Usage("%s and %s are of different releases; evaluate the predictions empty on the release of the first", out, baseOut)
		}
		if base, err = regrade.BaseOutcomes(ctx, other, otherDB); err != nil {
			return err
		}
	}
	var all []regrade.Evaluation
	for _, r := range rules {
		g, err := regrade.ByRule(ctx, r, rep, db, base)
		if err != nil {
			return err
		}
		all = append(all, g)
	}
	if asJSON {
		return writeIndented(a.out, all)
	}
	return a.printRegraded(all)
}

func (a *app) printRegraded(all []regrade.Evaluation) error {
	t := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
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
				fmt.Fprintf(a.out, "%s · %s: %s, and %s by %s%s\n", id, runText(r), x.Was, x.Status, all[0].Name, because(x.Reason))
			}
		}
	}
	return nil
}

func runText(r regrade.Run) string {
	return results.Plain(schema.RunKey{Model: r.Model, Mode: r.Mode, Attempt: r.Attempt}.String())
}

// because adds a reason, which may be strangers' text, as one line.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + strings.Join(strings.Fields(results.Plain(reason)), " ")
}
