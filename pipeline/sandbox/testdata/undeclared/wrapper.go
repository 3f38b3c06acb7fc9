// Package undeclared is a wrapper of a sandbox, for TestAWrapperThatDropsAnAbilityDoesNotCompile.
package undeclared

import (
	"context"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// counted forwards what every sandbox can do, and says nothing of the rest.
type counted struct{ inner sandbox.Backend }

var _ sandbox.Backend = (*counted)(nil)

func (c *counted) Name() string { return c.inner.Name() }

func (c *counted) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	return c.inner.Run(ctx, s)
}

func (c *counted) FindImage(ctx context.Context, key string) (sandbox.Image, error) {
	return c.inner.FindImage(ctx, key)
}

func (c *counted) ImageID(ctx context.Context, name string) (string, error) {
	return c.inner.ImageID(ctx, name)
}

func (c *counted) Pin(ctx context.Context, name string, renew bool) (string, error) {
	return c.inner.Pin(ctx, name, renew)
}

func (c *counted) BuildImage(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	return c.inner.BuildImage(ctx, s)
}

func (c *counted) Platform(ctx context.Context) (string, error) { return c.inner.Platform(ctx) }

func (c *counted) Host(ctx context.Context) (sandbox.Host, error) { return c.inner.Host(ctx) }

func (c *counted) Machine(ctx context.Context) (float64, int64, error) { return c.inner.Machine(ctx) }
