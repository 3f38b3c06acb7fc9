package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/explain"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// explainEvaluated tells why a task has the state it has in an evaluation.
func (a *app) explainEvaluated(task, out, run string, asJSON bool) error {
	rep, err := results.ReadReport(out)
	if err != nil {
		return err
	}
	list, err := explain.Accounts(out, rep, task, run)
	if err != nil {
		return err
	}
	if asJSON {
		return writeIndented(a.out, list)
	}
	for _, x := range list {
		a.printAccount(x, out)
	}
	return nil
}

func (a *app) printAccount(x explain.Account, out string) {
	fmt.Fprintf(a.out, "%s · %s: %s%s\n", x.Task, results.Plain(x.Run), x.Status, because(x.Reason))
	if x.Rules == "" {
		fmt.Fprintln(a.out, "  The verdict follows the rules of an earlier version; the same evaluate command judges it anew.")
	}
	for _, f := range x.Flags {
		fmt.Fprintf(a.out, "  flag: %s\n", results.Plain(f))
	}
	for _, t := range x.Targets {
		fmt.Fprintf(a.out, "  %s: %s, F2P %d/%d, P2P %d/%d%s\n", t.Target, t.Status, t.F2P.Passed, t.F2P.Total, t.P2P.Passed, t.P2P.Total, because(t.Reason))
		a.printTarget(t, out)
	}
	for _, p := range x.Patches {
		fmt.Fprintf(a.out, "  patch of %s: %s/%s (%d bytes)\n", p.Repository, out, p.File, p.Bytes)
	}
	if list := unpatched(x); len(list) > 0 {
		fmt.Fprintf(a.out, "  no patch of %s\n", strings.Join(list, ", "))
	}
	fmt.Fprintln(a.out)
}

// unpatched lists the targets that a prediction leaves as they are.
func unpatched(x explain.Account) (list []string) {
	for _, t := range x.Targets {
		if t.Status != schema.StatusMissing && !slices.ContainsFunc(x.Patches, func(p schema.KeptPatch) bool { return p.Repository == t.Target }) {
			list = append(list, t.Target)
		}
	}
	return list
}

func (a *app) printTarget(t explain.Target, out string) {
	if t.First != nil {
		outcome := string(t.First.Outcome)
		if outcome == "" {
			outcome = "missing"
		}
		first := "first test"
		if t.More > 0 {
			first = fmt.Sprintf("first of %d tests", t.More+1)
		}
		fmt.Fprintf(a.out, "    %s that should pass: %s %s: %s\n", first, t.First.Class, results.Plain(t.First.ID), outcome)
		a.printIndented(t.First.Message)
	}
	if t.Tail != "" {
		fmt.Fprintln(a.out, "    the end of the log:")
		a.printIndented(t.Tail)
	}
	for _, f := range t.Flags {
		fmt.Fprintf(a.out, "    flag: %s\n", results.Plain(f))
	}
	if len(t.Replaced) > 0 {
		fmt.Fprintf(a.out, "    the patch had changed hidden test files, which were put in place: %s\n", results.Plain(strings.Join(t.Replaced, ", ")))
	}
	if t.Log != "" {
		fmt.Fprintf(a.out, "    log: %s/%s\n", out, t.Log)
	}
}

func (a *app) printIndented(text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if text != "" {
			fmt.Fprintln(a.out, "      | "+l)
		}
	}
}
