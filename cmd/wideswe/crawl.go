package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages/crawl"
)

// crawlFlags are the crawl's own.
type crawlFlags struct{ replay, dry, json bool }

// extendCrawl adds to the stage's command what only the crawl has.
func extendCrawl(a *app, c *cobra.Command, f *runFlags) {
	var own crawlFlags
	walk := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if own.replay {
			return replayCrawl(cmd.Context(), a, f.redo)
		}
		if own.dry {
			return printCrawlBudget(cmd.Context(), a, f.redo, own.json)
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
func replayCrawl(ctx context.Context, a *app, redo bool) error {
	cur, err := a.curator()
	if err != nil {
		return err
	}
	db, err := a.open(ctx, cur)
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
	s := crawl.Stage{DB: db, Pages: pages, Since: cur.config.Crawl.Since.Time, Refresh: cur.config.Crawl.Refresh.Duration,
		FullPass: cur.config.Crawl.FullPass.Duration, Landed: cur.config.Crawl.LandedByBot}
	got, err := s.Replay(ctx, &pipeline.Run{Ledger: db, Log: a.log(), Redo: redo, Now: time.Now, Progress: a.progress()})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "replay    %d pages and remarks read, %d of them never stored before, %d of other stages, %d items stand\n",
		got.Entries, got.Dropped, got.Foreign, got.Items)
	takeSnapshot(ctx, a, cur, db)
	return nil
}

// budget says what a crawl would ask for.
func printCrawlBudget(ctx context.Context, a *app, redo, asJSON bool) error {
	s, run, err := crawlStage(ctx, a)
	if err != nil {
		return err
	}
	run.Redo = redo
	tokens := s.GitHub.Size()
	if len(a.tokens(ctx)) == 0 && os.Getenv("GITHUB_APP_ID") == "" {
		tokens = 0
	}
	b, err := s.Budget(ctx, run, tokens)
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(b)
	}
	return b.Render(a.out)
}

// crawlStage is the crawl as the folder configures it, and what it runs with.
func crawlStage(ctx context.Context, a *app) (crawl.Stage, *pipeline.Run, error) {
	cur, err := a.curator()
	if err != nil {
		return crawl.Stage{}, nil, err
	}
	db, err := a.open(ctx, cur)
	if err != nil {
		return crawl.Stage{}, nil, err
	}
	if err := rankFirst(ctx, a, cur, db); err != nil {
		return crawl.Stage{}, nil, err
	}
	list, err := wireStages(ctx, a, cur, db, runFlags{})
	if err != nil {
		return crawl.Stage{}, nil, err
	}
	for _, s := range list {
		if c, ok := s.(crawl.Stage); ok {
			return c, &pipeline.Run{Ledger: db, Log: a.log(), Workers: cur.config.Workers, Now: time.Now, Progress: a.progress()}, nil
		}
	}
	return crawl.Stage{}, nil, errors.New("there is no stage crawl")
}

// rankFirst walks rank where nothing was ranked yet.
func rankFirst(ctx context.Context, a *app, cur *curator, db *store.DB) error {
	ranked, err := pipeline.Column(ctx, db, "SELECT ecosystem FROM ecosystems LIMIT 1")
	if err != nil || len(ranked) > 0 {
		return err
	}
	list, err := wireStages(ctx, a, cur, db, runFlags{})
	if err != nil {
		return err
	}
	return executeStages(ctx, a, cur, db, list[:1], false)
}
