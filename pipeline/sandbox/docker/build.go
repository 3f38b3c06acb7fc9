package docker

import (
	"context"
	"errors"
	"maps"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// buildCaps is what installing packages takes; setup code of strangers runs
// under [sandbox.User] and can't regain any of it.
var buildCaps = []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETGID", "SETUID", "SETFCAP", "SYS_CHROOT",
	"KILL"}

// BuildImage implements [sandbox.Backend]: it prepares one container step by step and
// commits it, so that what a step removes is in no layer.
func (d *Sandbox) BuildImage(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	s.Limits = s.Limits.Defaults()
	c := &buildContainer{d: d}
	defer func() {
		if c.id != "" {
			d.remove(ctx, c.id)
		}
	}()
	if err := c.open(ctx, s); err != nil {
		return sandbox.Image{}, err
	}
	if err := image.Build(ctx, c, s); err != nil {
		return sandbox.Image{}, err
	}
	return c.commit(ctx, s)
}

// buildContainer is the [image.Container] of this engine.
type buildContainer struct {
	d  *Sandbox
	id string
}

// open makes the container and starts it, its network on.
func (c *buildContainer) open(ctx context.Context, s sandbox.ImageSpec) error {
	config := &container.Config{
		Image: s.Base, User: "0:0", WorkingDir: "/",
		Labels:     c.d.owner.labels(nil, time.Duration(len(s.Steps)+1)*s.Limits.Timeout),
		Entrypoint: []string{"/bin/sh", "-c", "while :; do sleep 3600; done"}, Cmd: []string{},
	}
	host := hostConfig("bridge", s.Limits, buildCaps...)
	id, err := c.d.make(ctx, config, host, nil, "wideswe-build-"+random())
	if cerrdefs.IsNotFound(err) {
		return &sandbox.MissingImageError{Name: s.Base}
	}
	if err != nil {
		return c.d.trouble("creating a container", err)
	}
	c.id = id
	err = c.d.api.ContainerStart(ctx, id, container.StartOptions{})
	return c.d.trouble("starting a container", err)
}

// Trouble implements [image.Container].
func (c *buildContainer) Trouble(op string, err error) error { return c.d.trouble(op, err) }

// CopyIn implements [image.Container].
func (c *buildContainer) CopyIn(ctx context.Context, in []sandbox.Source) error {
	return c.d.copyIn(ctx, c.id, in)
}

// SetNetwork implements [image.Container].
func (c *buildContainer) SetNetwork(ctx context.Context, on bool) (err error) {
	if on {
		err = c.d.api.NetworkConnect(ctx, "bridge", c.id, nil)
	} else {
		err = c.d.api.NetworkDisconnect(ctx, "bridge", c.id, true)
	}
	return c.d.trouble("switching the network", err)
}

// Exec implements [image.Container]. An exec can't be ended through the engine, so that
// where its time is over the container is.
func (c *buildContainer) Exec(ctx context.Context, cmd image.Command) (int, error) {
	made, err := c.d.api.ContainerExecCreate(ctx, c.id, container.ExecOptions{User: cmd.User, WorkingDir: cmd.Dir,
		Env: sandbox.Environ(cmd.Env, "", ""), Cmd: cmd.Args, AttachStdout: true, AttachStderr: true})
	if err != nil {
		return 0, c.d.trouble("preparing "+cmd.Name, err)
	}
	stream, err := c.d.api.ContainerExecAttach(ctx, made.ID, container.ExecAttachOptions{})
	if err != nil {
		return 0, c.d.trouble("starting "+cmd.Name, err)
	}
	defer stream.Close()
	done := make(chan error, 1)
	go func() {
		_, err := stdcopy.StdCopy(cmd.Output, cmd.Output, stream.Reader)
		done <- err
	}()
	select {
	case <-ctx.Done():
		c.d.remove(ctx, c.id)
		return 0, ctx.Err()
	case err := <-done:
		if err != nil {
			return 0, c.d.trouble("reading the output of "+cmd.Name, err)
		}
	}
	return c.exitCode(ctx, made.ID, cmd.Name)
}

// exitCode asks how a command ended whose output has ended.
func (c *buildContainer) exitCode(ctx context.Context, exec, name string) (int, error) {
	code, err := c.d.execEnd(ctx, exec)
	if errors.Is(err, errStillRunning) {
		return 0, &sandbox.BuildError{Step: name, Tail: err.Error()}
	}
	return code, c.d.trouble("asking how "+name+" ended", err)
}

// commit makes an image of the container.
func (c *buildContainer) commit(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	labels := map[string]string{image.LabelKey: s.Key, image.LabelOn: s.Base}
	maps.Copy(labels, s.Labels)
	// The engine merges the container's labels in; those of its owner are blanked.
	for k := range c.d.owner.labels(nil, 0) {
		labels[k] = ""
	}
	config := &container.Config{User: sandbox.User, WorkingDir: "/", Env: sandbox.Environ(s.Env, "", ""),
		Labels: labels, Cmd: []string{"/bin/sh"}, Entrypoint: []string{}}
	made, err := c.d.api.ContainerCommit(ctx, c.id, container.CommitOptions{Reference: s.Name,
		Comment: "wideswe " + s.Key, Pause: true, Config: config})
	if err != nil {
		return sandbox.Image{}, c.d.trouble("storing the image", err)
	}
	return sandbox.Image{ID: made.ID, Name: s.Name, Key: s.Key}, nil
}
