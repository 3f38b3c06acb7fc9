package agentimage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// trees are the workspaces that images are made of, and that no image keeps: every target as it is at base, and at base
// and at gold with the hidden tests.
type trees struct{ plain, base, gold string }

// writeTrees writes the trees of every target of a task.
func (m *Maker) writeTrees(ctx context.Context, t *release.Task, scratch string) (trees, error) {
	w := trees{plain: filepath.Join(scratch, "plain"), base: filepath.Join(scratch, "base"), gold: filepath.Join(scratch,
		"gold")}
	for _, h := range t.Hidden {
		clean := workspace.TreePath(w.plain, h.Repository)
		if err := m.Release.Lay(ctx, h.Repository, h.BaseCommit, clean); err != nil {
			return w, err
		}
		if err := writeTree(ctx, h, clean, workspace.TreePath(w.base, h.Repository), nil); err != nil {
			return w, err
		}
		if err := writeTree(ctx, h, clean, workspace.TreePath(w.gold, h.Repository), h.Gold); err != nil {
			return w, err
		}
	}
	return w, nil
}

// writeTree copies a target's clean tree, applies the gold patch, which is nil for base, and adds the hidden tests.
func writeTree(ctx context.Context, h release.Target, clean, dir string, gold []byte) error {
	if err := workspace.CopyTree(ctx, clean, dir); err != nil {
		return err
	}
	if _, err := workspace.Apply(ctx, dir, gold); err != nil {
		return fmt.Errorf("gold patch of %s: %w", h.Repository, err)
	}
	var injection *workspace.InjectionError
	if _, err := workspace.Overlay(ctx, clean, dir, h.Layers, h.Recipe.Relocate...); err != nil && !errors.As(err,
		&injection) {
		return err
	}
	return nil
}
