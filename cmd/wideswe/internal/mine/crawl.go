package mine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages/crawl"
)

// crawlFlags are the crawl's own.
type crawlFlags struct{ replay, dry, json bool }

// extendCrawl adds to the stage's command what only the crawl has.
func extendCrawl(a *env.Env, c *cobra.Command, f *walk.Flags) {
	var own crawlFlags
	walk := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if own.replay {
			return replayCrawl(cmd.Context(), a, f.Redo)
		}
		if own.dry {
			return printCrawlBudget(cmd.Context(), a, f.Redo, own.json)
		}
		return walk(cmd, args)
	}
	c.AddCommand(newAuditCommand(a))
	c.Flags().BoolVar(&own.replay, "replay", false, "rebuild the crawl's tables from the kept pages, without a request")
	c.Flags().BoolVar(&own.dry, "dry-run", false, "list the repositories, then say what a crawl would ask for, and stop")
	c.Flags().BoolVar(&own.json, "json", false, "--dry-run's answer as JSON")
	c.MarkFlagsMutuallyExclusive("replay", "dry-run")
	c.Example = `  wideswe -C DIR crawl
  wideswe -C DIR crawl --dry-run     # requests, hours and quota before they are spent
  wideswe -C DIR crawl audit         # is anything missing?
  wideswe -C DIR crawl --replay      # after .wideswe/wideswe.duckdb was deleted`
}

// replay rebuilds what the crawl stored. Which ecosystems there are is rank's to
// say, and is decided first where the database is new.
func replayCrawl(ctx context.Context, a *env.Env, redo bool) error {
	cur, err := a.Curator()
	if err != nil {
		return err
	}
	db, err := a.OpenDatabase(ctx, cur)
	if err != nil {
		return err
	}
	if err := rankFirst(ctx, a, cur, db); err != nil {
		return err
	}
	pages, err := github.OpenArchive(cur.Pages())
	if err != nil {
		return err
	}
	s := crawl.Stage{DB: db, Pages: pages, Since: cur.Config.Crawl.Since.Time, Refresh: cur.Config.Crawl.Refresh.Duration,
		FullPass: cur.Config.Crawl.FullPass.Duration, Landed: cur.Config.Crawl.LandedByBot}
	got, err := s.Replay(ctx, &pipeline.Run{Ledger: db, Log: a.Log(), Redo: redo, Now: time.Now, Progress: a.Progress()})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "replay    %d pages and remarks read, %d of them never stored before, %d of other stages, %d items stand\n",
		got.Entries, got.Dropped, got.Foreign, got.Items)
	walk.TakeSnapshot(ctx, a, cur, db)
	return nil
}

// budget says what a crawl would ask for.
func printCrawlBudget(ctx context.Context, a *env.Env, redo, asJSON bool) error {
	s, run, err := crawlStage(ctx, a)
	if err != nil {
		return err
	}
	run.Redo = redo
	tokens := s.GitHub.Size()
	if len(a.Tokens(ctx)) == 0 && os.Getenv("GITHUB_APP_ID") == "" {
		tokens = 0
	}
	b, err := s.Budget(ctx, run, tokens)
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(b)
	}
	return b.Render(a.Out)
}

// crawlStage is the crawl as the folder configures it, and what it runs with.
func crawlStage(ctx context.Context, a *env.Env) (crawl.Stage, *pipeline.Run, error) {
	cur, err := a.Curator()
	if err != nil {
		return crawl.Stage{}, nil, err
	}
	db, err := a.OpenDatabase(ctx, cur)
	if err != nil {
		return crawl.Stage{}, nil, err
	}
	if err := rankFirst(ctx, a, cur, db); err != nil {
		return crawl.Stage{}, nil, err
	}
	list, err := walk.Stages(ctx, a, cur, db, walk.Flags{})
	if err != nil {
		return crawl.Stage{}, nil, err
	}
	for _, s := range list {
		if c, ok := s.(crawl.Stage); ok {
			return c, &pipeline.Run{Ledger: db, Log: a.Log(), Workers: cur.Config.Workers, Now: time.Now, Progress: a.Progress()}, nil
		}
	}
	return crawl.Stage{}, nil, errors.New("there is no stage crawl")
}

// rankFirst walks rank where nothing was ranked yet.
func rankFirst(ctx context.Context, a *env.Env, cur *env.Curator, db *store.DB) error {
	ranked, err := pipeline.Column(ctx, db, "SELECT ecosystem FROM ecosystems LIMIT 1")
	if err != nil || len(ranked) > 0 {
		return err
	}
	list, err := walk.Stages(ctx, a, cur, db, walk.Flags{})
	if err != nil {
		return err
	}
	return walk.Execute(ctx, a, cur, db, list[:1], false)
}
