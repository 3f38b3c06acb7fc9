package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
)

// verifyCommand proves a release on the evaluator's machine.
func (a *app) verifyCommand() *cobra.Command {
	e := evaluation{guard: guard.On, retries: 1, retryWait: 2 * time.Second}
	var v verifyFlags
	c := &cobra.Command{
		Use: "verify --release RELEASE", Args: cobra.NoArgs,
		Short: "Evaluate gold and nothing on every task here: does the release reproduce on this machine?",
		Long: `verify evaluates the gold patches and empty ones on every task of a release, before agents
are paid for. Gold must resolve each task, and nothing none. It ends with 1 and names the tasks
that don't reproduce here, with the reason; what is infra is trouble of this machine, and the
same command again completes it. Every file of the release is read first, packed trees too.`,
		Example: `  wideswe verify --release release --workers 2
  wideswe verify --release release --out verified --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := e.numbers(); err != nil {
				return err
			}
			return a.verify(cmd.Context(), e, v)
		},
	}
	f := c.Flags()
	f.StringVar(&e.release, "release", "", "the release's folder")
	f.StringVar(&e.out, "out", "verify", "the folder of this evaluation: report, logs and store")
	f.StringVar(&e.sandbox, "sandbox", "docker", "docker, or process")
	f.IntVar(&e.workers, "workers", 1, "tasks under way at once; their runs share the machine's CPUs and memory, and wait for room")
	f.DurationVar(&e.timeout, "timeout", 0, "time limit of a target's tests, instead of the one that the release makes of its gold run")
	f.BoolVar(&e.emulate, "allow-emulation", false, "evaluate on another platform than the release was validated on")
	imageFlags(f, &e.images, &e.buildEnv, &e.buildFiles)
	f.StringSliceVar(&v.tasks, "tasks", nil, "only these tasks")
	f.StringVar(&v.set, "set", "", setHelp)
	f.BoolVar(&v.json, "json", false, "as JSON")
	return c
}

// verifyFlags are what verify has beside an evaluation's.
type verifyFlags struct {
	tasks []string
	set   string
	json  bool
}

func (a *app) verify(ctx context.Context, e evaluation, v verifyFlags) error {
	rel, err := a.openRelease(e.release)
	if err != nil {
		return err
	}
	if err := wholly(ctx, rel); err != nil {
		return err
	}
	tasks, err := taskSet(rel, v.tasks, v.set)
	if err != nil {
		return err
	}
	e.given = []schema.Prediction{}
	for _, model := range []string{predictions.Gold, predictions.Empty} {
		list, err := predictions.Load(rel, model, "")
		if err != nil {
			return err
		}
		e.given = append(e.given, slices.DeleteFunc(list, func(p schema.Prediction) bool { return !slices.Contains(tasks, p.Task) })...)
	}
	// The evaluation's own words are no part of the answer.
	out := a.out
	a.out = a.err
	err = a.evaluate(ctx, e)
	a.out = out
	var infra *exitError
	if err != nil && !errors.As(err, &infra) {
		return err
	}
	rep, readErr := readReport(e.out)
	if readErr != nil {
		return errors.Join(err, readErr)
	}
	return a.tellVerified(proved(rep, tasks), err, v.json)
}

// proof is what gold and nothing came to on one task.
type proof struct {
	Task       string `json:"task"`
	Reproduces bool   `json:"reproduces"`
	Infra      bool   `json:"infra,omitempty"` // not known yet: trouble of this machine
	Gold       string `json:"gold"`
	Empty      string `json:"empty"`
	Reason     string `json:"reason,omitempty"`
}

// proved reads what each task came to.
func proved(rep *schema.Report, tasks []string) (list []proof) {
	for _, id := range tasks {
		gold, empty := reportOf(rep, predictions.Gold, id), reportOf(rep, predictions.Empty, id)
		p := proof{Task: id, Gold: gold.Status, Empty: empty.Status}
		switch {
		case gold.Status == schema.StatusInfra || empty.Status == schema.StatusInfra || gold.Status == "" || empty.Status == "":
			p.Infra, p.Reason = true, firstOf(gold, empty, schema.StatusInfra)
		case !gold.Resolved:
			p.Reason = "gold does not resolve it: " + why(gold)
		case empty.Resolved:
			p.Reason = "nothing at all resolves it"
		case empty.Status != schema.StatusEmpty:
			p.Reason = "nothing at all ends with " + empty.Status + ": " + why(empty)
		default:
			p.Reproduces = true
		}
		list = append(list, p)
	}
	return list
}

func firstOf(gold, empty schema.TaskReport, status string) string {
	if gold.Status == status {
		return gold.Reason
	}
	return empty.Reason
}

// why gives the reason of a task's verdict, with the first test of each target that
// should have passed.
func why(t schema.TaskReport) string {
	text := []string{t.Status}
	if t.Reason != "" {
		text = append(text, t.Reason)
	}
	for _, repository := range sortedNames(t.Targets) {
		x := t.Targets[repository]
		if x.Resolved || len(x.Failing) == 0 {
			continue
		}
		text = append(text, fmt.Sprintf("%s: %s, log %s", repository, x.Failing[0].ID, x.Log))
	}
	return strings.Join(text, "; ")
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// tellVerified prints the proof; trouble is the evaluation's own end, where it did
// not come to all of it.
func (a *app) tellVerified(list []proof, trouble error, asJSON bool) error {
	var failed, open []string
	for _, p := range list {
		switch {
		case p.Infra:
			open = append(open, p.Task)
		case !p.Reproduces:
			failed = append(failed, p.Task)
		}
		if !asJSON && !p.Reproduces {
			word := "does not reproduce"
			if p.Infra {
				word = "not known yet"
			}
			fmt.Fprintf(a.out, "%s: %s: %s\n", p.Task, word, p.Reason)
		}
	}
	if asJSON {
		if err := a.json(map[string]any{"reproduces": len(failed)+len(open) == 0, "tasks": list}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.out, "%d of %d tasks reproduce here\n", len(list)-len(failed)-len(open), len(list))
	}
	if trouble != nil {
		return trouble
	}
	if len(failed)+len(open) > 0 {
		return &exitError{exitFailed, fmt.Sprintf("%d of %d tasks don't reproduce here: leave them out of what agents are paid for, or find out why", len(failed)+len(open), len(list))}
	}
	return nil
}
