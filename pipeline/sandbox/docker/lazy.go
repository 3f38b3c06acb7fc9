package docker

import (
	"context"
	"sync"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Lazy is a [Sandbox] that connects when something is first asked of it: a command that
// has nothing to run needs no engine.
type Lazy struct {
	mu sync.Mutex
	d  *Sandbox
}

// What it passes on.
var (
	_ sandbox.Backend    = (*Lazy)(nil)
	_ sandbox.Layers     = (*Lazy)(nil)
	_ sandbox.Preparer   = (*Lazy)(nil)
	_ sandbox.ImageSizes = (*Lazy)(nil)
)

// Close closes the connection, where there is one.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.d == nil {
		return nil
	}
	return l.d.Close()
}

func (l *Lazy) open(ctx context.Context) (*Sandbox, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.d != nil {
		return l.d, nil
	}
	d, err := Open(ctx)
	if err != nil {
		return nil, err
	}
	l.d = d
	return d, nil
}

// answer gives what the sandbox answers to a question, connecting first.
func answer[T any](ctx context.Context, l *Lazy, question func(d *Sandbox) (T, error)) (none T, err error) {
	d, err := l.open(ctx)
	if err != nil {
		return none, err
	}
	return question(d)
}

// Name implements [sandbox.Backend].
func (l *Lazy) Name() string { return "docker" }

// Abilities implements [sandbox.Backend].
func (l *Lazy) Abilities() sandbox.Abilities { return sandbox.NewAbilities(l, l, l) }

// Run implements [sandbox.Backend].
func (l *Lazy) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	return answer(ctx, l, func(d *Sandbox) (sandbox.Result, error) { return d.Run(ctx, s) })
}

// FindImage implements [sandbox.Backend].
func (l *Lazy) FindImage(ctx context.Context, key string) (sandbox.Image, error) {
	return answer(ctx, l, func(d *Sandbox) (sandbox.Image, error) { return d.FindImage(ctx, key) })
}

// ImageID implements [sandbox.Backend].
func (l *Lazy) ImageID(ctx context.Context, name string) (string, error) {
	return answer(ctx, l, func(d *Sandbox) (string, error) { return d.ImageID(ctx, name) })
}

// Pin implements [sandbox.Backend].
func (l *Lazy) Pin(ctx context.Context, name string, renew bool) (string, error) {
	return answer(ctx, l, func(d *Sandbox) (string, error) { return d.Pin(ctx, name, renew) })
}

// BuildImage implements [sandbox.Backend].
func (l *Lazy) BuildImage(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	return answer(ctx, l, func(d *Sandbox) (sandbox.Image, error) { return d.BuildImage(ctx, s) })
}

// Platform implements [sandbox.Backend].
func (l *Lazy) Platform(ctx context.Context) (string, error) {
	return answer(ctx, l, func(d *Sandbox) (string, error) { return d.Platform(ctx) })
}

// Host implements [sandbox.Backend].
func (l *Lazy) Host(ctx context.Context) (sandbox.Host, error) {
	return answer(ctx, l, func(d *Sandbox) (sandbox.Host, error) { return d.Host(ctx) })
}

// Machine implements [sandbox.Backend].
func (l *Lazy) Machine(ctx context.Context) (cpus float64, memory int64, err error) {
	d, err := l.open(ctx)
	if err != nil {
		return 0, 0, err
	}
	return d.Machine(ctx)
}

// Layers implements [sandbox.Layers].
func (l *Lazy) Layers(ctx context.Context, id, base string, visit sandbox.VisitLayer) error {
	d, err := l.open(ctx)
	if err != nil {
		return err
	}
	return d.Layers(ctx, id, base, visit)
}

// Prepare implements [sandbox.Preparer].
func (l *Lazy) Prepare(ctx context.Context, on string, in []sandbox.Source,
	labels map[string]string) (p sandbox.Prepared, remove func(), err error) {
	d, err := l.open(ctx)
	if err != nil {
		return p, nil, err
	}
	return d.Prepare(ctx, on, in, labels)
}

// ImageBytes implements [sandbox.ImageSizes].
func (l *Lazy) ImageBytes(ctx context.Context, id string) (int64, error) {
	return answer(ctx, l, func(d *Sandbox) (int64, error) { return d.ImageBytes(ctx, id) })
}
