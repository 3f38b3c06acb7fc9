package mine

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/rank"
)

// rankOptions holds the flags that only the stage rank has.
type rankOptions struct {
	env   *env.Env
	flags *walk.Flags
	from  string
}

// extendRank lets the stage's command make the ranking that it then screens.
func extendRank(e *env.Env, c *cobra.Command, f *walk.Flags) {
	o := &rankOptions{env: e, flags: f}
	runStage := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch o.from {
		case "file":
		case "search", "pages":
			if err := o.makeRanking(cmd.Context()); err != nil {
				return err
			}
		default:
			return pipeline.Usage("--from %q; write file, search or pages", o.from)
		}
		return runStage(cmd, args)
	}
	c.Flags().StringVar(&o.from, "from", "file",
		"where the ranking comes from: the file rank.ranking, or made now by the search API or from ranking pages")
	c.Long = `Decide which ecosystems are kept. Those of wideswe.yaml are kept as configured. The
organizations of a ranking are screened by the rules under rank; which of those that
pass are one product, platform or technology is your verdict in ecosystems.yaml.

A ranking is a dated file, since no later question brings it back. --from search adds
up stars by GitHub's search API (about half an hour of the search limit, then a few
thousand lists); --from pages reads rank.pages_url, and GitHub for what the pages don't
say. Both write rank.ranking once, and never replace it. A run that was stopped goes on
with the pages it has, for a day; --redo asks for all of them again.`
	c.Example = `  wideswe -C DIR rank --from search
  wideswe -C DIR rank                # screens the file again, after verdicts or rules changed
  wideswe -C DIR sql -c "SELECT ecosystem, stars, reason FROM ecosystems WHERE NOT kept ORDER BY stars DESC"`
}

// makeRanking makes a ranking and writes its file.
func (o *rankOptions) makeRanking(ctx context.Context) error {
	cur, err := o.env.CuratorToRank()
	if err != nil {
		return err
	}
	file := cur.Config.Rank.RankingFile
	if file == "" {
		return pipeline.Usage("rank.ranking is empty in wideswe.yaml; name the file that keeps the ranking, such as " +
			"ranking.yaml")
	}
	if err := cur.NoRanking(file); err != nil {
		return err
	}
	ranking, err := o.rank(ctx, cur)
	if err != nil {
		return err
	}
	if err := cur.WriteRanking(file, ranking); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.env.Out, "%s: %d organizations by their stars on %s\n",
		filepath.Join(cur.Dir, file), len(ranking.Organizations), ranking.Date)
	return err
}

// resumeWithin is how long the pages of a ranking that was begun are good for it.
const resumeWithin = 24 * time.Hour

// rank makes a ranking, and resumes one that was begun.
func (o *rankOptions) rank(ctx context.Context, cur *env.Curator) (schema.Ranking, error) {
	api, _, err := o.env.Hosts(ctx, cur)
	if err != nil {
		return schema.Ranking{}, err
	}
	// Apart from the crawl's pages, which are many and say nothing of rankings.
	archive, err := github.OpenArchive(filepath.Join(cur.State(), "ranking-pages"))
	if err != nil {
		return schema.Ranking{}, err
	}
	pool, _, err := o.env.GitHub(ctx, cur, api, archive)
	if err != nil {
		return schema.Ranking{}, err
	}
	since := time.Now().Add(-resumeWithin)
	if o.flags.Redo {
		since = time.Now()
	}
	kept, err := rank.OpenKept(ctx, archive, since)
	if err != nil {
		return schema.Ranking{}, err
	}
	if kept.Size() > 0 {
		fmt.Fprintf(o.env.Err, "rank      goes on with %d pages of %s\n", kept.Size(),
			kept.Began(since).Format(time.DateTime))
	}
	options, now := cur.Config.Rank, func() time.Time { return kept.Began(time.Now()) }
	asked, workers := kept.GitHub(api, pool), max(cur.Config.Workers, pool.Size())
	if o.from == "search" {
		return rank.Search{Options: options, GitHub: asked, Workers: workers, Now: now, Log: o.env.Log(),
			Progress: o.env.Progress()}.Rank(ctx)
	}
	site := rank.Site{Client: &http.Client{Timeout: time.Minute}, Pause: time.Second, Keep: keepPage(archive)}
	return rank.Pages{Options: options, Get: kept.Site(site.Get), GitHub: asked, Workers: workers, Now: now,
		Log:      o.env.Log(),
		Progress: o.env.Progress()}.Rank(ctx)
}

// keepPage returns a function that keeps a site's page as it came.
func keepPage(archive *github.Archive) func(string, []byte) error {
	return func(address string, body []byte) error {
		_, err := archive.Put(&github.Page{URL: address, Status: http.StatusOK, Body: body, FetchedAt: time.Now()})
		return err
	}
}
