package mine

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/stages"
	"github.com/wideswe/wideswe/stages/crawl"
)

// crawlOptions holds the flags that only the stage crawl has.
type crawlOptions struct {
	env               *env.Env
	flags             *walk.Flags
	replay, dry, json bool
}

// extendCrawl adds to the stage's command what only the crawl has.
func extendCrawl(e *env.Env, c *cobra.Command, f *walk.Flags) {
	o := &crawlOptions{env: e, flags: f}
	runStage := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if o.replay {
			return o.replayPages(cmd.Context())
		}
		if o.dry {
			return o.printBudget(cmd.Context())
		}
		return runStage(cmd, args)
	}
	c.AddCommand(newAuditCommand(e))
	c.Flags().BoolVar(&o.replay, "replay", false, "rebuild the crawl's tables from the kept pages, without a request")
	c.Flags().BoolVar(&o.dry, "dry-run", false, "list the repositories, then say what a crawl would ask for, and stop")
	c.Flags().BoolVar(&o.json, "json", false, "--dry-run's answer as JSON")
	c.MarkFlagsMutuallyExclusive("replay", "dry-run")
	c.Example = `  wideswe -C DIR crawl
  wideswe -C DIR crawl --dry-run     # requests, hours and quota before they are spent
  wideswe -C DIR crawl audit         # is anything missing?
  wideswe -C DIR crawl --replay      # after .wideswe/wideswe.duckdb was deleted`
}

// replayPages rebuilds what the crawl stored. Which ecosystems there are is decided first where the database is new.
func (o *crawlOptions) replayPages(ctx context.Context) error {
	s, err := openRanked(ctx, o.env)
	if err != nil {
		return err
	}
	pages, err := github.OpenArchive(s.Pages())
	if err != nil {
		return err
	}
	stage := crawl.Stage{DB: s.DB, Options: s.Config.Crawl, Pages: pages}
	got, err := stage.Replay(ctx, s.NewRun(o.flags.Redo))
	if err != nil {
		return err
	}
	fmt.Fprintf(o.env.Err, "replay    %d pages and remarks read, %d of them never stored before, %d of other stages, %d "+
		"items stand\n",
		got.Entries, got.Dropped, got.Foreign, got.Items)
	s.TakeSnapshot(ctx)
	return nil
}

// printBudget prints what a crawl would ask for.
func (o *crawlOptions) printBudget(ctx context.Context) error {
	s, stage, err := openCrawl(ctx, o.env)
	if err != nil {
		return err
	}
	tokens := stage.GitHub.Size()
	if len(o.env.Tokens(ctx)) == 0 && os.Getenv("GITHUB_APP_ID") == "" {
		tokens = 0
	}
	b, err := stage.Budget(ctx, s.NewRun(o.flags.Redo), tokens)
	if err != nil {
		return err
	}
	if o.json {
		return o.env.PrintJSON(b)
	}
	return b.Render(o.env.Out)
}

// openCrawl opens the folder, and the stage crawl as it is configured.
func openCrawl(ctx context.Context, e *env.Env) (*walk.Session, crawl.Stage, error) {
	s, err := openRanked(ctx, e)
	if err != nil {
		return nil, crawl.Stage{}, err
	}
	deps, err := s.Deps(ctx)
	return s, stages.Crawl(deps), err
}

// openRanked opens the folder. The stage rank runs where nothing was ranked yet.
func openRanked(ctx context.Context, e *env.Env) (*walk.Session, error) {
	s, err := walk.Open(ctx, e, walk.Flags{})
	if err != nil {
		return nil, err
	}
	return s, s.RankFirst(ctx)
}
