package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages"
)

// runFlags are the flags of run and of the stages' own commands.
type runFlags struct {
	redo    bool
	sandbox string
	repeats int // of validate; 0 is the config's

	updateImages bool
	stress       bool // of validate
	export       stages.ExportFlags
}

// register adds the flags that matter to a command that runs these stages.
func (f *runFlags) register(c *cobra.Command, testing, exporting bool) {
	c.Flags().BoolVar(&f.redo, "redo", false, "work on items whose outcome stands, too")
	if testing {
		c.Flags().StringVar(&f.sandbox, "sandbox", "", "docker or process (default: validate.sandbox of the config)")
		c.Flags().BoolVar(&f.updateImages, "update-images", false, "take what the names of base images mean now, instead of what images.lock says")
		c.Flags().IntVar(&f.repeats, "repeats", 0, "runs of base and of gold (default: validate.repeats of the config)")
		c.Flags().BoolVar(&f.stress, "stress", false, "after the repeats run gold in another order, on one CPU, in another time zone and with a shifted clock, and try what fails there with the network and as root (also validate.stress of the config)")
	}
	if exporting {
		c.Flags().StringVar(&f.export.Out, "out", "", "the release's folder (default DIR/release)")
		c.Flags().BoolVar(&f.export.WithSources, "with-sources", false, "put every repository's sources into the release")
	}
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	var from, until string
	c := &cobra.Command{
		Use:   "run",
		Short: "Walk the road from rank to export; what is done and unchanged is passed over",
		Example: `  wideswe -C DIR run
  wideswe -C DIR run --until inspect
  wideswe -C DIR run --from group --until inspect`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.walk(cmd.Context(), f, from, until)
		},
	}
	f.register(c, true, true)
	c.Flags().StringVar(&from, "from", "rank", "the first stage")
	c.Flags().StringVar(&until, "until", "export", "the last stage")
	return c
}

// stageCommands are one command a stage that a curator's folder has; review is a
// group of commands of its own.
func (a *app) stageCommands() []*cobra.Command {
	var list []*cobra.Command
	for _, s := range stages.Road {
		if s.Name == "evaluate" || s.Name == "report" {
			continue
		}
		var f runFlags
		c := &cobra.Command{
			Use:   s.Name,
			Short: s.Does,
			Args:  cobra.NoArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return a.walk(cmd.Context(), f, s.Name, s.Name) },
		}
		f.register(c, s.Name == "validate", s.Name == "export")
		if s.Name == "rank" {
			a.extendRank(c, &f)
		}
		if s.Name == "crawl" {
			a.extendCrawl(c, &f)
		}
		if s.Name == "export" {
			c.AddCommand(a.exportTables())
		}
		if s.Name == "review" {
			c.AddCommand(a.reviewCommands()...)
		}
		list = append(list, c)
	}
	return list
}

// walk runs the stages from one to another, all on one database connection.
func (a *app) walk(ctx context.Context, f runFlags, from, until string) error {
	if f.repeats < 0 {
		return pipeline.Usage("--repeats must not be negative; leave it out for the config's")
	}
	names := stages.Names()
	i, j := slices.Index(names, from), slices.Index(names, until)
	if last := slices.Index(names, "export"); i < 0 || j < 0 || j < i || j > last {
		return pipeline.Usage("from %q until %q is not a part of the road: %s", from, until, strings.Join(names[:last+1], " "))
	}
	cur, err := a.curator()
	if err != nil {
		return err
	}
	db, err := a.open(ctx, cur)
	if err != nil {
		return err
	}
	list, err := a.stages(ctx, cur, db, f)
	if err != nil {
		return err
	}
	return a.execute(ctx, cur, db, list[i:j+1], f.redo)
}

// execute runs the stages in order. Items that failed in one do not keep the
// next from working on the rest; they make the exit code 1.
func (a *app) execute(ctx context.Context, cur *curator, db *store.DB, list []pipeline.Stage, redo bool) error {
	var failed []error
	stop := a.snapshots(ctx, cur, db)
	defer stop()
	for _, s := range list {
		run := &pipeline.Run{Ledger: db, Log: a.log(), Workers: cur.config.Workers, Redo: redo,
			Now: time.Now, Progress: a.progress(), Out: a.out}
		err := pipeline.Execute(ctx, s, run)
		if c := run.Counts; c.Done+c.Skipped+c.Failed > 0 {
			a.snapshot(ctx, cur, db)
		}
		var items *pipeline.FailedItems
		if err != nil && !errors.As(err, &items) {
			return err
		}
		fmt.Fprintln(a.err, summary(s.Name(), run)+a.missing(ctx, db, s.Name(), run.Counts))
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// missing says why a stage has no items at all where an earlier one never ran here.
func (a *app) missing(ctx context.Context, db *store.DB, stage string, c pipeline.Counts) string {
	if c.Done+c.Skipped+c.Failed+c.Unchanged > 0 {
		return ""
	}
	ran, err := column(ctx, db, "SELECT DISTINCT stage FROM outcomes")
	if err != nil {
		return "" // it only explains; what is wrong with the database others say
	}
	for _, before := range stages.Names() {
		if before == stage {
			break
		}
		if !slices.Contains(ran, before) {
			return fmt.Sprintf(": %s has not run here yet, or found nothing; wideswe run --until %s walks from the start", before, stage)
		}
	}
	return ""
}

func summary(stage string, run *pipeline.Run) string {
	c := run.Counts
	if c.Done+c.Skipped+c.Failed == 0 {
		return fmt.Sprintf("%-9s nothing to do, %d unchanged", stage, c.Unchanged)
	}
	return fmt.Sprintf("%-9s %d done, %d skipped, %d failed, %d unchanged%s", stage, c.Done, c.Skipped, c.Failed, c.Unchanged, skips(run.Skips))
}

// maxSkips is how many reasons a summary names; the view funnel has them all.
const maxSkips = 2

func skips(reasons map[string]int) string {
	list := slices.Sorted(maps.Keys(reasons))
	if len(list) == 0 || len(list) > maxSkips {
		return ""
	}
	return " (skipped: " + strings.Join(list, "; ") + ")"
}

// How old the snapshot that other commands read may get in a long stage: the
// dearer it is to make, for it keeps writers out, the rarer it is made.
const (
	snapshotSoonest = 10 * time.Second
	snapshotShare   = 20 // at most one part in 20 of the time goes into snapshots
)

// snapshots makes the first snapshot at once, where there is none yet, and renews
// it while stages write.
func (a *app) snapshots(ctx context.Context, cur *curator, db *store.DB) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var wait time.Duration
		if _, err := os.Stat(cur.Snapshot()); err == nil {
			wait = snapshotSoonest // a run that has nothing to do makes none
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			start := time.Now()
			a.snapshot(ctx, cur, db)
			wait = max(snapshotSoonest, snapshotShare*time.Since(start))
		}
	}()
	return func() { cancel(); <-done }
}

func (a *app) snapshot(ctx context.Context, cur *curator, db *store.DB) {
	if ctx.Err() != nil {
		return
	}
	if err := db.Snapshot(ctx, cur.Snapshot()); err != nil {
		a.log().Info("no new snapshot", "err", err)
		_ = os.Remove(store.SnapshotPart(cur.Snapshot()))
	}
}
