package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/leak"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// trees are the two workspaces of a task, in a temporary folder.
type trees struct {
	root, plain, base, gold string
	remove                  func()
	secrets                 *leak.Secrets
	words                   map[string]bool     // that base has in the files the hidden tests change
	lfs                     map[string][]string // pointers of Git LFS by repository
}

// close removes them, and what there is of them where laying failed.
func (w trees) close() {
	if w.remove != nil {
		w.remove()
	}
}

// lay makes both workspaces: base is the base commit and the hidden tests, gold
// is the base commit, the gold patch and the hidden tests. Plain is base without them.
func (s Stage) lay(ctx context.Context, t task) (trees, error) {
	root, remove, err := pipeline.Scratch(s.TempDir, "validate")
	if err != nil {
		return trees{}, fmt.Errorf("making a temporary folder: %w", err)
	}
	w := trees{root: root, remove: remove, plain: filepath.Join(root, "plain"), base: filepath.Join(root, "base"),
		gold: filepath.Join(root, "gold")}
	for _, x := range t.Targets {
		if err := s.layTarget(ctx, &w, x); err != nil {
			return w, explain(x.Repository, err)
		}
	}
	return w, nil
}

func (s Stage) layTarget(ctx context.Context, w *trees, x target) error {
	plain := workspace.TreePath(w.plain, x.Repository)
	if err := s.extract(ctx, x.Repository, x.Base, plain); err != nil {
		return err
	}
	for _, dir := range []string{w.base, w.gold} {
		dst := workspace.TreePath(dir, x.Repository)
		if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
			return err
		}
		if err := workspace.CopyTree(ctx, plain, dst); err != nil {
			return err
		}
	}
	for _, p := range x.gold {
		if _, err := workspace.Apply(ctx, workspace.TreePath(w.gold, x.Repository), p); err != nil {
			return fmt.Errorf("gold patch: %w", err)
		}
	}
	for _, dir := range []string{w.base, w.gold} {
		if _, err := workspace.Overlay(ctx, plain, workspace.TreePath(dir, x.Repository), x.layers,
			x.relocations()...); err != nil {
			return fmt.Errorf("hidden tests: %w", err)
		}
	}
	if err := w.pointers(x); err != nil {
		return err
	}
	return w.learn(ctx, x, plain)
}

func (s Stage) extract(ctx context.Context, repository, commit, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	r, w := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		err := s.Trees.Snapshot(ctx, repository, commit, w)
		_ = w.CloseWithError(err)
		sent <- err
	}()
	err := workspace.Extract(ctx, r, dir)
	_ = r.CloseWithError(errors.New("unpacking ended"))
	// Where the snapshot broke off, its own error says why.
	if why := <-sent; why != nil && err != nil {
		return why
	}
	return err
}

// explain makes facts about the task skips; the rest is our trouble.
func explain(repository string, err error) error {
	var missing *git.MissingError
	var gone *git.GoneError
	var failed *workspace.FailedError
	var unsafe *workspace.UnsafeError
	var injected *workspace.InjectionError
	if _, skip := pipeline.SkipReason(err); skip {
		return err
	}
	switch {
	case errors.As(err, &missing), errors.As(err, &gone):
		return pipeline.Skip("tree of %s: %v", repository, err)
	case errors.As(err, &failed), errors.As(err, &unsafe), errors.As(err, &injected):
		return pipeline.Skip("%s: %v", repository, err)
	}
	return fmt.Errorf("laying %s: %w", repository, err)
}
