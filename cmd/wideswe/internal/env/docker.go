package env

import (
	"context"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Pin implements sandbox.Backend.
func (l *lazyDocker) Pin(ctx context.Context, name string, renew bool) (string, error) {
	d, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	return d.Pin(ctx, name, renew)
}

// Prepare implements sandbox.Preparer.
func (l *lazyDocker) Prepare(ctx context.Context, on string, in []sandbox.Source, labels map[string]string) (sandbox.Prepared, func(), error) {
	d, err := l.open(ctx)
	if err != nil {
		return sandbox.Prepared{}, nil, err
	}
	return d.Prepare(ctx, on, in, labels)
}

// Machine implements sandbox.Backend.
func (l *lazyDocker) Machine(ctx context.Context) (float64, int64, error) {
	d, err := l.open(ctx)
	if err != nil {
		return 0, 0, err
	}
	return d.Machine(ctx)
}

// Host describes the engine's machine.
func (l *lazyDocker) Host(ctx context.Context) (sandbox.Host, error) {
	d, err := l.open(ctx)
	if err != nil {
		return sandbox.Host{}, err
	}
	return d.Host(ctx)
}

func (a *Env) OpenDocker(ctx context.Context) (*sandbox.Docker, error) {
	d, err := sandbox.OpenDocker(ctx)
	if err == nil {
		a.Defer(func() { _ = d.Close() })
	}
	return d, err
}
