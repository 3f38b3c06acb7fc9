package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/explain"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// explainEvaluated tells why a task has the state it has in an evaluation.
func (o *options) explainEvaluated(task string) error {
	rep, err := results.ReadReport(o.evaluation)
	if err != nil {
		return err
	}
	list, err := explain.Accounts(o.evaluation, rep, task, o.run)
	if err != nil {
		return err
	}
	if o.json {
		return render.Indented(o.env.Out, list)
	}
	for _, x := range list {
		printAccount(o.env.Out, x, o.evaluation)
	}
	return nil
}

func printAccount(w io.Writer, x explain.Account, folder string) {
	fmt.Fprintf(w, "%s · %s: %s%s\n", x.Task, results.Plain(x.Run), x.Status, render.Because(x.Reason))
	if x.Rules == "" {
		fmt.Fprintln(w, "  The verdict follows the rules of an earlier version; the same evaluate command judges it anew.")
	}
	for _, f := range x.Flags {
		fmt.Fprintf(w, "  flag: %s\n", results.Plain(f))
	}
	for _, t := range x.Targets {
		fmt.Fprintf(w, "  %s: %s, F2P %d/%d, P2P %d/%d%s\n", t.Target, t.Status,
			t.F2P.Passed, t.F2P.Total, t.P2P.Passed, t.P2P.Total, render.Because(t.Reason))
		printTarget(w, t, folder)
	}
	for _, p := range x.Patches {
		fmt.Fprintf(w, "  patch of %s: %s/%s (%d bytes)\n", p.Repository, folder, p.File, p.Bytes)
	}
	if list := unpatched(x); len(list) > 0 {
		fmt.Fprintf(w, "  no patch of %s\n", strings.Join(list, ", "))
	}
	fmt.Fprintln(w)
}

// unpatched lists the targets that a prediction leaves as they are.
func unpatched(x explain.Account) (list []string) {
	for _, t := range x.Targets {
		ofTarget := func(p schema.KeptPatch) bool { return p.Repository == t.Target }
		if t.Status != schema.StatusMissing && !slices.ContainsFunc(x.Patches, ofTarget) {
			list = append(list, t.Target)
		}
	}
	return list
}

func printTarget(w io.Writer, t explain.Target, folder string) {
	if t.First != nil {
		outcome := string(t.First.Outcome)
		if outcome == "" {
			outcome = "missing"
		}
		first := "first test"
		if t.More > 0 {
			first = fmt.Sprintf("first of %d tests", t.More+1)
		}
		fmt.Fprintf(w, "    %s that should pass: %s %s: %s\n", first, t.First.Class, results.Plain(t.First.ID), outcome)
		printIndented(w, t.First.Message)
	}
	if t.Tail != "" {
		fmt.Fprintln(w, "    the end of the log:")
		printIndented(w, t.Tail)
	}
	for _, f := range t.Flags {
		fmt.Fprintf(w, "    flag: %s\n", results.Plain(f))
	}
	if len(t.Replaced) > 0 {
		fmt.Fprintf(w, "    the patch had changed hidden test files, which were put in place: %s\n",
			results.Plain(strings.Join(t.Replaced, ", ")))
	}
	if t.Log != "" {
		fmt.Fprintf(w, "    log: %s/%s\n", folder, t.Log)
	}
}

func printIndented(w io.Writer, text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if text != "" {
			fmt.Fprintln(w, "      | "+l)
		}
	}
}
