// Package kept is a wrapper of a sandbox, for TestAWrapperThatDropsAnAbilityDoesNotCompile.
package kept

import (
	"context"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// counted passes every ability on.
type counted struct {
	inner engine
	runs  int
}

type engine interface {
	sandbox.Backend
	sandbox.Layers
	sandbox.Preparer
	sandbox.ImageSizes
}

var _ sandbox.Backend = (*embedding)(nil)

// embedding has the abilities of what it wraps.
type embedding struct{ sandbox.Backend }

func (c *counted) Abilities() sandbox.Abilities { return sandbox.NewAbilities(c, c, c) }

func (c *counted) Layers(ctx context.Context, id, base string, visit sandbox.VisitLayer) error {
	return c.inner.Layers(ctx, id, base, visit)
}

func (c *counted) Prepare(ctx context.Context, on string, in []sandbox.Source,
	labels map[string]string) (sandbox.Prepared, func(), error) {
	return c.inner.Prepare(ctx, on, in, labels)
}

func (c *counted) ImageBytes(ctx context.Context, id string) (int64, error) {
	return c.inner.ImageBytes(ctx, id)
}
