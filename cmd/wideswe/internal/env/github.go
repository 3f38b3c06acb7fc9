package env

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/githubtest"
)

// GitHub returns the clients of a folder's GitHub, one for each token and each installation, and the tokens.
func (e *Env) GitHub(ctx context.Context, cur *Curator, api string, archive *github.Archive) (*github.Pool, []string,
	error) {
	tokens := e.Tokens(ctx)
	installed, err := githubApp(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	if cur.Config.GitHub.BaseURL == config.DemoURL {
		tokens, installed = nil, nil // the demo's GitHub is none of the token's business
	}
	pool, err := github.New(github.Options{BaseURL: api, Tokens: tokens, App: installed, Archive: archive, Log: e.Log()})
	return pool, tokens, err
}

// Hosts returns the API's address and where histories are fetched from, and starts the demo's GitHub where the
// configuration names it.
func (e *Env) Hosts(ctx context.Context, cur *Curator) (api string, histories git.Options, err error) {
	api, histories = cur.Config.GitHub.BaseURL, cur.Config.Git
	if api != config.DemoURL && histories.URLTemplate != config.DemoURL {
		return api, histories, nil
	}
	server, err := e.startDemo(ctx)
	if err != nil {
		return "", histories, err
	}
	if api == config.DemoURL {
		api = server.URL()
	}
	if histories.URLTemplate == config.DemoURL {
		histories.URLTemplate = server.GitTemplate()
	}
	return api, histories, nil
}

func (e *Env) startDemo(ctx context.Context) (*githubtest.Server, error) {
	dir, remove, err := pipeline.Scratch("", "demo")
	if err != nil {
		return nil, err
	}
	e.Defer(remove)
	server, err := githubtest.Start(ctx, data.Demo(), filepath.Join(dir, "repositories"))
	if err != nil {
		return nil, fmt.Errorf("starting the demo's GitHub: %w", err)
	}
	e.Defer(func() { _ = server.Close() })
	return server, nil
}

// Mirrors returns the folder's mirrors of git repositories.
func (e *Env) Mirrors(ctx context.Context, cur *Curator) (*git.Mirrors, error) {
	_, histories, err := e.Hosts(ctx, cur)
	if err != nil {
		return nil, err
	}
	return e.MirrorsOf(cur, histories), nil
}

// MirrorsOf returns the folder's mirrors of repositories.
func (e *Env) MirrorsOf(cur *Curator, histories git.Options) *git.Mirrors {
	return &git.Mirrors{Options: histories, Dir: cur.Folder.Mirrors(), Log: e.Log()}
}

// Tokens returns the GitHub tokens of the environment.
func (e *Env) Tokens(ctx context.Context) []string { return tokens(ctx, os.Getenv, ghToken) }

// tokens returns the GitHub tokens of the environment: GITHUB_TOKENS (several), GITHUB_TOKEN, or what gh is logged in
// with. This is the one place that reads them; they go to the API client and nowhere else.
func tokens(ctx context.Context, env func(string) string, gh func(context.Context) string) []string {
	var list []string
	for _, name := range []string{"GITHUB_TOKENS", "GITHUB_TOKEN"} {
		for _, t := range strings.FieldsFunc(env(name), func(r rune) bool { return r == ',' || r == ';' || r <= ' ' }) {
			if !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	if len(list) == 0 {
		if t := strings.TrimSpace(gh(ctx)); t != "" {
			list = append(list, t)
		}
	}
	return list
}

// ghToken asks the gh program for its token; without the program, or without a login, there is none.
func ghToken(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "gh", "auth", "token").Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// githubApp returns the GitHub App of the environment, nil where there is none: GITHUB_APP_ID, and GITHUB_APP_KEY, the
// name of the file with its private key.
func githubApp(env func(string) string) (*github.App, error) {
	id, file := env("GITHUB_APP_ID"), env("GITHUB_APP_KEY")
	switch {
	case id == "" && file == "":
		return nil, nil
	case id == "" || file == "":
		return nil, pipeline.Usage("a GitHub App needs both GITHUB_APP_ID and GITHUB_APP_KEY, the file with its private key")
	}
	key, err := os.ReadFile(file)
	if err != nil {
		return nil, pipeline.Usage("GITHUB_APP_KEY: %v", err)
	}
	return &github.App{ID: id, Key: key}, nil
}
