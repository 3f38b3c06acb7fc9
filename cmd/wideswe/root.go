package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/agent"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/bench"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/database"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/demo"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/doctor"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/evaluate"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/explain"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/images"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/imports"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/leak"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/mine"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/recipe"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/release"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/report"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/review"
	"github.com/wideswe/wideswe/pipeline"
)

func newRoot(a *env.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "wideswe",
		Short: "Builds and scores benchmarks of coding tasks that span several repositories",
		Long: `wideswe builds and scores benchmarks of coding tasks that need coordinated changes
in several repositories. It crawls merged pulls into DuckDB, links and groups them
into candidates, helps people review them, proves each task by running its tests on
base and gold, exports a release, and scores agents' patches on it.

  curators    wideswe init DIR --ecosystem ipfs=ipfs; wideswe -C DIR run; wideswe -C DIR review list
  analysts    wideswe -C DIR sql -c 'SELECT * FROM funnel'
  evaluators  wideswe evaluate --release RELEASE --predictions FILE --out OUT

Results go to stdout, progress and logs to stderr. Exit codes: 0 done, 1 some items
failed (run again), 2 bad usage, 3 something needed is missing, 130 interrupted.`,
		SilenceUsage: true, SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return pipeline.Usage("there is no command %q%s; wideswe --help lists them", args[0], pipeline.DidYouMean(args[0],
				names))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVarP(&a.Dir, "dir", "C", "", "the curator's folder (default: found upwards from here)")
	root.PersistentFlags().BoolVarP(&a.Verbose, "verbose", "v", false, "log what is done")
	root.PersistentFlags().BoolVarP(&a.Quiet, "quiet", "q", false, "no progress")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return pipeline.Usage("%v; %s --help shows the flags", err, cmd.CommandPath())
	})
	root.AddGroup(&cobra.Group{ID: "folder", Title: "A curator's folder:"}, &cobra.Group{ID: "stage",
		Title: "The road, stage by stage:"},
		&cobra.Group{ID: "read", Title: "Reading:"}, &cobra.Group{ID: "release", Title: "With a release:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("folder", mine.NewInitCommand(a), mine.NewRunCommand(a), doctor.NewCommand(a), images.NewCommand(a),
		demo.NewCommand(a), recipe.NewCommand(a))
	add("stage", mine.NewStageCommands(a, map[string][]*cobra.Command{
		"review": review.NewCommands(a),
		"export": {database.NewExportTablesCommand(a)},
	})...)
	add("read", database.NewStatusCommand(a), database.NewSQLCommand(a), database.NewSnapshotCommand(a),
		explain.NewCandidatesCommand(a), explain.NewExplainCommand(a), database.NewCheckCommand(a), leak.NewCommand(a))
	add("release", release.NewCommand(a), release.NewWorkspaceCommand(a), agent.NewCommand(a),
		evaluate.NewEvaluateCommand(a), report.NewCommand(a))
	add("release", evaluate.NewPredictionsCommand(a), evaluate.NewCompareCommand(a), evaluate.NewRegradeCommand(a))
	add("release", evaluate.NewVerifyCommand(a), evaluate.NewEstimateCommand(a), imports.NewCommand(a))
	root.AddCommand(bench.NewCommand(a))
	root.CompletionOptions.HiddenDefaultCmd = true
	cobra.EnableCommandSorting = false // the road has an order
	checkArguments(root)
	return root
}

// checkArguments makes every complaint about arguments a usage error.
func checkArguments(c *cobra.Command) {
	for _, sub := range c.Commands() {
		checkArguments(sub)
	}
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var usage *pipeline.UsageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return pipeline.Usage("%v; usage: %s", err, cmd.UseLine())
	}
}
