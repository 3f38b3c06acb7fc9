package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check Docker, disk, token, clock and git before work starts",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cur, err := a.curator()
			if err != nil {
				return err
			}
			checks := a.diagnose(cmd.Context(), cur)
			if asJSON {
				err = json.NewEncoder(a.out).Encode(checks)
			} else {
				err = a.printChecks(checks)
			}
			if err != nil {
				return err
			}
			for _, c := range checks {
				if !c.OK {
					return &exitError{exitNeed, "something needed is missing; the lines marked no say what to do"}
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) printChecks(checks []sandbox.Check) error {
	for _, c := range checks {
		mark := "ok"
		if !c.OK {
			mark = "no"
		}
		if _, err := fmt.Fprintf(a.out, "%s  %-8s %s\n", mark, c.Name, c.Detail); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) diagnose(ctx context.Context, cur *curator) []sandbox.Check {
	api := cur.config.GitHub.APIURL
	host := checkHost(ctx, api, time.Now)
	checks := []sandbox.Check{checkGit(ctx), checkDisk(cur.Dir), checkTokens(ctx, api, a.tokens(ctx), host.OK), host}
	if cur.config.Validate.Sandbox == "docker" {
		checks = append(checks, docker.CheckMachine(ctx)...)
	}
	return checks
}

// checkGit wants merge-tree --write-tree, which came with 2.38.
func checkGit(ctx context.Context) sandbox.Check {
	c := sandbox.Check{Name: "git"}
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	m, _ := strconv.Atoi(major)
	n, _ := strconv.Atoi(minor)
	switch {
	case err != nil:
		c.Detail = "git is not installed; install it"
	case m < 2 || m == 2 && n < 38:
		c.Detail = version + " is too old; install 2.38 or newer"
	default:
		c.OK, c.Detail = true, version
	}
	return c
}

// lowDisk is too little for one image with its caches.
const lowDisk = 10 << 30

func checkDisk(dir string) sandbox.Check {
	free, err := freeBytes(dir)
	c := sandbox.Check{Name: "disk", OK: err == nil && free >= lowDisk, Detail: fmt.Sprintf("%d GB free at %s", free>>30, dir)}
	if err != nil {
		c.Detail = err.Error()
	} else if !c.OK {
		c.Detail += "; mirrors and images want at least 10 GB"
	}
	return c
}

// checkTokens asks with each token for its limits, which costs none of them, where
// the host answers at all.
func checkTokens(ctx context.Context, api string, tokens []string, answers bool) sandbox.Check {
	c := sandbox.Check{Name: "token"}
	switch {
	case api == demoURL:
		c.OK, c.Detail = true, "the demo's GitHub wants none"
		return c
	case len(tokens) == 0:
		c.Detail = "none; export GITHUB_TOKEN or run gh auth login (without one GitHub allows 60 requests an hour)"
		return c
	case !answers:
		c.OK, c.Detail = true, fmt.Sprintf("%d found, not tried", len(tokens))
		return c
	}
	for i, t := range tokens {
		var refused *pipeline.NeedError
		if err := tryToken(ctx, api, t); errors.As(err, &refused) {
			c.Detail = fmt.Sprintf("%s refuses token %d of %d; check GITHUB_TOKEN, GITHUB_TOKENS or gh auth status, and that it has not expired", api, i+1, len(tokens))
			return c
		}
	}
	c.OK, c.Detail = true, fmt.Sprintf("%d found", len(tokens))
	return c
}

// tryToken's error is a [pipeline.NeedError] where the host refuses the token.
func tryToken(ctx context.Context, api, token string) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	pool, err := github.New(github.Options{BaseURL: api, Tokens: []string{token}})
	if err != nil {
		return err
	}
	_, _, err = pool.Get(ctx, "", "rate_limit")
	if err != nil && ctx.Err() == nil && !github.IsTrouble(err) {
		return err
	}
	return nil
}

// checkHost asks for the API's front page: does it answer, and is our clock right?
// Limits name their end by the host's clock.
func checkHost(ctx context.Context, api string, now func() time.Time) sandbox.Check {
	c := sandbox.Check{Name: "clock"}
	if api == demoURL {
		return sandbox.Check{Name: "clock", OK: true, Detail: "the demo's GitHub is in this process"}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, api, nil)
	if err != nil {
		c.Detail = fmt.Sprintf("github.api_url %q is not a URL", api)
		return c
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Detail = fmt.Sprintf("%s does not answer: %v", api, err)
		return c
	}
	resp.Body.Close()
	host, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return sandbox.Check{Name: "clock", OK: true, Detail: api + " answers; it tells no time"}
	}
	off := now().Sub(host).Abs().Round(time.Second)
	c.OK, c.Detail = off < 2*time.Minute, fmt.Sprintf("%s answers; this clock is %s off", api, off)
	if !c.OK {
		c.Detail += "; set it"
	}
	return c
}
