package recipe

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/stages/trial"
)

// testOptions holds the flags of recipe test.
type testOptions struct {
	env     *env.Env
	sandbox string
	repeats int
	choose  []string
	stress  bool
	json    bool
}

func newTestCommand(e *env.Env) *cobra.Command {
	o := &testOptions{env: e}
	c := &cobra.Command{
		Use:   "test OWNER/NAME#N [OWNER/NAME#M ...] | OWNER/NAME[@COMMIT]",
		Short: "Try a recipe: on pulls, base against gold, or on one commit",
		Long: `Try a recipe, and print what was detected and why.

With pulls that were crawled, a throwaway task of them is assembled and validated as
the product does it: several repositories are wired to each other, and one alone will
do. It needs no links, candidates or reviews. The exit code is 0 where every target
has a test that fails on base and passes on gold.

With a commit (or none: the newest of the default branch) the image is made and the
repository's tests run there, once. The exit code is 0 where they report and one passes.

Nothing is written to the database. Images stay, so that a second try is quick.`,
		Example: `  wideswe recipe test ipfs/kubo#10863
  wideswe recipe test ipfs/kubo#10863 ipfs/boxo#978 --repeats 1
  wideswe recipe test ipfs/boxo@v0.32.0 --select 'bitswap/**'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	f := c.Flags()
	f.StringVar(&o.sandbox, "sandbox", "", "docker or process (default: validate.sandbox of the config)")
	f.IntVar(&o.repeats, "repeats", 0, "runs of base and of gold (default: validate.repeats of the config; of a commit 1)")
	f.StringArrayVar(&o.choose, "select", nil, "on a commit: only these test files; a file, a folder, "+
		"or a pattern such as 'pkg/**/*_test.go'; may be given several times")
	f.BoolVar(&o.stress, "stress", false, "of pulls: run gold under stress, too, as validate --stress does")
	f.BoolVar(&o.json, "json", false, "as JSON, with every test")
	return c
}

func (o *testOptions) run(ctx context.Context, args []string) error {
	cur, err := o.env.Curator()
	if err != nil {
		return err
	}
	t, err := o.trial(ctx, cur)
	if err != nil {
		return err
	}
	pulls, err := o.check(args)
	if err != nil {
		return err
	}
	var found trial.Finding
	if pulls {
		found, err = o.tryPulls(ctx, cur, t, args)
	} else {
		found, err = t.Commit(ctx, args[0])
	}
	if err != nil {
		return err
	}
	return o.print(found)
}

// trial makes the trial that the flags ask for.
func (o *testOptions) trial(ctx context.Context, cur *env.Curator) (t trial.Trial, err error) {
	t = trial.Trial{Folder: cur.Folder, Repeats: o.repeats, Stress: o.stress, Select: o.choose, NewRun: o.newRun}
	if t.Mirrors, err = o.env.Mirrors(ctx, cur); err != nil {
		return t, err
	}
	if t.Runner, err = o.env.Runner(cur, o.sandbox); err != nil {
		return t, err
	}
	if o.repeats < 0 {
		return t, pipeline.Usage("--repeats %d; write a number of runs", o.repeats)
	}
	return t, nil
}

func (o *testOptions) newRun(ledger pipeline.Ledger) *pipeline.Run {
	return &pipeline.Run{Ledger: ledger, Log: o.env.Log(), Workers: 1, Now: time.Now, Progress: o.env.Progress(),
		Out: o.env.Err}
}

// check reports whether the arguments are pulls; mistakes in them, or flags that do not fit, are errors.
func (o *testOptions) check(args []string) (pulls bool, err error) {
	pulls = strings.Contains(args[0], "#")
	for _, arg := range args {
		if strings.Contains(arg, "#") != pulls {
			return pulls, pipeline.Usage("pulls (owner/name#N) and commits can't be tried together")
		}
	}
	switch {
	case pulls && len(o.choose) > 0:
		return pulls, pipeline.Usage("--select is for a commit; what the tests of pulls are the hidden tests say, or "+
			"select: in %s",
			folder.RecipeFile("owner/name"))
	case !pulls && o.stress:
		return pulls, pipeline.Usage("--stress is for pulls: it holds gold's tests against themselves")
	case !pulls && len(args) > 1:
		return pulls, pipeline.Usage("one commit at a time; several repositories are tried together as pulls, owner/name#N")
	}
	return pulls, nil
}

func (o *testOptions) tryPulls(ctx context.Context, cur *env.Curator, t trial.Trial, names []string) (trial.Finding,
	error) {
	db, err := o.env.ReadDatabase(ctx, cur)
	if err != nil {
		return trial.Finding{}, err
	}
	t.Repeats = cmp.Or(t.Repeats, cur.Config.Validate.Repeats)
	return t.Pulls(ctx, db, names)
}

// print prints the finding; a recipe that does not work is exit code 1.
func (o *testOptions) print(f trial.Finding) error {
	if o.json {
		if err := o.env.PrintJSON(f); err != nil {
			return err
		}
	} else {
		printFinding(o.env.Out, f)
	}
	if !f.Works {
		return &exit.Error{Code: exit.Failed, Text: f.Reason}
	}
	return nil
}
