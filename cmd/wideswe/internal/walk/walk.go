package walk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages"
)

// Run runs the stages of the curator's folder from one to another, all on one database connection.
func Run(ctx context.Context, e *env.Env, f Flags, from, until string) error {
	if f.repeats < 0 {
		return pipeline.Usage("--repeats must not be negative; leave it out for the config's")
	}
	names := stages.Names()
	i, j := slices.Index(names, from), slices.Index(names, until)
	if last := slices.Index(names, "export"); i < 0 || j < 0 || j < i || j > last {
		return pipeline.Usage("from %q until %q is not a part of the road: %s", from, until, strings.Join(names[:last+1],
			" "))
	}
	s, err := Open(ctx, e, f)
	if err != nil {
		return err
	}
	deps, err := s.Deps(ctx)
	if err != nil {
		return err
	}
	return s.Execute(ctx, stages.All(deps)[i:j+1], f.Redo)
}

// RankFirst runs the stage rank where nothing was ranked yet: which ecosystems there are is its to decide.
func (s *Session) RankFirst(ctx context.Context) error {
	ranked, err := pipeline.Column(ctx, s.DB, "SELECT ecosystem FROM ecosystems LIMIT 1")
	if err != nil || len(ranked) > 0 {
		return err
	}
	deps, err := s.Deps(ctx)
	if err != nil {
		return err
	}
	return s.Execute(ctx, stages.All(deps)[:1], false)
}

// NewRun returns what a stage is run with.
func (s *Session) NewRun(redo bool) *pipeline.Run {
	return &pipeline.Run{Ledger: s.DB, Log: s.env.Log(), Workers: s.Config.Workers, Redo: redo,
		Now: time.Now, Progress: s.env.Progress(), Out: s.env.Out}
}

// Execute runs stages in order. Items that failed in one do not keep the next from working on the rest; they make the
// exit code 1.
func (s *Session) Execute(ctx context.Context, list []pipeline.Stage, redo bool) error {
	var failed []error
	stop := s.renewSnapshots(ctx)
	defer stop()
	for _, stage := range list {
		run := s.NewRun(redo)
		err := pipeline.Execute(ctx, stage, run)
		if c := run.Counts; c.Done+c.Skipped+c.Failed > 0 {
			s.TakeSnapshot(ctx)
		}
		var items *pipeline.FailedItems
		if err != nil && !errors.As(err, &items) {
			return err
		}
		fmt.Fprintln(s.env.Err, summary(stage.Name(), run)+s.missingStage(ctx, stage.Name(), run.Counts))
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// missingStage explains why a stage has no items at all where an earlier one never ran here.
func (s *Session) missingStage(ctx context.Context, stage string, c pipeline.Counts) string {
	if c.Done+c.Skipped+c.Failed+c.Unchanged > 0 {
		return ""
	}
	ran, err := pipeline.Column(ctx, s.DB, "SELECT DISTINCT stage FROM outcomes")
	if err != nil {
		return "" // it only explains; what is wrong with the database others say
	}
	for _, before := range stages.Names() {
		if before == stage {
			break
		}
		if !slices.Contains(ran, before) {
			return fmt.Sprintf(": %s has not run here yet, or found nothing; wideswe run --until %s walks from the start",
				before, stage)
		}
	}
	return ""
}

// summary is the line that is printed of a stage that ran.
func summary(stage string, run *pipeline.Run) string {
	c := run.Counts
	if c.Done+c.Skipped+c.Failed == 0 {
		return fmt.Sprintf("%-9s nothing to do, %d unchanged", stage, c.Unchanged)
	}
	return fmt.Sprintf("%-9s %d done, %d skipped, %d failed, %d unchanged%s", stage,
		c.Done, c.Skipped, c.Failed, c.Unchanged, skipReasons(run.Skips))
}

// skipReasons names the reasons of skips where they are few; the view funnel has them all.
func skipReasons(reasons map[string]int) string {
	const most = 2
	list := slices.Sorted(maps.Keys(reasons))
	if len(list) == 0 || len(list) > most {
		return ""
	}
	return " (skipped: " + strings.Join(list, "; ") + ")"
}
