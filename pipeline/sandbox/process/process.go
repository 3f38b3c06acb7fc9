//go:build unix

// Package process is the sandbox whose runs are processes of this machine, for the demo
// and for code that one trusts: it bounds time, output and files, and does not isolate.
// What this machine has installed serves as its one image.
package process

import (
	"context"
	"os/exec"
	"runtime"
	"strings"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Sandbox runs specs as processes of this machine, in a temporary folder. It is
// for the demo and for code one trusts: it bounds time, output and files, and
// takes the network away where it may, but it does not isolate.
type Sandbox struct {
	// TempDir holds the temporary folders; empty is the system's.
	TempDir string
	// Env is given to every run, below what the spec says: caches of this machine,
	// so that builds are quick.
	Env map[string]string
}

var _ sandbox.Backend = (*Sandbox)(nil)

// Open makes the sandbox with variables that every run is given: those that name
// the caches of this machine.
func Open(env map[string]string) *Sandbox { return &Sandbox{Env: env} }

// Name implements [sandbox.Backend].
func (p *Sandbox) Name() string { return "process" }

// Platform implements [sandbox.Backend].
func (p *Sandbox) Platform(context.Context) (string, error) {
	return runtime.GOOS + "/" + runtime.GOARCH, nil
}

// Host implements [sandbox.Backend].
func (p *Sandbox) Host(ctx context.Context) (sandbox.Host, error) {
	h := sandbox.Host{Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if out, err := exec.CommandContext(ctx, "uname", "-r").Output(); err == nil {
		h.Kernel = strings.TrimSpace(string(out))
	}
	return h, nil
}

// Machine implements [sandbox.Backend]; no limit on memory is kept here, so none is shared.
func (p *Sandbox) Machine(context.Context) (float64, int64, error) {
	return float64(runtime.NumCPU()), 1 << 50, nil
}

// Abilities implements [sandbox.Backend]: there are no images here to look into, to copy
// sources over, or to measure.
func (p *Sandbox) Abilities() sandbox.Abilities { return sandbox.NewAbilities(nil, nil, nil) }

// FindImage implements [sandbox.Backend]: what this machine has installed is the image.
func (p *Sandbox) FindImage(_ context.Context, key string) (sandbox.Image, error) {
	return sandbox.Image{ID: "process", Name: "process", Key: key}, nil
}

// ImageID implements [sandbox.Backend].
func (p *Sandbox) ImageID(context.Context, string) (string, error) { return "process", nil }

// Pin implements [sandbox.Backend].
func (p *Sandbox) Pin(context.Context, string, bool) (string, error) { return "process", nil }

// BuildImage implements [sandbox.Backend]; nothing is built.
func (p *Sandbox) BuildImage(_ context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	return sandbox.Image{ID: "process", Name: "process", Key: s.Key}, nil
}
