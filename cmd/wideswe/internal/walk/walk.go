package walk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages"
)

// register adds the flags that matter to a command that runs these stages.
func (f *Flags) Register(c *cobra.Command, testing, exporting bool) {
	c.Flags().BoolVar(&f.Redo, "redo", false, "work on items whose outcome stands, too")
	if testing {
		c.Flags().StringVar(&f.Sandbox, "sandbox", "", "docker or process (default: validate.sandbox of the config)")
		c.Flags().BoolVar(&f.updateImages, "update-images", false, "take what the names of base images mean now, instead of what images.lock says")
		c.Flags().IntVar(&f.repeats, "repeats", 0, "runs of base and of gold (default: validate.repeats of the config)")
		c.Flags().BoolVar(&f.stress, "stress", false, "after the repeats run gold in another order, on one CPU, in another time zone and with a shifted clock, and try what fails there with the network and as root (also validate.stress of the config)")
	}
	if exporting {
		c.Flags().StringVar(&f.export.Out, "out", "", "the release's folder (default DIR/release)")
		c.Flags().BoolVar(&f.export.WithSources, "with-sources", false, "put every repository's sources into the release")
	}
}

// walk runs the stages from one to another, all on one database connection.
func Run(ctx context.Context, a *env.Env, f Flags, from, until string) error {
	if f.repeats < 0 {
		return pipeline.Usage("--repeats must not be negative; leave it out for the config's")
	}
	names := stages.Names()
	i, j := slices.Index(names, from), slices.Index(names, until)
	if last := slices.Index(names, "export"); i < 0 || j < 0 || j < i || j > last {
		return pipeline.Usage("from %q until %q is not a part of the road: %s", from, until, strings.Join(names[:last+1], " "))
	}
	cur, err := a.Curator()
	if err != nil {
		return err
	}
	db, err := a.OpenDatabase(ctx, cur)
	if err != nil {
		return err
	}
	list, err := Stages(ctx, a, cur, db, f)
	if err != nil {
		return err
	}
	return Execute(ctx, a, cur, db, list[i:j+1], f.Redo)
}

// execute runs the stages in order. Items that failed in one do not keep the
// next from working on the rest; they make the exit code 1.
func Execute(ctx context.Context, a *env.Env, cur *env.Curator, db *store.DB, list []pipeline.Stage, redo bool) error {
	var failed []error
	stop := renewSnapshots(ctx, a, cur, db)
	defer stop()
	for _, s := range list {
		run := &pipeline.Run{Ledger: db, Log: a.Log(), Workers: cur.Config.Workers, Redo: redo,
			Now: time.Now, Progress: a.Progress(), Out: a.Out}
		err := pipeline.Execute(ctx, s, run)
		if c := run.Counts; c.Done+c.Skipped+c.Failed > 0 {
			TakeSnapshot(ctx, a, cur, db)
		}
		var items *pipeline.FailedItems
		if err != nil && !errors.As(err, &items) {
			return err
		}
		fmt.Fprintln(a.Err, summary(s.Name(), run)+missingStage(ctx, a, db, s.Name(), run.Counts))
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// missing says why a stage has no items at all where an earlier one never ran here.
func missingStage(ctx context.Context, a *env.Env, db *store.DB, stage string, c pipeline.Counts) string {
	if c.Done+c.Skipped+c.Failed+c.Unchanged > 0 {
		return ""
	}
	ran, err := pipeline.Column(ctx, db, "SELECT DISTINCT stage FROM outcomes")
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
