package walk

import (
	"cmp"
	"context"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/images"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages"
	"github.com/wideswe/wideswe/stages/export"
	"github.com/wideswe/wideswe/stages/group"
	"github.com/wideswe/wideswe/stages/rank"
)

// stages gives the stages of a folder everything its configuration says.
func Stages(ctx context.Context, a *env.Env, cur *env.Curator, db *store.DB, f Flags) ([]pipeline.Stage, error) {
	c := cur.Config
	api, template, err := a.Hosts(ctx, cur)
	if err != nil {
		return nil, err
	}
	archive, err := github.OpenArchive(cur.Pages())
	if err != nil {
		return nil, err
	}
	pool, tokens, err := a.GitHub(ctx, cur, api, archive)
	if err != nil {
		return nil, err
	}
	runner, err := a.Runner(cur, f.Sandbox)
	if err != nil {
		return nil, err
	}
	runner.Lock.Renew = f.updateImages
	out := f.export.Out
	if out == "" {
		out = cur.Release()
	}
	return stages.All(stages.Deps{
		DB: db, Folder: cur.Folder, GitHub: pool, Pages: archive, Log: a.Log(), Bill: a.Err, Runner: runner,
		Mirrors:    &git.Mirrors{Dir: cur.Mirrors(), URLTemplate: template, Log: a.Log()},
		Ecosystems: c.Ecosystems, Ranking: c.Rank.Ranking,
		Rank: rank.Rules{Organizations: c.Rank.Organizations, TopRepositories: c.Rank.TopRepositories,
			MinRepositories: c.Rank.MinRepositories, ActiveMonths: c.Rank.ActiveMonths},
		Since: c.Crawl.Since.Time, Refresh: c.Crawl.Refresh.Duration, FullPass: c.Crawl.FullPass.Duration, Landed: c.Crawl.LandedByBot,
		Group: group.Config{WindowDays: c.Group.WindowDays, MaxPulls: c.Group.MaxPulls, MaxRepositories: c.Group.MaxRepositories,
			MaxSpanDays: c.Group.MaxSpanDays, HubRepositories: c.Group.HubRepositories, TrackerPulls: c.Group.TrackerPulls},
		LatestMergeSince: c.Review.LatestMergeSince.Time, Repeats: cmp.Or(f.repeats, c.Validate.Repeats),
		Stress: f.stress || c.Validate.Stress, ValidateWorkers: c.Validate.Workers, ImagesBuilt: images.Budget(a, cur),
		Export: export.Config{Name: c.Export.Name, Version: c.Export.Version, Out: out, WithSources: f.export.WithSources || c.GitHub.APIURL == config.DemoURL,
			Context: contextRule(c.Export.Context), AllowCredentials: c.Export.AllowCredentials,
			TimeLimit: schema.TimeLimit{Factor: c.Export.TimeFactor, Floor: c.Export.TimeFloor.Seconds()}},
		Secrets: tokens,
	}), nil
}

func contextRule(word string) string {
	if word == "nearest" {
		return export.ContextNearest
	}
	return export.ContextEcosystem
}
