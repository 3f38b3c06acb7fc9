package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// RecipeAt resolves the recipe of a repository at a commit and names the parts of the folder's recipe file that replace
// what is detected. An empty commit is the newest of the default branch.
func RecipeAt(ctx context.Context, f folder.Folder, mirrors *git.Mirrors, repository, commit string) (
	recipe schema.Recipe, over []string, err error) {
	repo, err := mirrors.Mirror(ctx, repository)
	if err != nil {
		return recipe, nil, err
	}
	if commit, err = resolveCommit(ctx, repo, commit); err != nil {
		return recipe, nil, err
	}
	tree, err := newCommitTree(ctx, repo, commit)
	if err != nil {
		return recipe, nil, err
	}
	made, err := repo.Commit(ctx, commit)
	if err != nil {
		return recipe, nil, err
	}
	recipe, over, err = ResolveRecipe(f, tree, repository, made.CommitterTime)
	if err != nil {
		return recipe, nil, pipeline.Usage("%v; write %s", err, folder.RecipeFile(repository))
	}
	return recipe, over, nil
}

// ResolveRecipe makes the recipe of a tree whose base commit is of that date, and names the parts of the folder's
// recipe file that replace what is detected. The error is a skip where no toolchain is detected.
func ResolveRecipe(f folder.Folder, tree kit.Tree, repository string, base time.Time, hidden ...string) (
	r schema.Recipe, over []string, err error) {
	parts, err := f.RecipeParts(repository)
	if err != nil {
		return r, nil, err
	}
	over = appliedParts(repository, parts, base)
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

// appliedParts names the parts of a recipe file that apply to the date.
func appliedParts(repository string, parts schema.RecipeParts, base time.Time) (list []string) {
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

// resolveCommit finds the commit that a person names; an empty name is the newest of the default branch.
func resolveCommit(ctx context.Context, repo *git.Repo, name string) (string, error) {
	name = cmp.Or(name, "HEAD")
	commit, err := repo.Resolve(ctx, name)
	var missing *git.MissingError
	if errors.As(err, &missing) {
		return "", pipeline.Usage("%s has no commit %q; write a commit's id, or a branch", repo.Repository, name)
	}
	return commit, err
}

// commitTree is a commit's files as toolchains read them.
type commitTree struct {
	ctx   context.Context
	repo  *git.Repo
	files []string
	oids  map[string]string
}

func newCommitTree(ctx context.Context, repo *git.Repo, commit string) (*commitTree, error) {
	entries, err := repo.Files(ctx, commit)
	if err != nil {
		return nil, err
	}
	t := &commitTree{ctx: ctx, repo: repo, oids: map[string]string{}}
	for _, e := range entries {
		if e.Mode == git.ModeFile || e.Mode == git.ModeExec {
			t.files, t.oids[e.Path] = append(t.files, e.Path), e.OID
		}
	}
	return t, nil
}

// Files implements [kit.Tree]: it lists the regular files.
func (t *commitTree) Files() []string { return t.files }

// maxManifest bounds the files that detection reads.
const maxManifest = 4 << 20

// Read implements [kit.Tree]: it fetches and reads one file.
func (t *commitTree) Read(name string) ([]byte, error) {
	oid, ok := t.oids[name]
	if !ok {
		return nil, errors.New("no such file")
	}
	if err := t.repo.Blobs(t.ctx, []string{oid}); err != nil {
		return nil, err
	}
	return t.repo.ReadBlob(t.ctx, oid, maxManifest)
}
