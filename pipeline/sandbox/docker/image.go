package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	engine "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/pkg/stdcopy"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// buildCaps is what installing packages takes; setup code of strangers runs
// under [User] and can't regain any of it.
var buildCaps = []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETGID", "SETUID", "SETFCAP", "SYS_CHROOT", "KILL"}

// FindImage implements [Backend]. Whoever finds an image means to use it: that is
// noted, see [Docker.Images].
func (d *Sandbox) FindImage(ctx context.Context, key string) (sandbox.Image, error) {
	if key == "" {
		return sandbox.Image{}, nil
	}
	list, err := d.api.ImageList(ctx, engine.ListOptions{Filters: filters.NewArgs(filters.Arg("label", image.LabelKey+"="+key))})
	if err != nil {
		return sandbox.Image{}, d.trouble("looking for an image", err)
	}
	if len(list) == 0 {
		return sandbox.Image{}, nil
	}
	// Of two equal ones the one that has the name, then the older: what ran before runs again.
	slices.SortFunc(list, func(a, b engine.Summary) int {
		if named := len(b.RepoTags) - len(a.RepoTags); named != 0 {
			return named
		}
		return int(a.Created - b.Created)
	})
	img := sandbox.Image{ID: list[0].ID, Key: key}
	if len(list[0].RepoTags) > 0 {
		img.Name = list[0].RepoTags[0]
		d.noteUse(ctx, img)
	}
	return img, nil
}

// ImageID implements [Backend]. A public image that is not there yet is pulled.
func (d *Sandbox) ImageID(ctx context.Context, name string) (string, error) {
	info, err := d.api.ImageInspect(ctx, name)
	if cerrdefs.IsNotFound(err) {
		if err := d.pull(ctx, name); err != nil {
			return "", err
		}
		info, err = d.api.ImageInspect(ctx, name)
	}
	return info.ID, d.trouble("inspecting an image", err)
}

// pull fetches an image. Names and ids that only this machine gives are never
// asked for: a stranger could have registered the name.
func (d *Sandbox) pull(ctx context.Context, name string) error {
	if strings.HasPrefix(name, "wideswe/") || strings.HasPrefix(name, "sha256:") || name == "" {
		return &sandbox.MissingImageError{Name: name}
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	progress, err := d.api.ImagePull(ctx, name, engine.PullOptions{})
	if err == nil {
		_, err = io.Copy(io.Discard, progress) // the pull ends with its progress
		err = errors.Join(err, progress.Close())
	}
	if err == nil {
		return nil
	}
	// That the engine is down, its disk full or the person in a hurry is not the image's.
	var need *pipeline.NeedError
	if err := d.trouble("pulling an image", err); errors.As(err, &need) || errors.Is(err, context.Canceled) {
		return err
	}
	why, _, _ := strings.Cut(strings.ToValidUTF8(err.Error(), ""), "\n")
	return &sandbox.MissingImageError{Name: name, Why: why}
}

// BuildImage implements [Backend]: it prepares one container step by step and
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

// buildContainer is the [Container] of this engine.
type buildContainer struct {
	d  *Sandbox
	id string
}

// open makes the container and starts it, its network on.
func (c *buildContainer) open(ctx context.Context, s sandbox.ImageSpec) error {
	yes := true
	config := &container.Config{
		Image: s.Base, User: "0:0", WorkingDir: "/", Labels: c.d.owner.labels(nil, time.Duration(len(s.Steps)+1)*s.Limits.Timeout),
		Entrypoint: []string{"/bin/sh", "-c", "while :; do sleep 3600; done"}, Cmd: []string{},
	}
	host := &container.HostConfig{
		NetworkMode: "bridge", Init: &yes, CapDrop: []string{"ALL"}, CapAdd: buildCaps,
		SecurityOpt: []string{"no-new-privileges"}, LogConfig: container.LogConfig{Type: "none"},
		Resources: resources(s.Limits),
	}
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

// Trouble implements [Container].
func (c *buildContainer) Trouble(op string, err error) error { return c.d.trouble(op, err) }

// CopyIn implements [Container].
func (c *buildContainer) CopyIn(ctx context.Context, in []sandbox.Source) error {
	return c.d.copyIn(ctx, c.id, in)
}

// SetNetwork implements [Container].
func (c *buildContainer) SetNetwork(ctx context.Context, on bool) (err error) {
	if on {
		err = c.d.api.NetworkConnect(ctx, "bridge", c.id, nil)
	} else {
		err = c.d.api.NetworkDisconnect(ctx, "bridge", c.id, true)
	}
	return c.d.trouble("switching the network", err)
}

// Exec implements [Container]. An exec can't be ended through the engine, so that
// where its time is over the container is.
func (c *buildContainer) Exec(ctx context.Context, cmd image.Command) (int, error) {
	made, err := c.d.api.ContainerExecCreate(ctx, c.id, container.ExecOptions{User: cmd.User, WorkingDir: cmd.Dir, Env: sandbox.Environ(cmd.Env, "", ""),
		Cmd: cmd.Args, AttachStdout: true, AttachStderr: true})
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
	// The stream may end a moment before the engine notes the exit.
	for range 100 {
		info, err := c.d.api.ContainerExecInspect(ctx, exec)
		if err != nil {
			return 0, c.d.trouble("asking how "+name+" ended", err)
		}
		if !info.Running {
			return info.ExitCode, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return 0, &sandbox.BuildError{Step: name, Tail: "its output ended but it went on in the background"}
}

// commit makes an image of the container.
func (c *buildContainer) commit(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	labels := map[string]string{image.LabelKey: s.Key, image.LabelOn: s.Base}
	maps.Copy(labels, s.Labels)
	// The engine merges the container's labels in; those of its owner are blanked.
	for k := range c.d.owner.labels(nil, 0) {
		labels[k] = ""
	}
	config := &container.Config{User: sandbox.User, WorkingDir: "/", Env: sandbox.Environ(s.Env, "", ""), Labels: labels,
		Cmd: []string{"/bin/sh"}, Entrypoint: []string{}}
	made, err := c.d.api.ContainerCommit(ctx, c.id, container.CommitOptions{Reference: s.Name, Comment: "wideswe " + s.Key, Pause: true, Config: config})
	if err != nil {
		return sandbox.Image{}, c.d.trouble("storing the image", err)
	}
	return sandbox.Image{ID: made.ID, Name: s.Name, Key: s.Key}, nil
}

// RemoveImage removes an image of ours by id; layers that others share stay. Images
// that wideswe did not make are refused.
func (d *Sandbox) RemoveImage(ctx context.Context, id string) error {
	info, err := d.api.ImageInspect(ctx, id)
	if cerrdefs.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return d.trouble("inspecting an image", err)
	}
	if info.Config == nil || info.Config.Labels[image.LabelKey] == "" {
		return fmt.Errorf("image %s was not made by wideswe; it stays", id)
	}
	_, err = d.api.ImageRemove(ctx, id, engine.RemoveOptions{Force: true, PruneChildren: true})
	return d.trouble("removing an image", err)
}
