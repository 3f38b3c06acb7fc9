// Package docker is the sandbox whose runs are containers of a Docker engine.
//
// A run's container has no rights, no network and no mount of the host's; what it
// leaves behind, by whatever end, is removed at once or by the next process's sweep. What
// of an image no engine decides is package image's.
package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/docker/docker/client"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Sandbox runs specs as containers of a Docker engine.
type Sandbox struct {
	api   *client.Client
	owner owner
	// measures says that the engine was seen to know how much a container wrote.
	measures *atomic.Bool
}

// What this sandbox can do.
var (
	_ sandbox.Backend    = (*Sandbox)(nil)
	_ sandbox.Layers     = (*Sandbox)(nil)
	_ sandbox.Preparer   = (*Sandbox)(nil)
	_ sandbox.ImageSizes = (*Sandbox)(nil)
)

// patience bounds single questions to the engine, which answer at once or never.
const patience = time.Minute

// Open connects to the engine that the environment names (DOCKER_HOST, …)
// and removes containers that dead processes of ours left behind.
func Open(ctx context.Context) (*Sandbox, error) {
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, pipeline.Need("the Docker settings of the environment can't be used: %v; correct DOCKER_HOST", err)
	}
	d := &Sandbox{api: api, owner: thisProcess(), measures: new(atomic.Bool)}
	if err := d.ping(ctx); err != nil {
		return nil, errors.Join(err, api.Close())
	}
	if err := d.Sweep(ctx); err != nil {
		return nil, errors.Join(err, api.Close())
	}
	return d, nil
}

func (d *Sandbox) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := d.api.Ping(ctx); err != nil {
		return d.trouble("asking Docker", err)
	}
	return nil
}

// Close closes the connection.
func (d *Sandbox) Close() error { return d.api.Close() }

// Name implements [sandbox.Backend].
func (d *Sandbox) Name() string { return "docker" }

// Platform implements [sandbox.Backend].
func (d *Sandbox) Platform(ctx context.Context) (string, error) {
	v, err := d.api.ServerVersion(ctx)
	if err != nil {
		return "", d.trouble("asking Docker for its version", err)
	}
	return v.Os + "/" + v.Arch, nil
}

// Host implements [sandbox.Backend].
func (d *Sandbox) Host(ctx context.Context) (sandbox.Host, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := d.api.ServerVersion(ctx)
	if err != nil {
		return sandbox.Host{}, d.trouble("asking Docker for its version", err)
	}
	return sandbox.Host{Platform: v.Os + "/" + v.Arch, Engine: "docker " + v.Version, Kernel: v.KernelVersion}, nil
}

// Machine implements [sandbox.Backend].
func (d *Sandbox) Machine(ctx context.Context) (float64, int64, error) {
	info, err := d.api.Info(ctx)
	if err != nil {
		return 0, 0, d.trouble("asking Docker", err)
	}
	return float64(info.NCPU), info.MemTotal, nil
}

// Abilities implements [sandbox.Backend].
func (d *Sandbox) Abilities() sandbox.Abilities { return sandbox.NewAbilities(d, d, d) }

// trouble wraps an engine's error and adds the next step where a person must act.
func (d *Sandbox) trouble(op string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	e := &sandbox.InfraError{Op: op, Err: err}
	switch text := err.Error(); {
	case client.IsErrConnectionFailed(err), strings.Contains(text, "permission denied while trying to connect"):
		e.Need = fmt.Sprintf("Docker does not answer at %s: start it (systemctl start docker), "+
			"or use --sandbox process for the demo", d.api.DaemonHost())
	case strings.Contains(text, "no space left on device"):
		e.Need = fullDisk
	}
	return e
}

// CheckMachine tells whether an engine answers, its version and its storage.
func CheckMachine(ctx context.Context) []sandbox.Check {
	d, err := Open(ctx)
	if err != nil {
		return []sandbox.Check{{Name: "docker", OK: false, Detail: err.Error()}}
	}
	defer d.Close()
	info, err := d.api.Info(ctx)
	if err != nil {
		return []sandbox.Check{{Name: "docker", OK: false, Detail: d.trouble("asking Docker", err).Error()}}
	}
	checks := []sandbox.Check{
		{Name: "docker", OK: true, Detail: fmt.Sprintf("version %s at %s, %s/%s", info.ServerVersion,
			d.api.DaemonHost(), info.OSType, info.Architecture)},
		{Name: "docker machine", OK: info.NCPU >= 2 && info.MemTotal >= 4<<30,
			Detail: fmt.Sprintf("%d CPUs, %.1f GB of memory", info.NCPU, float64(info.MemTotal)/1e9)},
		{Name: "docker storage", OK: true, Detail: fmt.Sprintf("%s in %s, %d images", info.Driver, info.DockerRootDir,
			info.Images)},
	}
	if !info.MemoryLimit || !info.PidsLimit {
		checks = append(checks, sandbox.Check{Name: "docker limits", OK: false,
			Detail: "the engine can't bound memory or processes; enable its cgroups"})
	}
	return checks
}
