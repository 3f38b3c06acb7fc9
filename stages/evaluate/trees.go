package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// treeStore holds the trees of the tasks under way: made when a task's first item
// begins and removed when its last ends.
type treeStore struct {
	settings
	dir string

	mu     sync.Mutex
	byTask map[string]*taskTrees
	left   map[string]int // items of a task that are still to end
}

func newTreeStore(s settings, dir string) *treeStore {
	return &treeStore{settings: s, dir: dir, byTask: map[string]*taskTrees{}, left: map[string]int{}}
}

// expect counts an item of the task.
func (s *treeStore) expect(task string) { s.left[task]++ }

// finish counts an item of the task that has ended, or won't run.
func (s *treeStore) finish(task string) {
	s.mu.Lock()
	s.left[task]--
	trees, last := s.byTask[task], s.left[task] <= 0
	s.mu.Unlock()
	if last && trees != nil {
		trees.remove()
	}
}

// get gives a task's trees, made by the first who asks.
func (s *treeStore) get(ctx context.Context, task string) (*taskTrees, error) {
	trees := s.entry(task)
	trees.mu.Lock()
	defer trees.mu.Unlock()
	if trees.task != nil {
		return trees, nil
	}
	t, err := s.release.Task(task)
	if err != nil {
		return nil, err
	}
	if err := trees.create(ctx, t); err != nil {
		trees.remove()
		return nil, fmt.Errorf("laying the trees of %s: %w", task, err)
	}
	trees.task = t
	return trees, nil
}

func (s *treeStore) entry(task string) *taskTrees {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byTask[task] == nil {
		dir := filepath.Join(s.dir, fmt.Sprint(len(s.byTask)))
		s.byTask[task] = &taskTrees{settings: s.settings, folders: folders{dir}, targets: map[string]*target{}}
	}
	return s.byTask[task]
}

// taskTrees are one task's trees: pristine ones to copy from and to restore from, and
// the workspaces at base and at gold with the hidden tests, as in validation.
type taskTrees struct {
	settings
	folders

	mu      sync.Mutex
	task    *release.Task // nil until the trees are there
	targets map[string]*target
	atGold  *sharedWorkspace
}

// create makes the trees and what the targets' runs share.
func (t *taskTrees) create(ctx context.Context, task *release.Task) error {
	t.atGold = newSharedWorkspace(t.runner, t.gold(), nil)
	for _, x := range task.Hidden {
		emulated, err := t.machine.emulates(ctx, task.Task, x.Platform)
		if err != nil {
			return err
		}
		t.targets[x.Repository] = newTarget(t.settings, t.folders, t.atGold, task, x)
		t.targets[x.Repository].emulated = emulated
		if err := t.createTarget(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// createTarget makes a target's pristine tree, and those at base and at gold of it.
func (t *taskTrees) createTarget(ctx context.Context, x release.Target) error {
	clean := workspace.TreePath(t.pristine(), x.Repository)
	if err := t.release.Lay(ctx, x.Repository, x.BaseCommit, clean); err != nil {
		return err
	}
	for ws, patch := range map[string][]byte{t.base(): nil, t.gold(): x.Gold} {
		dir := workspace.TreePath(ws, x.Repository)
		if err := workspace.CopyTree(ctx, clean, dir); err != nil {
			return err
		}
		if _, err := workspace.Apply(ctx, dir, patch); err != nil {
			return fmt.Errorf("gold patch of %s: %w", x.Repository, err)
		}
		// Layers that don't go on are each run's verdict: injection_failed.
		var injection *workspace.InjectionError
		_, err := workspace.Overlay(ctx, clean, dir, x.Layers, x.Recipe.Relocate...)
		if err != nil && !errors.As(err, &injection) {
			return err
		}
	}
	return nil
}

// remove deletes the trees.
func (t *taskTrees) remove() {
	if t.atGold != nil {
		t.atGold.close()
	}
	_ = os.RemoveAll(t.dir)
}

// context makes the pristine tree of a context repository that a prediction patches.
func (t *taskTrees) context(ctx context.Context, repository string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	dir := workspace.TreePath(t.pristine(), repository)
	if _, err := os.Lstat(dir); err == nil {
		return dir, nil
	}
	for _, w := range t.task.Workspace.Repositories {
		if w.Repository == repository {
			return dir, t.release.Lay(ctx, repository, w.Commit, dir)
		}
	}
	return "", fmt.Errorf("%s is not in the workspace of %s", repository, t.task.Task)
}
