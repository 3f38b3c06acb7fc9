package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
)

// explainEvaluated tells why a task has the state it has in an evaluation.
func explainEvaluated(a *env.Env, task, out, run string, asJSON bool) error {
	rep, err := evaluate.ReadReport(out)
	if err != nil {
		return err
	}
	list, err := evaluate.Accounts(out, rep, task, run)
	if err != nil {
		return err
	}
	if asJSON {
		return render.Indented(a.Out, list)
	}
	for _, x := range list {
		printAccount(a, x, out)
	}
	return nil
}

func printAccount(a *env.Env, x evaluate.Account, out string) {
	fmt.Fprintf(a.Out, "%s · %s: %s%s\n", x.Task, evaluate.Plain(x.Run), x.Status, render.Because(x.Reason))
	for _, f := range x.Flags {
		fmt.Fprintf(a.Out, "  flag: %s\n", evaluate.Plain(f))
	}
	for _, t := range x.Targets {
		fmt.Fprintf(a.Out, "  %s: %s, F2P %d/%d, P2P %d/%d%s\n", t.Target, t.Status, t.F2P.Passed, t.F2P.Total, t.P2P.Passed, t.P2P.Total, render.Because(t.Reason))
		printAccountTarget(a, t, out)
	}
	for _, p := range x.Patches {
		fmt.Fprintf(a.Out, "  patch of %s: %s/%s (%d bytes)\n", p.Repository, out, p.File, p.Bytes)
	}
	if list := unpatched(x); len(list) > 0 {
		fmt.Fprintf(a.Out, "  no patch of %s\n", strings.Join(list, ", "))
	}
	fmt.Fprintln(a.Out)
}

// unpatched lists the targets that a prediction leaves as they are.
func unpatched(x evaluate.Account) (list []string) {
	for _, t := range x.Targets {
		if t.Status != schema.StatusMissing && !slices.ContainsFunc(x.Patches, func(p schema.KeptPatch) bool { return p.Repository == t.Target }) {
			list = append(list, t.Target)
		}
	}
	return list
}

func printAccountTarget(a *env.Env, t evaluate.AccountTarget, out string) {
	if t.First != nil {
		outcome := string(t.First.Outcome)
		if outcome == "" {
			outcome = "missing"
		}
		first := "first test"
		if t.More > 0 {
			first = fmt.Sprintf("first of %d tests", t.More+1)
		}
		fmt.Fprintf(a.Out, "    %s that should pass: %s %s: %s\n", first, t.First.Class, evaluate.Plain(t.First.ID), outcome)
		printIndented(a, t.First.Message)
	}
	if t.Tail != "" {
		fmt.Fprintln(a.Out, "    the end of the log:")
		printIndented(a, t.Tail)
	}
	for _, f := range t.Flags {
		fmt.Fprintf(a.Out, "    flag: %s\n", evaluate.Plain(f))
	}
	if len(t.Replaced) > 0 {
		fmt.Fprintf(a.Out, "    the patch had changed hidden test files, which were put in place: %s\n", evaluate.Plain(strings.Join(t.Replaced, ", ")))
	}
	if t.Log != "" {
		fmt.Fprintf(a.Out, "    log: %s/%s\n", out, t.Log)
	}
}

func printIndented(a *env.Env, text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if text != "" {
			fmt.Fprintln(a.Out, "      | "+l)
		}
	}
}
