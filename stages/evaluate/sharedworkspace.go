package evaluate

import (
	"sync"

	"github.com/wideswe/wideswe/pipeline/testrun"
)

// sharedWorkspace is a workspace on disk. It becomes a layer over the image of each
// target that needs it more than once; targets of one image share the layer.
type sharedWorkspace struct {
	runner  Runner
	dir     string
	context []string // context repositories in it

	mu     sync.Mutex
	layers map[string]*testrun.Workspace // by image
}

func newSharedWorkspace(r Runner, dir string, context []string) *sharedWorkspace {
	return &sharedWorkspace{runner: r, dir: dir, context: context, layers: map[string]*testrun.Workspace{}}
}

// layer gives the layer over the image of a request.
func (w *sharedWorkspace) layer(q testrun.Request) *testrun.Workspace {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.layers[q.Image] == nil {
		w.layers[q.Image] = w.runner.Workspace(q)
		w.layers[q.Image].Lazy = true
	}
	return w.layers[q.Image]
}

// close removes the layers.
func (w *sharedWorkspace) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.layers {
		l.Close()
	}
}
