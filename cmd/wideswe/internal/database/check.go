package database

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/stages/assemble"
)

// NewCheckCommand returns wideswe check.
func NewCheckCommand(e *env.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "check", Args: cobra.NoArgs,
		Short: "Check the database's rules; check splits proves base, gold and hidden tests of whole repositories",
		RunE:  func(cmd *cobra.Command, _ []string) error { return check(cmd.Context(), e, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.AddCommand(newCheckSplitsCommand(e))
	return c
}

func check(ctx context.Context, e *env.Env, asJSON bool) error {
	_, db, err := e.ReadFolderDatabase(ctx)
	if err != nil {
		return err
	}
	broken, err := db.Check(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		if err := e.PrintJSON(map[string]any{"holds": len(broken) == 0, "broken": append([]string{},
			broken...)}); err != nil {
			return err
		}
	}
	if len(broken) > 0 {
		return fmt.Errorf("rules that do not hold: %s; schema/checks has the queries", strings.Join(broken, ", "))
	}
	if !asJSON {
		_, err = fmt.Fprintln(e.Out, "every rule holds")
	}
	return err
}

// splitsOptions holds the flags of check splits.
type splitsOptions struct {
	env   *env.Env
	since string
	json  bool
}

func newCheckSplitsCommand(e *env.Env) *cobra.Command {
	o := &splitsOptions{env: e}
	c := &cobra.Command{
		Use: "splits OWNER/NAME…", Args: cobra.MinimumNArgs(1),
		Short: "Prove tree(base + gold patch + hidden tests) = gold tree for every merged pull of repositories",
		RunE:  func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	c.Flags().StringVar(&o.since, "since", "", "pulls merged from this day on (default: crawl.since)")
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
	return c
}

func (o *splitsOptions) run(ctx context.Context, repositories []string) error {
	cur, err := o.env.Curator()
	if err != nil {
		return err
	}
	since := cur.Config.Crawl.Since
	if o.since != "" {
		if err := since.UnmarshalYAML([]byte(o.since)); err != nil {
			return pipeline.Usage("--since: %v", err)
		}
	}
	mirrors, err := o.env.Mirrors(ctx, cur)
	if err != nil {
		return err
	}
	for _, repository := range repositories {
		if err := folder.CheckRepository(repository); err != nil {
			return pipeline.Usage("%v", err)
		}
		if err := o.audit(ctx, mirrors, repository, since.Time); err != nil {
			return err
		}
	}
	return nil
}

// audit proves the splits of one repository's pulls and prints the result.
func (o *splitsOptions) audit(ctx context.Context, mirrors *git.Mirrors, repository string, since time.Time) error {
	repo, err := mirrors.Mirror(ctx, repository)
	if err != nil {
		return err
	}
	pulls, err := assemble.MergedIn(ctx, repo, since)
	if err != nil {
		return err
	}
	var tick func(int)
	if progress := o.env.Progress(); progress != nil {
		b := progress(repository, len(pulls))
		defer b.Close()
		tick = func(int) { b.Add(1) }
	}
	audit, err := assemble.AuditPulls(ctx, repo, pulls, tick)
	if err != nil {
		return err
	}
	if o.json {
		return o.env.PrintJSON(audit)
	}
	fmt.Fprintf(o.env.Out, "%s: %d pulls checked, %d equal, %d of them by the merge commit\n",
		repository, audit.Checked, audit.Equal, audit.Noted)
	for _, e := range audit.Exceptions {
		fmt.Fprintf(o.env.Out, "  %s: %s\n", e.Pull, e.Cause)
	}
	return nil
}
