package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

func (a *app) recipeCommand() *cobra.Command {
	c := &cobra.Command{Use: "recipe", Short: "See how a repository is built and tested, and try it"}
	c.AddCommand(a.recipeShow(), a.recipeTest())
	return c
}

func (a *app) recipeShow() *cobra.Command {
	return &cobra.Command{
		Use: "show OWNER/NAME[@COMMIT]", Args: cobra.ExactArgs(1),
		Short: "Print the detected recipe with the reasons, and what your recipe file lays over it",
		RunE: func(cmd *cobra.Command, args []string) error {
			cur, err := a.curator()
			if err != nil {
				return err
			}
			repository, commit, _ := strings.Cut(args[0], "@")
			if err := folder.CheckRepository(repository); err != nil {
				return pipeline.Usage("%v", err)
			}
			_, template, err := a.hosts(cmd.Context(), cur)
			if err != nil {
				return err
			}
			mirrors := &git.Mirrors{Dir: cur.Mirrors(), URLTemplate: template, Log: a.log()}
			return a.showRecipe(cmd.Context(), cur, mirrors, repository, commit)
		},
	}
}

func (a *app) showRecipe(ctx context.Context, cur *curator, mirrors *git.Mirrors, repository, commit string) error {
	repo, err := mirrors.Mirror(ctx, repository)
	if err != nil {
		return err
	}
	if commit, err = resolveCommit(ctx, repo, commit); err != nil {
		return err
	}
	tree, err := newGitTree(ctx, repo, commit)
	if err != nil {
		return err
	}
	made, err := repo.Commit(ctx, commit)
	if err != nil {
		return err
	}
	recipe, over, err := cur.resolveRecipe(tree, repository, made.CommitterTime)
	if err != nil {
		return pipeline.Usage("%v; write %s", err, folder.RecipeFile(repository))
	}
	for _, part := range over {
		fmt.Fprintf(a.out, "# with %s\n", part)
	}
	b, err := yaml.Marshal(recipe)
	if err != nil {
		return err
	}
	_, err = a.out.Write(b)
	return err
}

// resolveCommit finds the commit that a person names; none is the newest of the
// default branch.
func resolveCommit(ctx context.Context, repo *git.Repo, name string) (string, error) {
	commit, err := repo.Resolve(ctx, cmp.Or(name, "HEAD"))
	var missing *git.MissingError
	if errors.As(err, &missing) {
		return "", pipeline.Usage("%s has no commit %q; write a commit's id, or a branch", repo.Repository, cmp.Or(name, "HEAD"))
	}
	return commit, err
}

// resolveRecipe makes the recipe of a tree whose base commit is of that date, and
// says what was laid over what is detected; none where there is no file.
func (c *curator) resolveRecipe(tree kit.Tree, repository string, base time.Time, hidden ...string) (r schema.Recipe, over []string, err error) {
	parts, err := c.RecipeParts(repository)
	if err != nil {
		return r, nil, err
	}
	over = applied(repository, parts, base)
	r, _, err = registry.Resolve(tree, parts.At(base), hidden...)
	r.Repository = repository
	var unknown *registry.UnknownError
	if errors.As(err, &unknown) && unknown.Name == "" {
		return r, over, pipeline.Skip("%v in %s", err, repository)
	}
	if err != nil {
		return r, over, pipeline.Usage("%s: %v", folder.RecipeFile(repository), err)
	}
	return r, over, nil
}

// applied says of each part of a recipe file that is for the date which it is.
func applied(repository string, parts schema.RecipeParts, base time.Time) (list []string) {
	file := folder.RecipeFile(repository)
	for _, p := range parts.At(base) {
		text := file
		if len(parts) > 1 {
			text += fmt.Sprintf(", part %d", p.Number)
		}
		if p.From != "" {
			text += ", from " + p.From
		}
		if p.Until != "" {
			text += ", until " + p.Until
		}
		list = append(list, text)
	}
	if len(parts) > 0 && len(list) == 0 {
		list = append(list, fmt.Sprintf("nothing of %s: the commit is of %s", file, base.UTC().Format(time.DateOnly)))
	}
	return list
}

// gitTree is a commit's files as toolchains read them.
type gitTree struct {
	ctx   context.Context
	repo  *git.Repo
	files []string
	oids  map[string]string
}

func newGitTree(ctx context.Context, repo *git.Repo, commit string) (*gitTree, error) {
	entries, err := repo.Files(ctx, commit)
	if err != nil {
		return nil, err
	}
	t := &gitTree{ctx: ctx, repo: repo, oids: map[string]string{}}
	for _, e := range entries {
		if e.Mode == git.ModeFile || e.Mode == git.ModeExec {
			t.files, t.oids[e.Path] = append(t.files, e.Path), e.OID
		}
	}
	return t, nil
}

// Files lists the regular files.
func (t *gitTree) Files() []string { return t.files }

// maxManifest bounds the files that detection reads.
const maxManifest = 4 << 20

// Read fetches and reads one file.
func (t *gitTree) Read(name string) ([]byte, error) {
	oid, ok := t.oids[name]
	if !ok {
		return nil, errors.New("no such file")
	}
	if err := t.repo.Blobs(t.ctx, []string{oid}); err != nil {
		return nil, err
	}
	return t.repo.ReadBlob(t.ctx, oid, maxManifest)
}
