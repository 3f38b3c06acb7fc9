package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

func newReleaseCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "release", Short: "Verify a release, fetch the sources it pins, save and load its images"}
	c.AddCommand(newReleaseFetchCommand(a), newReleaseVerifyCommand(a), newReleaseImagesCommand(a))
	return c
}

func newReleaseFetchCommand(a *app) *cobra.Command {
	var dir, template string
	c := &cobra.Command{
		Use: "fetch --release RELEASE", Args: cobra.NoArgs,
		Short: "Bring every pinned source from git once; each is proved against its tree id",
		RunE: func(cmd *cobra.Command, _ []string) error {
			rel, err := a.openRelease(dir)
			if err != nil {
				return err
			}
			cache, err := os.UserCacheDir()
			if err != nil {
				return pipeline.Need("there is no cache folder: %v; set HOME or XDG_CACHE_HOME", err)
			}
			mirrors := &git.Mirrors{Dir: filepath.Join(cache, "wideswe", "mirrors"), URLTemplate: template, Log: a.log()}
			missing := len(rel.MissingSources())
			if err := rel.Fetch(cmd.Context(), mirrors, func(s schema.Source) {
				fmt.Fprintln(a.err, "fetched", s.Repository, s.Commit)
			}); err != nil && cmd.Context().Err() == nil {
				return pipeline.Need("%v; check the network and --url-template, and run it again: what was fetched is kept", err)
			} else if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%d sources fetched, %d were there; the release needs no network now\n", missing, len(rel.Sources)-missing)
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	c.Flags().StringVar(&template, "url-template", defaultGit, "where histories are fetched from")
	return c
}

func newReleaseVerifyCommand(a *app) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "verify --release RELEASE", Args: cobra.NoArgs,
		Short: "Check every file against the release's checksums",
		RunE: func(cmd *cobra.Command, _ []string) error {
			rel, err := a.openRelease(dir)
			if err != nil {
				return err
			}
			if err := wholly(cmd.Context(), rel); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%s %s is whole: %d tasks, %d files, %d of %d sources here\n", rel.Name, rel.Version,
				len(rel.Tasks), len(rel.Files), len(rel.Sources)-len(rel.MissingSources()), len(rel.Sources))
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	return c
}

// openRelease opens and verifies a release.
func (a *app) openRelease(dir string) (*release.Release, error) {
	if dir == "" {
		return nil, pipeline.Usage("--release is missing; give the folder that export wrote")
	}
	rel, err := release.Open(dir)
	if err != nil {
		return nil, err
	}
	a.later(func() { _ = rel.Close() })
	return rel, nil
}

// wholly reads what opening a release leaves out: the packed trees, and the images
// that were saved into it.
func wholly(ctx context.Context, rel *release.Release) error {
	if err := rel.VerifySources(ctx); err != nil {
		return err
	}
	return rel.VerifyImages(ctx)
}

// outside refuses an --out inside the release, which would be damaged by it: a
// release holds the exported files and no others.
func outside(dir, out string) error {
	rel, err := realPath(dir)
	if err != nil {
		return err
	}
	abs, err := realPath(out)
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(rel, abs); err != nil || !filepath.IsLocal(inside) {
		return nil
	}
	return pipeline.Usage("--out %s is inside the release, whose checksums know no such files; choose a folder outside %s", out, dir)
}

// realPath follows symbolic links as far as the path exists.
func realPath(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	for rest := ""; ; {
		real, err := filepath.EvalSymlinks(abs)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if abs == filepath.Dir(abs) {
			return filepath.Join(abs, rest), nil
		}
		abs, rest = filepath.Dir(abs), filepath.Join(filepath.Base(abs), rest)
	}
}

func newWorkspaceCommand(a *app) *cobra.Command {
	var dir, task, out, target string
	var involved bool
	c := &cobra.Command{
		Use: "workspace --release RELEASE --task ID --out DIR", Args: cobra.NoArgs,
		Short: "Write what an agent gets for a task: every repository without history, and the prompt",
		Example: `  wideswe workspace --release release --task ID --out work
  wideswe workspace --release release --task ID --out work --target owner/name   # independent mode
  wideswe workspace --release release --task ID --out work --involved            # every target, and no context repository`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if task == "" || out == "" {
				return pipeline.Usage("--task and --out are needed; wideswe workspace --help shows an example")
			}
			rel, err := a.openRelease(dir)
			if err != nil {
				return err
			}
			if err := outside(dir, out); err != nil {
				return err
			}
			scope := release.ScopeJoint
			switch {
			case involved && target != "":
				return pipeline.Usage("--involved is every target, --target one; give one of them")
			case target != "":
				scope = release.ScopeIndependent
			case involved:
				scope = release.ScopeInvolved
			}
			if err := rel.Workspace(cmd.Context(), task, scope, target, out); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%s is ready; start with %s\n", out, filepath.Join(out, "prompt.md"))
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	c.Flags().StringVar(&task, "task", "", "the task's id")
	c.Flags().StringVar(&out, "out", "", "an absent or empty folder")
	c.Flags().StringVar(&target, "target", "", "this target alone (independent mode)")
	c.Flags().BoolVar(&involved, "involved", false, "every target, and no context repository: what to change is told, how is not")
	return c
}
