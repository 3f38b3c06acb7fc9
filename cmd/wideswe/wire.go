package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/githubtest"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages"
	"github.com/wideswe/wideswe/stages/export"
	"github.com/wideswe/wideswe/stages/group"
	"github.com/wideswe/wideswe/stages/rank"
)

// stages gives the stages of a folder everything its configuration says.
func (a *app) stages(ctx context.Context, cur *curator, db *store.DB, f runFlags) ([]pipeline.Stage, error) {
	c := cur.config
	api, template, err := a.hosts(ctx, cur)
	if err != nil {
		return nil, err
	}
	archive, err := github.OpenArchive(cur.Pages())
	if err != nil {
		return nil, err
	}
	pool, tokens, err := a.github(ctx, cur, api, archive)
	if err != nil {
		return nil, err
	}
	runner, err := a.runner(cur, f.sandbox)
	if err != nil {
		return nil, err
	}
	runner.Lock.Renew = f.updateImages
	out := f.export.Out
	if out == "" {
		out = cur.Release()
	}
	return stages.All(stages.Deps{
		DB: db, Folder: cur.Folder, GitHub: pool, Pages: archive, Log: a.log(), Bill: a.err, Runner: runner,
		Mirrors:    &git.Mirrors{Dir: cur.Mirrors(), URLTemplate: template, Log: a.log()},
		Ecosystems: c.Ecosystems, Ranking: c.Rank.Ranking,
		Rank: rank.Rules{Organizations: c.Rank.Organizations, TopRepositories: c.Rank.TopRepositories,
			MinRepositories: c.Rank.MinRepositories, ActiveMonths: c.Rank.ActiveMonths},
		Since: c.Crawl.Since.Time, Refresh: c.Crawl.Refresh.Duration, FullPass: c.Crawl.FullPass.Duration, Landed: c.Crawl.LandedByBot,
		Group: group.Config{WindowDays: c.Group.WindowDays, MaxPulls: c.Group.MaxPulls, MaxRepositories: c.Group.MaxRepositories,
			MaxSpanDays: c.Group.MaxSpanDays, HubRepositories: c.Group.HubRepositories, TrackerPulls: c.Group.TrackerPulls},
		LatestMergeSince: c.Review.LatestMergeSince.Time, Repeats: cmp.Or(f.repeats, c.Validate.Repeats),
		Stress: f.stress || c.Validate.Stress, ValidateWorkers: c.Validate.Workers, ImagesBuilt: a.imageBudget(cur),
		Export: export.Config{Name: c.Export.Name, Version: c.Export.Version, Out: out, WithSources: f.export.WithSources || c.GitHub.APIURL == demoURL,
			Context: contextRule(c.Export.Context), AllowCredentials: c.Export.AllowCredentials,
			TimeLimit: schema.TimeLimit{Factor: c.Export.TimeFactor, Floor: c.Export.TimeFloor.Seconds()}},
		Secrets: tokens,
	}), nil
}

// github makes the clients of a folder's GitHub, one a token and one an installation.
func (a *app) github(ctx context.Context, cur *curator, api string, archive *github.Archive) (*github.Pool, []string, error) {
	tokens := a.tokens(ctx)
	installed, err := githubApp(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	if cur.config.GitHub.APIURL == demoURL {
		tokens, installed = nil, nil // the demo's GitHub is none of the token's business
	}
	pool, err := github.New(github.Options{BaseURL: api, Tokens: tokens, App: installed, Archive: archive, Log: a.log()})
	return pool, tokens, err
}

func contextRule(word string) string {
	if word == "nearest" {
		return export.ContextNearest
	}
	return export.ContextEcosystem
}

// hosts gives the API's address and the form of git URLs, starting the demo's
// GitHub where the configuration names it.
func (a *app) hosts(ctx context.Context, cur *curator) (api, template string, err error) {
	api, template = cur.config.GitHub.APIURL, cur.config.Git.URLTemplate
	if api != demoURL && template != demoURL {
		return api, template, nil
	}
	dir, remove, err := pipeline.Scratch("", "demo")
	if err != nil {
		return "", "", err
	}
	a.later(remove)
	server, err := githubtest.Start(ctx, data.Demo(), filepath.Join(dir, "repositories"))
	if err != nil {
		return "", "", fmt.Errorf("starting the demo's GitHub: %w", err)
	}
	a.later(func() { _ = server.Close() })
	if api == demoURL {
		api = server.URL()
	}
	if template == demoURL {
		template = server.GitTemplate()
	}
	return api, template, nil
}

// runner makes what runs tests: by the folder's settings.
func (a *app) runner(cur *curator, backend string) (*testrun.Runner, error) {
	c := cur.config
	if backend == "" {
		backend = c.Validate.Sandbox
	}
	b, err := a.backend(backend)
	if err != nil {
		return nil, err
	}
	env, files, err := buildInputs(c.Build.Env, c.Build.Files)
	if err != nil {
		return nil, err
	}
	return &testrun.Runner{Backend: b, Images: c.Images, BuildEnv: env, BuildFiles: files, Log: a.log(),
		Lock: testrun.OpenImageLock(filepath.Join(cur.Dir, "images.lock")), BuildLogs: filepath.Join(cur.Logs(), "images"),
		Limits: sandbox.Limits{Memory: int64(c.Validate.Memory), CPUs: c.Validate.CPUs, Pids: c.Validate.PIDs, Disk: int64(c.Validate.Disk), Timeout: c.Validate.Timeout.Duration}}, nil
}

// buildInputs reads what image builds may see. A variable that is not set is
// left out: not every machine is behind a proxy.
func buildInputs(names, paths []string) (map[string]string, map[string][]byte, error) {
	env, files := map[string]string{}, map[string][]byte{}
	for _, n := range names {
		if v, ok := os.LookupEnv(n); ok {
			env[n] = v
		}
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, nil, pipeline.Usage("build.files: %v; remove it from wideswe.yaml or put the file there", err)
		}
		files[p] = b
	}
	return env, files, nil
}

func (a *app) backend(name string) (sandbox.Backend, error) {
	switch name {
	case "docker":
		d := &docker.Lazy{}
		a.later(func() { _ = d.Close() })
		return d, nil
	case "process":
		return process.Open(registry.HostCaches(context.Background())), nil
	}
	return nil, pipeline.Usage("--sandbox %q; write docker or process", name)
}
