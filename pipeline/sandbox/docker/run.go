package docker

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/transfer"
)

// Run implements [sandbox.Backend].
func (d *Sandbox) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s.Limits = s.Limits.Defaults()
	services, err := d.startServices(ctx, s)
	if err != nil {
		services.stop(ctx)
		return sandbox.Result{}, err
	}
	r, err := d.runBeside(ctx, s, services.network)
	r.Services = services.stop(ctx)
	if err == nil {
		err = needRoom(r, func() (sandbox.Result, error) { return d.room(ctx, s) })
	}
	return r, err
}

// runBeside runs a spec on a network of services, which leads nowhere else; "" is none.
func (d *Sandbox) runBeside(ctx context.Context, s sandbox.Spec, network string) (sandbox.Result, error) {
	id, err := d.create(ctx, s, network)
	if err != nil {
		return sandbox.Result{}, err
	}
	defer d.remove(ctx, id)
	defer d.flatten(ctx, id)
	in := append([]sandbox.Source{{Path: "/tmp/wideswe", Files: map[string][]byte{".script": []byte(s.Script)}}},
		s.In...)
	if s.Out != "" {
		in = append(in, sandbox.Source{Path: s.Out})
	}
	if err := d.copyIn(ctx, id, in); err != nil {
		return sandbox.Result{}, err
	}
	r, err := d.start(ctx, id, s.Limits, s.Split)
	if err != nil {
		return r, err
	}
	r.NetworkOff = !s.Network || network != ""
	if s.After != nil {
		if err := s.After(ctx, r, d.left(id)); err != nil {
			return r, err
		}
	}
	if s.Out != "" {
		r.Files, r.Dropped, err = d.copyOut(ctx, id, s.Out, s.Limits)
	}
	return r, err
}

func (d *Sandbox) create(ctx context.Context, s sandbox.Spec, network string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s.User == "" {
		s.User = sandbox.User
	}
	config := &container.Config{
		Image: s.Image, User: s.User, WorkingDir: sandbox.AbsolutePath(s.Dir),
		Env:        sandbox.Environ(s.Env, "", gateName+":"+strconv.Itoa(gatePort)),
		Entrypoint: []string{"/bin/sh", "-e", "/tmp/wideswe/.script"}, Cmd: []string{},
		AttachStdout: true, AttachStderr: true,
		Labels: d.owner.labels(s.Labels, s.Limits.Timeout),
	}
	host := hostConfig("none", s.Limits)
	if strings.HasPrefix(s.User, "0:") {
		host.CapAdd = buildCaps // a root that may not even write where files of others lie is none
	}
	switch {
	case network != "":
		host.NetworkMode, host.DNS = container.NetworkMode(network), deaf
	case s.Network:
		host.NetworkMode = "bridge"
	}
	id, err := d.make(ctx, config, host, nil, "wideswe-"+random())
	if cerrdefs.IsNotFound(err) {
		return "", &sandbox.MissingImageError{Name: s.Image}
	}
	return id, d.trouble("creating a container", err)
}

// hostConfig gives a container a network and these capabilities alone, in bounds.
func hostConfig(network string, l sandbox.Limits, capabilities ...string) *container.HostConfig {
	yes := true
	return &container.HostConfig{
		NetworkMode: container.NetworkMode(network), Init: &yes, CapDrop: []string{"ALL"}, CapAdd: capabilities,
		SecurityOpt: []string{"no-new-privileges"},
		// Output is read from the attached stream, in bounds; a log file would have none.
		LogConfig: container.LogConfig{Type: "none"},
		Resources: resources(l),
	}
}

func resources(l sandbox.Limits) container.Resources {
	return container.Resources{
		Memory: l.Memory, MemorySwap: l.Memory, NanoCPUs: int64(l.CPUs * 1e9), PidsLimit: &l.Pids,
		Ulimits: []*container.Ulimit{
			{Name: "core", Soft: 0, Hard: 0},
			{Name: "fsize", Soft: l.FileSize, Hard: l.FileSize},
			{Name: "nofile", Soft: 16384, Hard: 16384},
		},
	}
}

