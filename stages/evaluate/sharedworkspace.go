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
	layers map[string]*testrun.Workspace // by image, and by whose the hidden files are
}

func newSharedWorkspace(r Runner, dir string, context []string) *sharedWorkspace {
	return &sharedWorkspace{runner: r, dir: dir, context: context, layers: map[string]*testrun.Workspace{}}
}

// layer gives the layer over the image of a request.
func (w *sharedWorkspace) layer(q testrun.Request) *testrun.Workspace {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := q.Image
	if q.Foreign {
		key += " foreign files of " + q.Repository
	}
	if w.layers[key] == nil {
		w.layers[key] = w.runner.Workspace(q)
		w.layers[key].Lazy = true
	}
	return w.layers[key]
}

// close removes the layers.
func (w *sharedWorkspace) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.layers {
		l.Close()
	}
}
