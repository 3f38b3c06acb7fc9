package database

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/stages/assemble"
)

func NewCheckCommand(a *env.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "check", Args: cobra.NoArgs,
		Short: "Check the database's rules; check splits proves base, gold and hidden tests of whole repositories",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cur, err := a.Curator()
			if err != nil {
				return err
			}
			db, err := a.ReadDatabase(cmd.Context(), cur)
			if err != nil {
				return err
			}
			broken, err := db.Check(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				if err := a.PrintJSON(map[string]any{"holds": len(broken) == 0, "broken": append([]string{}, broken...)}); err != nil {
					return err
				}
			}
			if len(broken) > 0 {
				return fmt.Errorf("rules that do not hold: %s; schema/checks has the queries", strings.Join(broken, ", "))
			}
			if !asJSON {
				_, err = fmt.Fprintln(a.Out, "every rule holds")
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.AddCommand(newCheckSplitsCommand(a))
	return c
}

func newCheckSplitsCommand(a *env.Env) *cobra.Command {
	var since string
	var asJSON bool
	c := &cobra.Command{
		Use: "splits OWNER/NAME…", Args: cobra.MinimumNArgs(1),
		Short: "Prove tree(base + gold patch + hidden tests) = gold tree for every merged pull of repositories",
		RunE: func(cmd *cobra.Command, args []string) error {
			cur, err := a.Curator()
			if err != nil {
				return err
			}
			d := config.Date{Time: cur.Config.Crawl.Since.Time}
			if since != "" {
				if err := d.UnmarshalYAML([]byte(since)); err != nil {
					return pipeline.Usage("--since: %v", err)
				}
			}
			_, template, err := a.Hosts(cmd.Context(), cur)
			if err != nil {
				return err
			}
			mirrors := &git.Mirrors{Dir: cur.Mirrors(), URLTemplate: template, Log: a.Log()}
			for _, repository := range args {
				if err := folder.CheckRepository(repository); err != nil {
					return pipeline.Usage("%v", err)
				}
				if err := auditSplits(a, cmd, mirrors, repository, d.Time, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&since, "since", "", "pulls merged from this day on (default: crawl.since)")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func auditSplits(a *env.Env, cmd *cobra.Command, mirrors *git.Mirrors, repository string, since time.Time, asJSON bool) error {
	ctx := cmd.Context()
	repo, err := mirrors.Mirror(ctx, repository)
	if err != nil {
		return err
	}
	pulls, err := assemble.MergedIn(ctx, repo, since)
	if err != nil {
		return err
	}
	var tick func(int)
	if bar := a.Progress(); bar != nil {
		b := bar(repository, len(pulls))
		defer b.Close()
		tick = func(int) { b.Add(1) }
	}
	audit, err := assemble.AuditPulls(ctx, repo, pulls, tick)
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(audit)
	}
	fmt.Fprintf(a.Out, "%s: %d pulls checked, %d equal, %d of them by the merge commit\n", repository, audit.Checked, audit.Equal, audit.Noted)
	for _, e := range audit.Exceptions {
		fmt.Fprintf(a.Out, "  %s: %s\n", e.Pull, e.Cause)
	}
	return nil
}
