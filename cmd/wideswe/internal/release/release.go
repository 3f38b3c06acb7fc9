package release

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/schema"
)

func NewCommand(a *env.Env) *cobra.Command {
	c := &cobra.Command{Use: "release", Short: "Verify a release, fetch the sources it pins, save and load its images"}
	c.AddCommand(newReleaseFetchCommand(a), newReleaseVerifyCommand(a), newReleaseImagesCommand(a))
	return c
}

func newReleaseFetchCommand(a *env.Env) *cobra.Command {
	var dir, template string
	c := &cobra.Command{
		Use: "fetch --release RELEASE", Args: cobra.NoArgs,
		Short: "Bring every pinned source from git once; each is proved against its tree id",
		RunE: func(cmd *cobra.Command, _ []string) error {
			rel, err := a.OpenRelease(dir)
			if err != nil {
				return err
			}
			cache, err := os.UserCacheDir()
			if err != nil {
				return pipeline.Need("there is no cache folder: %v; set HOME or XDG_CACHE_HOME", err)
			}
			mirrors := &git.Mirrors{Dir: filepath.Join(cache, "wideswe", "mirrors"), URLTemplate: template, Log: a.Log()}
			missing := len(rel.MissingSources())
			if err := rel.Fetch(cmd.Context(), mirrors, func(s schema.Source) {
				fmt.Fprintln(a.Err, "fetched", s.Repository, s.Commit)
			}); err != nil && cmd.Context().Err() == nil {
				return pipeline.Need("%v; check the network and --url-template, and run it again: what was fetched is kept", err)
			} else if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "%d sources fetched, %d were there; the release needs no network now\n", missing, len(rel.Sources)-missing)
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	c.Flags().StringVar(&template, "url-template", config.DefaultGit, "where histories are fetched from")
	return c
}

func newReleaseVerifyCommand(a *env.Env) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "verify --release RELEASE", Args: cobra.NoArgs,
		Short: "Check every file against the release's checksums",
		RunE: func(cmd *cobra.Command, _ []string) error {
			rel, err := a.OpenRelease(dir)
			if err != nil {
				return err
			}
			if err := env.VerifyAll(cmd.Context(), rel); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "%s %s is whole: %d tasks, %d files, %d of %d sources here\n", rel.Name, rel.Version,
				len(rel.Tasks), len(rel.Files), len(rel.Sources)-len(rel.MissingSources()), len(rel.Sources))
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	return c
}
