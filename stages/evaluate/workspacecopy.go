package evaluate

import (
	"context"
	"os"
	"slices"

	"github.com/wideswe/wideswe/pipeline/workspace"
)

// workspaceCopy is a copy of an attempt's workspace as far as one target's run needs it,
// with changes of its own.
type workspaceCopy struct {
	runner   Runner
	dir      string
	contexts []string
	shared   *sharedWorkspace
}

// copyWorkspace copies the workspace for a target and lets change work on each tree.
func (a *attempt) copyWorkspace(ctx context.Context, r *targetRuns, change func(repository, dir string) error) (
	*workspaceCopy, error) {
	dir, err := os.MkdirTemp(a.trees.dir, "restored-")
	if err != nil {
		return nil, err
	}
	w := &workspaceCopy{runner: a.runner, dir: dir, contexts: a.contexts,
		shared: newSharedWorkspace(a.runner, dir, a.contexts)}
	for _, repository := range slices.Concat([]string{r.Repository}, r.siblings, a.contexts) {
		err := workspace.CopyTree(ctx, a.tree(repository), w.tree(repository))
		if err == nil {
			err = change(repository, w.tree(repository))
		}
		if err != nil {
			w.remove()
			return nil, err
		}
	}
	return w, nil
}

func (w *workspaceCopy) tree(repository string) string { return workspace.TreePath(w.dir, repository) }

// renew makes the next run read the folder as it is now.
func (w *workspaceCopy) renew() {
	w.shared.close()
	w.shared = newSharedWorkspace(w.runner, w.dir, w.contexts)
}

// remove deletes the copy.
func (w *workspaceCopy) remove() {
	w.shared.close()
	_ = os.RemoveAll(w.dir)
}
