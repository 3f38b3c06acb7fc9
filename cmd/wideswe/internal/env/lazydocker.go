package env

import (
	"archive/tar"
	"context"
	"io"
	"sync"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// lazyDocker connects to Docker when something is run first: a command that has nothing to run needs no engine.
type lazyDocker struct {
	later func(func())
	mu    sync.Mutex
	d     *sandbox.Docker
}

func (l *lazyDocker) open(ctx context.Context) (*sandbox.Docker, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.d != nil {
		return l.d, nil
	}
	d, err := sandbox.OpenDocker(ctx)
	if err != nil {
		return nil, err
	}
	l.later(func() { _ = d.Close() })
	l.d = d
	return d, nil
}

func (l *lazyDocker) Name() string { return "docker" }

func (l *lazyDocker) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	d, err := l.open(ctx)
	if err != nil {
		return sandbox.Result{}, err
	}
	return d.Run(ctx, s)
}

func (l *lazyDocker) FindImage(ctx context.Context, key string) (sandbox.Image, error) {
	d, err := l.open(ctx)
	if err != nil {
		return sandbox.Image{}, err
	}
	return d.FindImage(ctx, key)
}

func (l *lazyDocker) ImageID(ctx context.Context, name string) (string, error) {
	d, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	return d.ImageID(ctx, name)
}

func (l *lazyDocker) BuildImage(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	d, err := l.open(ctx)
	if err != nil {
		return sandbox.Image{}, err
	}
	return d.BuildImage(ctx, s)
}

func (l *lazyDocker) Platform(ctx context.Context) (string, error) {
	d, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	return d.Platform(ctx)
}

func (l *lazyDocker) ImageBytes(ctx context.Context, id string) (int64, error) {
	d, err := l.open(ctx)
	if err != nil {
		return 0, err
	}
	return d.ImageBytes(ctx, id)
}

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

// Layers walks an image's layers, for the search for leaks.
func (l *lazyDocker) Layers(ctx context.Context, image, base string, visit func(layer string, h *tar.Header, r io.Reader) error) error {
	d, err := l.open(ctx)
	if err != nil {
		return err
	}
	return d.Layers(ctx, image, base, visit)
}