func (d *Sandbox) copyIn(ctx context.Context, id string, in []sandbox.Source) error {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(transfer.WriteSources(w, in)) }()
	err := d.api.CopyToContainer(ctx, id, "/", r, container.CopyToContainerOptions{})
	// The packing goroutine ends even where the engine stopped reading.
	_ = r.CloseWithError(errors.New("the engine stopped reading"))
	return d.trouble("copying files in", err)
}

func (d *Sandbox) copyOut(ctx context.Context, id, dir string, l sandbox.Limits) (map[string][]byte, []string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*patience)
	defer cancel()
	r, _, err := d.api.CopyFromContainer(ctx, id, sandbox.AbsolutePath(dir))
	if cerrdefs.IsNotFound(err) {
		return map[string][]byte{}, nil, nil // the run removed the folder: it left nothing
	}
	if err != nil {
		return nil, nil, d.trouble("copying files out", err)
	}
	defer r.Close()
	files, dropped, err := transfer.ReadFiles(r, l)
	return files, dropped, d.trouble("copying files out", err)
}

// start runs the prepared container to its end or its time limit.
func (d *Sandbox) start(ctx context.Context, id string, l sandbox.Limits, split bool) (sandbox.Result, error) {
	stream, err := d.api.ContainerAttach(ctx, id, container.AttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		return sandbox.Result{}, d.trouble("attaching", err)
	}
	out, errs := sandbox.NewOutputs(l.Output, split)
	drained := drain(stream, out, errs)
	defer stream.Close()
	if !d.measures.Load() {
		d.written(ctx, id) // once, before anything of a stranger's runs
	}
	ended, failed := d.api.ContainerWait(ctx, id, container.WaitConditionNextExit)
	begun := time.Now()
	if err := d.api.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return sandbox.Result{}, d.trouble("starting a container", err)
	}
	w := d.watch(ctx, id, l)
	r, err := d.wait(ctx, id, l.Timeout, ended, failed)
	r.Duration = time.Since(begun)
	w.end()
	r.DiskFull, r.PidsMet = w.disk.Load(), w.pids.Load()
	if err != nil {
		return r, err
	}
	select {
	case <-drained:
	case <-time.After(10 * time.Second):
	}
	r.SetOutput(out, errs)
	return r, d.inspect(ctx, id, &r)
}

func drain(stream types.HijackedResponse, out, errs io.Writer) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = stdcopy.StdCopy(out, errs, stream.Reader)
	}()
	return done
}

// left gives what a container that has ended holds.
func (d *Sandbox) left(id string) sandbox.Left {
	return func(ctx context.Context, dir string) (io.ReadCloser, error) {
		r, _, err := d.api.CopyFromContainer(ctx, id, sandbox.AbsolutePath(dir))
		if cerrdefs.IsNotFound(err) || leadsNowhere(err) {
			return nil, fs.ErrNotExist
		}
		return r, d.trouble("copying files out", err)
	}
}

// leadsNowhere says that a path goes through a plain file or a loop of links. The engine
// has no code for these; its words stand behind the path and before it.
func leadsNowhere(err error) bool {
	return err != nil && (strings.HasSuffix(err.Error(), ": "+syscall.ENOTDIR.Error()) ||
		strings.Contains(err.Error(), ": evalSymlinksInScope: too many links in "))
}

func (d *Sandbox) wait(ctx context.Context, id string, limit time.Duration, ended <-chan container.WaitResponse,
	failed <-chan error) (sandbox.Result, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var r sandbox.Result
	for {
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-ended:
			return r, nil
		case err := <-failed:
			return r, d.trouble("waiting for a container", err)
		case <-timer.C:
			r.TimedOut = true
			if err := d.api.ContainerKill(ctx, id, "KILL"); err != nil && !cerrdefs.IsConflict(err) {
				return r, d.trouble("stopping a container", err)
			}
		}
	}
}

func (d *Sandbox) inspect(ctx context.Context, id string, r *sandbox.Result) error {
	c, err := d.api.ContainerInspect(ctx, id)
	if err != nil {
		return d.trouble("inspecting a container", err)
	}
	if c.State.Error != "" {
		return d.trouble("running a container", errors.New(c.State.Error))
	}
	r.ExitCode, r.OOM = c.State.ExitCode, c.State.OOMKilled
	return nil
}
