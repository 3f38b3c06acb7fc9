package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// gateMemory bounds the carrier; what it holds is bounded by its windows.
const gateMemory = 256 << 20

// openGate starts the carrier of a run's gate on the network of its services.
func (v *services) openGate(ctx context.Context, s sandbox.Spec) error {
	config := &container.Config{Image: s.Gate.Image, User: sandbox.User,
		Entrypoint: []string{"perl", "-e", relayScript, strconv.Itoa(gatePort), strconv.Itoa(gateWindow),
			strconv.Itoa(maxFrame)}, Cmd: []string{},
		AttachStdin: true, AttachStdout: true, AttachStderr: true, OpenStdin: true, StdinOnce: true,
		Labels: v.d.owner.labels(s.Labels, s.Limits.Timeout)}
	limits := s.Limits
	limits.Memory, limits.Pids = gateMemory, 64
	host := hostConfig(v.network, limits)
	host.ReadonlyRootfs, host.DNS = true, deaf
	id, err := v.d.make(ctx, config, host, v.named(gateName), "wideswe-gate-"+random())
	if cerrdefs.IsNotFound(err) {
		return &sandbox.MissingImageError{Name: s.Gate.Image}
	}
	if err != nil {
		return v.d.trouble("creating the gate", err)
	}
	v.ids = append(v.ids, id)
	return v.carry(ctx, id, s.Gate)
}

// carry connects the carrier's streams with the gate's server.
func (v *services) carry(ctx context.Context, id string, g *sandbox.Gate) error {
	stream, err := v.d.api.ContainerAttach(ctx, id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true,
		Stderr: true})
	if err != nil {
		return v.d.trouble("attaching to the gate", err)
	}
	said := sandbox.NewOutput(serviceOutput)
	frames, feed := io.Pipe()
	go func() {
		_, err := stdcopy.StdCopy(feed, said, stream.Reader)
		_ = feed.CloseWithError(errors.Join(err, io.EOF))
	}()
	m := newMux(stream.Conn)
	ended, served := make(chan error, 1), make(chan struct{})
	go func() { ended <- m.read(frames); _ = frames.Close() }()
	go func() { defer close(served); g.Serve(m) }()
	v.closers = append(v.closers, func() { _ = m.Close(); stream.Close(); <-served })
	if err := v.d.api.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return v.d.trouble("starting the gate", err)
	}
	select {
	case <-m.hello:
		return nil
	case <-ended:
		text, _ := said.Bytes()
		return &sandbox.ServiceError{Name: gateName, Why: "ended; its image needs perl", Log: string(text)}
	case <-time.After(servicePatience):
		return &sandbox.ServiceError{Name: gateName, Why: fmt.Sprintf("was not ready after %s", servicePatience),
			Log: ""}
	case <-ctx.Done():
		return ctx.Err()
	}
}
