package sandbox

import (
	"archive/tar"
	"context"
	"io"
)

// Layers is the ability to look into images.
type Layers interface {
	// Layers walks the files of an image's layers, those of the image base left out.
	Layers(ctx context.Context, id, base string, visit VisitLayer) error
}

// VisitLayer takes one file of an image's layer.
type VisitLayer = func(layer string, h *tar.Header, r io.Reader) error

// Preparer is the ability to copy sources once for many runs.
type Preparer interface {
	// Prepare copies sources over an image. What it makes belongs to this process; it
	// is removed by remove or, where the process was killed, by the next one's sweep.
	Prepare(ctx context.Context, on string, in []Source,
		labels map[string]string) (p Prepared, remove func(), err error)
}

// Prepared is where sources lie ready for many runs: what a [Spec] gives as its
// Image and its In.
type Prepared struct {
	Image string
	In    []Source
}

// ImageSizes is the ability to tell the size of an image.
type ImageSizes interface {
	// ImageBytes is what an image takes with all its layers.
	ImageBytes(ctx context.Context, id string) (int64, error)
}

// Abilities are what some sandboxes can do and others can't. Every [Backend] declares
// them with [NewAbilities], and so does what wraps one: an ability that a wrapper does
// not pass on is a compile error, not a check that is silently left out.
type Abilities struct {
	layers   Layers
	preparer Preparer
	sizes    ImageSizes
}

// NewAbilities declares every ability there is; nil is one that the sandbox lacks. A
// wrapper gives itself. With another ability this function takes another argument, so
// that no sandbox and no wrapper compiles before it has declared that, too.
func NewAbilities(layers Layers, preparer Preparer, sizes ImageSizes) Abilities {
	return Abilities{layers, preparer, sizes}
}

// Layers gives the ability to look into images, where the sandbox has it.
func (a Abilities) Layers() (Layers, bool) { return a.layers, a.layers != nil }

// Preparer gives the ability to copy sources once, where the sandbox has it.
func (a Abilities) Preparer() (Preparer, bool) { return a.preparer, a.preparer != nil }

// ImageSizes gives the ability to tell sizes of images, where the sandbox has it.
func (a Abilities) ImageSizes() (ImageSizes, bool) { return a.sizes, a.sizes != nil }
