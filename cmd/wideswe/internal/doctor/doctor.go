// Package doctor is the command wideswe doctor: it checks that what work needs is there before work starts.
package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
)

// NewCommand returns wideswe doctor.
func NewCommand(e *env.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check Docker, disk, token, clock and git before work starts",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), e, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func run(ctx context.Context, e *env.Env, asJSON bool) error {
	cur, err := e.Curator()
	if err != nil {
		return err
	}
	checks := diagnose(ctx, e, cur)
	if asJSON {
		err = json.NewEncoder(e.Out).Encode(checks)
	} else {
		err = printChecks(e, checks)
	}
	if err != nil {
		return err
	}
	for _, c := range checks {
		if !c.OK {
			return &exit.Error{Code: exit.Missing, Text: "something needed is missing; the lines marked no say what to do"}
		}
	}
	return nil
}

func printChecks(e *env.Env, checks []sandbox.Check) error {
	for _, c := range checks {
		mark := "ok"
		if !c.OK {
			mark = "no"
		}
		if _, err := fmt.Fprintf(e.Out, "%s  %-8s %s\n", mark, c.Name, c.Detail); err != nil {
			return err
		}
	}
	return nil
}

func diagnose(ctx context.Context, e *env.Env, cur *env.Curator) []sandbox.Check {
	api := cur.Config.GitHub.BaseURL
	host := checkHost(ctx, api, time.Now)
	checks := []sandbox.Check{checkGit(ctx), checkDisk(cur.Dir), checkTokens(ctx, api, e.Tokens(ctx), host.OK), host}
	if cur.Config.Validate.Sandbox == "docker" {
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
	c := sandbox.Check{Name: "disk", OK: err == nil && free >= lowDisk, Detail: fmt.Sprintf("%d GB free at %s", free>>30,
		dir)}
	if err != nil {
		c.Detail = err.Error()
	} else if !c.OK {
		c.Detail += "; mirrors and images want at least 10 GB"
	}
	return c
}
