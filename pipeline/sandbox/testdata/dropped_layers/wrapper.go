// Package dropped_layers is a wrapper of a sandbox, for TestAWrapperThatDropsAnAbilityDoesNotCompile.
package dropped_layers

import (
	"context"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// counted passes on all but the ability to look into images.
type counted struct {
	inner engine
	runs  int
}

type engine interface {
	sandbox.Preparer
	sandbox.ImageSizes
}

func (c *counted) Abilities() sandbox.Abilities { return sandbox.NewAbilities(c, c, c) }

func (c *counted) Prepare(ctx context.Context, on string, in []sandbox.Source,
	labels map[string]string) (sandbox.Prepared, func(), error) {
	return c.inner.Prepare(ctx, on, in, labels)
}

func (c *counted) ImageBytes(ctx context.Context, id string) (int64, error) {
	return c.inner.ImageBytes(ctx, id)
}
