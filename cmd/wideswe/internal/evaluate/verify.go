package evaluate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/reproduce"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// verifyOptions holds the flags of verify.
type verifyOptions struct {
	env        *env.Env
	evaluation Options
	tasks      flags.Tasks
	json       bool
}

// NewVerifyCommand returns wideswe verify, which proves a release on the evaluator's machine.
func NewVerifyCommand(e *env.Env) *cobra.Command {
	o := &verifyOptions{env: e, evaluation: Options{Guard: guard.On, Retries: 1, RetryWait: 2 * time.Second}}
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
			if err := o.evaluation.checkNumbers(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&o.evaluation.Release, "release", "", "the release's folder")
	f.StringVar(&o.evaluation.Out, "out", "verify", "the folder of this evaluation: report, logs and store")
	f.StringVar(&o.evaluation.Sandbox, "sandbox", "docker", "docker, or process")
	o.evaluation.addMachine(c)
	o.tasks.AddTo(f, "only these tasks")
	f.BoolVar(&o.json, "json", false, "as JSON")
	return c
}

func (o *verifyOptions) run(ctx context.Context) error {
	rel, err := o.env.OpenRelease(o.evaluation.Release)
	if err != nil {
		return err
	}
	if err := rel.VerifyAll(ctx); err != nil {
		return err
	}
	tasks, err := o.tasks.Of(rel)
	if err != nil {
		return err
	}
	if o.evaluation.Given, err = reproduce.Predictions(rel, tasks); err != nil {
		return err
	}
	trouble := o.evaluate(ctx)
	var infra *exit.Error
	if trouble != nil && !errors.As(trouble, &infra) {
		return trouble
	}
	rep, err := results.ReadReport(o.evaluation.Out)
	if err != nil {
		return errors.Join(trouble, err)
	}
	return o.print(reproduce.Proofs(rep, tasks), trouble)
}

// evaluate runs the evaluation. What it prints is no part of verify's answer.
func (o *verifyOptions) evaluate(ctx context.Context) error {
	e := o.env.WithOut(o.env.Err)
	defer e.Close()
	return Run(ctx, e, o.evaluation)
}

// print prints the proofs. trouble is the evaluation's own error, where it did not complete.
func (o *verifyOptions) print(list []reproduce.Proof, trouble error) error {
	bad := 0
	for _, p := range list {
		if !p.Reproduces {
			bad++
		}
	}
	if err := o.printProofs(list, bad); err != nil {
		return err
	}
	if trouble != nil {
		return trouble
	}
	if bad > 0 {
		return exit.Failure("%d of %d tasks don't reproduce here: leave them out of what agents are paid for, or find out "+
			"why",
			bad, len(list))
	}
	return nil
}

func (o *verifyOptions) printProofs(list []reproduce.Proof, bad int) error {
	if o.json {
		return o.env.PrintJSON(map[string]any{"reproduces": bad == 0, "tasks": list})
	}
	for _, p := range list {
		switch {
		case p.Infra:
			fmt.Fprintf(o.env.Out, "%s: not known yet: %s\n", p.Task, p.Reason)
		case !p.Reproduces:
			fmt.Fprintf(o.env.Out, "%s: does not reproduce: %s\n", p.Task, p.Reason)
		}
	}
	fmt.Fprintf(o.env.Out, "%d of %d tasks reproduce here\n", len(list)-bad, len(list))
	return nil
}
