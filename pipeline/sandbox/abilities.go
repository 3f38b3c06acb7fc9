package sandbox

import (
	"context"
)

// Prepared is where sources lie ready for many runs: what a [Spec] gives as its
// Image and its In.
type Prepared struct {
	Image string
	In    []Source
}

// Preparer is a backend that can lay sources once for many runs.
type Preparer interface {
	// Prepare lays sources over an image. What it makes belongs to this process; it
	// is removed by remove or, where the process was killed, by the next one's sweep.
	Prepare(ctx context.Context, on string, in []Source, labels map[string]string) (p Prepared, remove func(), err error)
}
