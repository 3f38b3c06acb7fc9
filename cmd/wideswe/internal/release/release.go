// Package release is the commands on a release: wideswe release fetch, verify and images, and wideswe workspace. What a
// release holds and how it is read is pipeline/release's.
package release

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/schema"
)

// NewCommand returns wideswe release.
func NewCommand(e *env.Env) *cobra.Command {
	c := &cobra.Command{Use: "release", Short: "Verify a release, fetch the sources it pins, save and load its images"}
	c.AddCommand(newFetchCommand(e), newVerifyCommand(e), newImagesCommand(e))
	return c
}

// addReleaseFlag adds --release.
func addReleaseFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "release", "", "the release's folder")
}

// fetchOptions holds the flags of release fetch.
type fetchOptions struct {
	env           *env.Env
	dir, template string
}

func newFetchCommand(e *env.Env) *cobra.Command {
	o := &fetchOptions{env: e}
	c := &cobra.Command{
		Use: "fetch --release RELEASE", Args: cobra.NoArgs,
		Short: "Bring every pinned source from git once; each is proved against its tree id",
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	addReleaseFlag(c, &o.dir)
	c.Flags().StringVar(&o.template, "url-template", git.DefaultURL, "where histories are fetched from")
	return c
}

func (o *fetchOptions) run(ctx context.Context) error {
	rel, err := o.env.OpenRelease(o.dir)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return pipeline.Need("there is no cache folder: %v; set HOME or XDG_CACHE_HOME", err)
	}
	mirrors := &git.Mirrors{Dir: filepath.Join(cache, "wideswe", "mirrors"), Options: git.Options{URLTemplate: o.template},
		Log: o.env.Log()}
	missing := len(rel.MissingSources())
	err = rel.Fetch(ctx, mirrors, func(s schema.Source) { fmt.Fprintln(o.env.Err, "fetched", s.Repository, s.Commit) })
	if err != nil && ctx.Err() == nil {
		return pipeline.Need("%v; check the network and --url-template, and run it again: what was fetched is kept", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.env.Out, "%d sources fetched, %d were there; the release needs no network now\n",
		missing, len(rel.Sources)-missing)
	return err
}

func newVerifyCommand(e *env.Env) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "verify --release RELEASE", Args: cobra.NoArgs,
		Short: "Check every file against the release's checksums",
		RunE:  func(cmd *cobra.Command, _ []string) error { return verify(cmd.Context(), e, dir) },
	}
	addReleaseFlag(c, &dir)
	return c
}

func verify(ctx context.Context, e *env.Env, dir string) error {
	rel, err := e.OpenRelease(dir)
	if err != nil {
		return err
	}
	if err := rel.VerifyAll(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s %s is whole: %d tasks, %d files, %d of %d sources here\n", rel.Name, rel.Version,
		len(rel.Tasks), len(rel.Files), len(rel.Sources)-len(rel.MissingSources()), len(rel.Sources))
	return err
}
