package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/store"
)

// app is what the commands share in one call of the program.
type app struct {
	in       io.Reader
	out, err io.Writer
	dir      string // -C
	verbose  bool
	quiet    bool

	closers []func()
}

func (a *app) close() {
	for i := len(a.closers) - 1; i >= 0; i-- {
		a.closers[i]()
	}
	a.closers = nil
}

func (a *app) later(f func()) { a.closers = append(a.closers, f) }

func (a *app) log() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

func newRoot(a *app) *cobra.Command {
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
			return pipeline.Usage("there is no command %q%s; wideswe --help lists them", args[0], pipeline.DidYouMean(args[0], names))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVarP(&a.dir, "dir", "C", "", "the curator's folder (default: found upwards from here)")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log what is done")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return pipeline.Usage("%v; %s --help shows the flags", err, cmd.CommandPath())
	})
	root.AddGroup(&cobra.Group{ID: "folder", Title: "A curator's folder:"}, &cobra.Group{ID: "stage", Title: "The road, stage by stage:"},
		&cobra.Group{ID: "read", Title: "Reading:"}, &cobra.Group{ID: "release", Title: "With a release:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("folder", newInitCommand(a), newRunCommand(a), newDoctorCommand(a), newImagesCommand(a), newDemoCommand(a), newRecipeCommand(a))
	add("stage", newStageCommands(a)...)
	add("read", newStatusCommand(a), newSQLCommand(a), newSnapshotCommand(a), newCandidatesCommand(a), newExplainCommand(a), newCheckCommand(a), newVerifyNoLeakCommand(a))
	add("release", newReleaseCommand(a), newWorkspaceCommand(a), newAgentCommand(a), newEvaluateCommand(a), newReportCommand(a))
	add("release", newPredictionsCommand(a), newCompareCommand(a), newRegradeCommand(a))
	add("release", newVerifyCommand(a), newEstimateCommand(a))
	root.AddCommand(newBenchCommand(a))
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

// curator is an open curator's folder.
type curator struct {
	folder.Folder
	config *config
}

// curator finds and reads the folder.
func (a *app) curator() (*curator, error) {
	start := a.dir
	if start == "" {
		start = "."
	}
	f, err := folder.Find(start)
	if err != nil {
		return nil, err
	}
	c, err := readConfig(f.Config())
	if err != nil {
		return nil, err
	}
	return &curator{Folder: f, config: c}, nil
}

// open opens the folder's database for writing.
func (a *app) open(ctx context.Context, c *curator) (*store.DB, error) {
	db, err := store.Open(ctx, c.Database(), store.Options{})
	if err != nil {
		return nil, err
	}
	a.later(func() { _ = db.Close() })
	// Whoever holds the database owns the scratch space: what a killed command left there goes.
	if err := errors.Join(os.RemoveAll(c.Temp()), os.MkdirAll(c.Temp(), 0o755)); err != nil {
		return nil, err
	}
	return db, nil
}

// read opens the folder's database for reading or, while another command
// writes, the latest snapshot, and says which.
func (a *app) read(ctx context.Context, c *curator) (*store.DB, error) {
	db, err := store.Open(ctx, c.Database(), store.Options{ReadOnly: true})
	if err == nil {
		a.later(func() { _ = db.Close() })
		return db, nil
	}
	snapshot := c.Snapshot()
	info, statErr := os.Stat(snapshot)
	if !store.InUse(err) || statErr != nil {
		return nil, err
	}
	fmt.Fprintf(a.err, "wideswe: another command writes the database; this is its snapshot of %s\n", moment(info.ModTime()))
	db, err = store.Open(ctx, snapshot, store.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	a.later(func() { _ = db.Close() })
	return db, nil
}
