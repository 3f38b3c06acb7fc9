package env

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/githubtest"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
)

// Layers walks an image's layers, for the search for leaks.
func (l *lazyDocker) Layers(ctx context.Context, image, base string, visit func(layer string, h *tar.Header, r io.Reader) error) error {
	d, err := l.open(ctx)
	if err != nil {
		return err
	}
	return d.Layers(ctx, image, base, visit)
}

// github makes the clients of a folder's GitHub, one a token and one an installation.
func (a *Env) GitHub(ctx context.Context, cur *Curator, api string, archive *github.Archive) (*github.Pool, []string, error) {
	tokens := a.Tokens(ctx)
	installed, err := githubApp(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	if cur.Config.GitHub.APIURL == config.DemoURL {
		tokens, installed = nil, nil // the demo's GitHub is none of the token's business
	}
	pool, err := github.New(github.Options{BaseURL: api, Tokens: tokens, App: installed, Archive: archive, Log: a.Log()})
	return pool, tokens, err
}

// hosts gives the API's address and the form of git URLs, starting the demo's
// GitHub where the configuration names it.
func (a *Env) Hosts(ctx context.Context, cur *Curator) (api, template string, err error) {
	api, template = cur.Config.GitHub.APIURL, cur.Config.Git.URLTemplate
	if api != config.DemoURL && template != config.DemoURL {
		return api, template, nil
	}
	dir, remove, err := pipeline.Scratch("", "demo")
	if err != nil {
		return "", "", err
	}
	a.Defer(remove)
	server, err := githubtest.Start(ctx, data.Demo(), filepath.Join(dir, "repositories"))
	if err != nil {
		return "", "", fmt.Errorf("starting the demo's GitHub: %w", err)
	}
	a.Defer(func() { _ = server.Close() })
	if api == config.DemoURL {
		api = server.URL()
	}
	if template == config.DemoURL {
		template = server.GitTemplate()
	}
	return api, template, nil
}

// runner makes what runs tests: by the folder's settings.
func (a *Env) Runner(cur *Curator, backend string) (*testrun.Runner, error) {
	c := cur.Config
	if backend == "" {
		backend = c.Validate.Sandbox
	}
	b, err := a.Backend(backend)
	if err != nil {
		return nil, err
	}
	env, files, err := BuildInputs(c.Build.Env, c.Build.Files)
	if err != nil {
		return nil, err
	}
	return &testrun.Runner{Backend: b, Images: c.Images, BuildEnv: env, BuildFiles: files, Log: a.Log(),
		Lock: testrun.OpenImageLock(filepath.Join(cur.Dir, "images.lock")), BuildLogs: filepath.Join(cur.Logs(), "images"),
		Limits: sandbox.Limits{Memory: int64(c.Validate.Memory), CPUs: c.Validate.CPUs, Pids: c.Validate.PIDs, Disk: int64(c.Validate.Disk), Timeout: c.Validate.Timeout.Duration}}, nil
}

// buildInputs reads what image builds may see. A variable that is not set is
// left out: not every machine is behind a proxy.
func BuildInputs(names, paths []string) (map[string]string, map[string][]byte, error) {
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

func (a *Env) Backend(name string) (sandbox.Backend, error) {
	switch name {
	case "docker":
		return &lazyDocker{later: a.Defer}, nil
	case "process":
		return sandbox.OpenProcess(context.Background()), nil
	}
	return nil, pipeline.Usage("--sandbox %q; write docker or process", name)
}

// lazyDocker connects when something is to be run: a run that has nothing to
// validate needs no engine.
type lazyDocker struct {
	later func(func())
	mu    sync.Mutex
	d     *sandbox.Docker
}

func (l *lazyDocker) open(ctx context.Context) (*sandbox.Docker, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.d != nil {
		return l.d, nil
	}
	d, err := sandbox.OpenDocker(ctx)
	if err != nil {
		return nil, err
	}
	l.later(func() { _ = d.Close() })
	l.d = d
	return d, nil
}

func (l *lazyDocker) Name() string { return "docker" }

func (l *lazyDocker) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	d, err := l.open(ctx)
	if err != nil {
		return sandbox.Result{}, err
	}
	return d.Run(ctx, s)
}

func (l *lazyDocker) FindImage(ctx context.Context, key string) (sandbox.Image, error) {
	d, err := l.open(ctx)
	if err != nil {
		return sandbox.Image{}, err
	}
	return d.FindImage(ctx, key)
}

func (l *lazyDocker) ImageID(ctx context.Context, name string) (string, error) {
	d, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	return d.ImageID(ctx, name)
}

func (l *lazyDocker) BuildImage(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	d, err := l.open(ctx)
	if err != nil {
		return sandbox.Image{}, err
	}
	return d.BuildImage(ctx, s)
}

func (l *lazyDocker) Platform(ctx context.Context) (string, error) {
	d, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	return d.Platform(ctx)
}

func (l *lazyDocker) ImageBytes(ctx context.Context, id string) (int64, error) {
	d, err := l.open(ctx)
	if err != nil {
		return 0, err
	}
	return d.ImageBytes(ctx, id)
}
