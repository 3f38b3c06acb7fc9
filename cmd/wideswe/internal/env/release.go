package env

import (
	"context"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
)

// openRelease opens and verifies a release.
func (a *Env) OpenRelease(dir string) (*release.Release, error) {
	if dir == "" {
		return nil, pipeline.Usage("--release is missing; give the folder that export wrote")
	}
	rel, err := release.Open(dir)
	if err != nil {
		return nil, err
	}
	a.Defer(func() { _ = rel.Close() })
	return rel, nil
}

// wholly reads what opening a release leaves out: the packed trees, and the images
// that were saved into it.
func VerifyAll(ctx context.Context, rel *release.Release) error {
	if err := rel.VerifySources(ctx); err != nil {
		return err
	}
	return rel.VerifyImages(ctx)
}
