package stages

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/assemble"
	"github.com/wideswe/wideswe/stages/balance"
	"github.com/wideswe/wideswe/stages/crawl"
	"github.com/wideswe/wideswe/stages/dedupe"
	"github.com/wideswe/wideswe/stages/export"
	"github.com/wideswe/wideswe/stages/group"
	"github.com/wideswe/wideswe/stages/inspect"
	"github.com/wideswe/wideswe/stages/link"
	"github.com/wideswe/wideswe/stages/rank"
	"github.com/wideswe/wideswe/stages/review"
	"github.com/wideswe/wideswe/stages/validate"
)

// Deps is what the stages of a curator's folder are given.
type Deps struct {
	DB      pipeline.DB
	Folder  folder.Folder
	GitHub  *github.Pool
	Pages   *github.Archive // what GitHub answered
	Mirrors *git.Mirrors
	Runner  *testrun.Runner
	Log     *slog.Logger
	Bill    io.Writer // is told what inspect will ask of the host, before it does

	Ecosystems  []schema.EcosystemConfig
	Rank        rank.Options
	Crawl       crawl.Options
	Group       group.Options
	Inspect     inspect.Options
	Validate    validate.Options
	Export      export.Options
	Out         string                      // the release's folder
	WithSources bool                        // the release holds every repository's sources
	ImagesBuilt func(context.Context) error // is called after validate built images
	Secrets     []string                    // tokens in use, which no release may hold
}

// All lists the stages of a curator's folder in order, one line each. evaluate
// and report follow an export and are given theirs by their own commands.
func All(d Deps) []pipeline.Stage {
	decisions := func(context.Context) ([]schema.Decision, error) { return d.Folder.Decisions() }
	selection := func(context.Context) (schema.Selection, error) { return d.Folder.Selection() }
	listed := func(context.Context) ([]schema.ListedEcosystem, error) { return d.Folder.Ecosystems() }
	ranking := func(context.Context) (schema.Ranking, bool, error) { return d.Folder.Ranking(d.Rank.RankingFile) }
	return []pipeline.Stage{
		rank.Stage{DB: d.DB, Ecosystems: d.Ecosystems, Options: d.Rank, Listed: listed, Ranking: ranking},
		Crawl(d),
		link.Stage{DB: d.DB},
		group.Stage{DB: d.DB, Options: d.Group, Decisions: decisions},
		dedupe.Stage{DB: d.DB, PatchID: patchID(d)},
		inspect.Stage{DB: d.DB, Options: d.Inspect, Mirrors: d.Mirrors, API: d.GitHub, Bill: d.Bill},
		review.Stage{DB: d.DB, Folder: d.Folder},
		assemble.Stage{DB: d.DB, Mirrors: d.Mirrors, Prompts: filepath.Join(d.Folder.Dir, "prompts")},
		Validate(d),
		balance.Stage{DB: d.DB, Files: d.Folder},
		export.Stage{DB: d.DB, Git: &export.Mirrors{Mirrors: d.Mirrors}, Options: d.Export, Out: d.Out,
			WithSources: d.WithSources, Selection: selection, Secrets: d.Secrets},
	}
}

// Crawl returns the stage crawl, which can also audit and replay what it stored.
func Crawl(d Deps) crawl.Stage {
	return crawl.Stage{DB: d.DB, GitHub: d.GitHub, Options: d.Crawl, Pages: d.Pages}
}

// Validate returns the stage validate, which can also look for leaks.
func Validate(d Deps) validate.Stage {
	return validate.Stage{DB: d.DB, Trees: &export.Mirrors{Mirrors: d.Mirrors}, Runner: d.Runner, Recipe: d.Folder.Recipe,
		Options: d.Validate, Built: d.ImagesBuilt, Logs: d.Folder.Logs(), TempDir: d.Folder.Temp(), Released: released(d)}
}

// released asks a repository's history when the commit of a version was made.
func released(d Deps) func(context.Context, string, string) (time.Time, bool, error) {
	return func(ctx context.Context, repository, version string) (time.Time, bool, error) {
		r, err := d.Mirrors.Mirror(ctx, repository)
		if err != nil {
			return time.Time{}, false, err
		}
		return r.VersionTime(ctx, version)
	}
}
