package sandbox

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
)

// Host is where runs take place, for records.
type Host struct {
	Platform string // os/architecture of what runs
	Engine   string // and its version; empty where there is none
	Kernel   string
}

// Host describes the engine's machine.
func (d *Docker) Host(ctx context.Context) (Host, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := d.api.ServerVersion(ctx)
	if err != nil {
		return Host{}, d.trouble("asking Docker for its version", err)
	}
	return Host{Platform: v.Os + "/" + v.Arch, Engine: "docker " + v.Version, Kernel: v.KernelVersion}, nil
}

// Host describes this machine.
func (p *Process) Host(ctx context.Context) (Host, error) {
	h := Host{Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if out, err := exec.CommandContext(ctx, "uname", "-r").Output(); err == nil {
		h.Kernel = strings.TrimSpace(string(out))
	}
	return h, nil
}
