package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// The scopes of a workspace.
const (
	ScopeJoint       = "joint"       // targets and context repositories
	ScopeInvolved    = "involved"    // targets alone
	ScopeIndependent = "independent" // one target alone
)

// Workspace writes what an agent gets for a task into out, absent or empty:
// every repository at OUT/owner/name as a git repository of one commit, prompt.md
// and workspace.json, which does not tell targets from context, not by its task's
// name either. target is named
// for [ScopeIndependent] only. Out appears when all of it is there.
func (r *Release) Workspace(ctx context.Context, id, scope, target, out string) error {
	t, err := r.Task(id)
	if err != nil {
		return err
	}
	manifest, err := scoped(t, scope, target)
	if err != nil {
		return err
	}
	if err := vacant(out); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(out)), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(filepath.Clean(out)), ".wideswe-workspace-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := r.fill(ctx, t, manifest, tmp); err != nil {
		return err
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, out)
}

func (r *Release) fill(ctx context.Context, t *Task, manifest schema.WorkspaceFile, dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for _, w := range manifest.Repositories {
		if err := r.Lay(ctx, w.Repository, w.Commit, workspace.TreePath(dir, w.Repository)); err != nil {
			return err
		}
		s, _ := r.Source(w.Repository, w.Commit)
		if _, err := workspace.CommitOne(ctx, workspace.TreePath(dir, w.Repository), s.Submodules...); err != nil {
			return fmt.Errorf("committing %s: %w", w.Repository, err)
		}
	}
	// A task's id is made of its targets' names: an agent gets another.
	manifest.Task = "task-" + pipeline.Hash(manifest.Task)
	b, err := EncodeJSON(manifest)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "workspace.json"), b, 0o644),
		os.WriteFile(filepath.Join(dir, "prompt.md"), []byte(t.Prompt), 0o644))
}

// Lay unpacks a repository's pinned tree at dir.
func (r *Release) Lay(ctx context.Context, repository, commit, dir string) error {
	s, ok := r.Source(repository, commit)
	if !ok {
		return pipeline.Usage("the release %s pins no source of %s at %s; export it anew", r.Dir, repository, commit)
	}
	return r.Extract(ctx, s, dir)
}

func scoped(t *Task, scope, target string) (schema.WorkspaceFile, error) {
	targets := map[string]bool{}
	for _, x := range t.Targets {
		targets[x.Repository] = true
	}
	if scope == ScopeIndependent && !targets[target] {
		return schema.WorkspaceFile{}, pipeline.Usage("%s is no target of %s; its targets are in tasks/%s/task.yaml", target,
			t.TaskFile.Task, t.TaskFile.Task)
	}
	out := t.Workspace
	out.Repositories = nil
	for _, w := range t.Workspace.Repositories {
		switch {
		case scope == ScopeJoint, scope == ScopeInvolved && targets[w.Repository], scope == ScopeIndependent &&
			w.Repository == target:
			out.Repositories = append(out.Repositories, w)
		}
	}
	if len(out.Repositories) == 0 {
		return out, pipeline.Usage("a workspace is joint, involved or independent, not %q", scope)
	}
	return out, nil
}

func vacant(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return pipeline.Usage("%s is not empty; give --out a new or empty folder", out)
}
