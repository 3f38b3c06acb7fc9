// Package crawl is the stage that asks the host: which repositories an ecosystem
// has, which pulls they closed since the cut-off, and what the pulls' texts name
// beside that.
//
// It works in phases, whose items carry their names in front:
//
//	inventory:NAME      the repositories of one ecosystem, listed anew when the last list is too old
//	pulls:OWNER/NAME    one pass over the closed pulls of one repository
//	landed:OWNER/NAME   what the commits say of pulls that a bot landed, where a [Landing] rule is for the repository
//	linked:NAME         the renames, older pulls and issues that the ecosystem's merged pulls name
//
// A pass (see pass.go) stores page by page, so that what broke is taken up where
// it was. Everything is append-only: the views give the latest. How requests are
// sent, limited and repeated is pipeline/github's; what a reference is,
// pipeline/reference's. What the references mean for candidates is link's.
package crawl

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// The phases, as their items' ids begin.
const (
	inventoryPhase = "inventory:"
	pullsPhase     = "pulls:"
	landedPhase    = "landed:"
	linkedPhase    = "linked:"
)

// API is what the stage needs of the host; [github.Pool] has it.
type API interface {
	Fetch(ctx context.Context, r github.Request) (*github.Page, error)
	Stats() github.Stats
	Size() int // requests that can be under way at once
}

// Stage is the stage. It writes repository_versions, pull_versions,
// issue_versions, crawl_pages, crawl_passes, crawl_looks, crawl_inventories,
// crawl_lists, repository_aliases, landing_commits, landing_pages and
// pull_landings, and its audit writes crawl_audits.
type Stage struct {
	DB     pipeline.DB
	GitHub API
	// Options hold the cut-off, Since: pulls merged before it are fetched only where a
	// link names them.
	Options
	// Pages is where GitHub's answers are kept: remarks between them make
	// [Stage.Replay] possible. It may be nil.
	Pages Pages
	// Now is the clock for [Stage.Plan] and for pass starts; nil is time.Now.
	Now func() time.Time
}

// Name implements [pipeline.Stage].
func (Stage) Name() string { return "crawl" }

// Version implements [pipeline.Stage].
func (Stage) Version() string { return "1" }

// Plan implements [pipeline.Planner]: the items that are known now. A list of
// repositories that is due may bring more.
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	inventories, err := s.inventoryItems(ctx, false)
	if err != nil {
		return nil, err
	}
	pulls, err := s.pullsItems(ctx)
	if err != nil {
		return nil, err
	}
	landed, err := s.landedItems(ctx)
	if err != nil {
		return nil, err
	}
	linked, err := s.linkedItems(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Concat(pipeline.Refs(inventories), pipeline.Refs(pulls), pipeline.Refs(landed), pipeline.Refs(linked)),
		nil
}

// Run implements [pipeline.Stage].
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	defer s.prepare(run)()
	wrong := &mistakes{}
	if err := s.lookAround(ctx, run, run.Redo, wrong); err != nil {
		return err
	}
	pulls, err := s.pullsItems(ctx)
	if err != nil {
		return err
	}
	if err := pipeline.EachOf(ctx, run, s, pullsPhase, pulls, s.pullsWork(run.Log), nil); err != nil {
		return err
	}
	landed, err := s.landedItems(ctx)
	if err != nil {
		return err
	}
	if err := pipeline.EachOf(ctx, run, s, landedPhase, landed, s.landedWork(run.Log), s.landedGone); err != nil {
		return err
	}
	linked, err := s.linkedItems(ctx)
	if err != nil {
		return err
	}
	if err := pipeline.EachOf(ctx, run, s, linkedPhase, linked, s.linkedWork(run.Log), nil); err != nil {
		return err
	}
	return wrong.err()
}

// lookAround is the first phase: the ecosystems' lists.
func (s Stage) lookAround(ctx context.Context, run *pipeline.Run, anew bool, wrong *mistakes) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	if err := s.recordSince(ctx); err != nil {
		return err
	}
	inventories, err := s.inventoryItems(ctx, anew)
	if err != nil {
		return err
	}
	return pipeline.EachOf(ctx, run, s, inventoryPhase, inventories, s.inventoryWork(run.Log, wrong), s.inventoryGone)
}

// prepare sets the run up for work that waits for the host, and returns how to
// set it back: as many workers as keep every client busy, and a progress line
// that shows rate, quota and waits.
func (s Stage) prepare(run *pipeline.Run) (restore func()) {
	workers, progress := run.Workers, run.Progress
	run.Workers = max(workers, 3*s.GitHub.Size())
	if progress != nil {
		run.Progress = func(stage string, total int) pipeline.Progress {
			return watch(progress(stage, total), total, s.GitHub.Stats)
		}
	}
	return func() { run.Workers, run.Progress = workers, progress }
}

// recordSince keeps the window where the views find it.
func (s Stage) recordSince(ctx context.Context) error {
	want := s.since().Format(time.RFC3339)
	rows, err := s.DB.Query(ctx, "SELECT value FROM meta WHERE key = 'crawl.since'")
	if err != nil {
		return err
	}
	have, err := pipeline.Scan[string](rows, nil)
	if err != nil || len(have) == 1 && have[0] == want {
		return err
	}
	return s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM meta WHERE key = 'crawl.since'"); err != nil {
			return fmt.Errorf("recording the window: %w", err)
		}
		return tx.Append(ctx, "meta", [][]any{{"crawl.since", want}})
	})
}

func (s Stage) since() time.Time {
	if s.Since.IsZero() {
		return defaults.Since.Time
	}
	return s.Since.UTC().Truncate(time.Second)
}

// now is cut to what the database keeps of a time.
func (s Stage) now() time.Time {
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	return now().UTC().Truncate(time.Microsecond)
}
