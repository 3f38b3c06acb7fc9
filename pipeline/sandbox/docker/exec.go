package docker

import (
	"context"
	"errors"
	"io"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

const (
	execTries = 5
	execPause = 200 * time.Millisecond
	// An exec's stream may end a moment before the engine notes the exit.
	exitTries = 100
	exitPause = 50 * time.Millisecond
)

var errStillRunning = errors.New("its output ended but it went on in the background")

// exec runs a short command in a container. That the container has ended meanwhile is
// no error here, and what the engine refuses while the container runs is tried again:
// for a moment after a container's end the engine still takes it for running.
func (d *Sandbox) exec(ctx context.Context, id string, command ...string) (out string, code int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for range execTries {
		if out, code, err = d.execOnce(ctx, id, command); err == nil {
			return out, code, nil
		}
		running, unknown := d.running(ctx, id)
		if unknown != nil {
			return "", 1, d.trouble("asking a service", unknown)
		}
		if !running {
			return "", 1, nil
		}
		if err := sleep(ctx, execPause); err != nil {
			return "", 1, err
		}
	}
	return "", 1, d.trouble("asking a service", err)
}

func (d *Sandbox) execOnce(ctx context.Context, id string, command []string) (out string, code int, err error) {
	made, err := d.api.ContainerExecCreate(ctx, id, container.ExecOptions{Cmd: command, AttachStdout: true,
		AttachStderr: true})
	if err != nil {
		return "", 1, err
	}
	stream, err := d.api.ContainerExecAttach(ctx, made.ID, container.ExecAttachOptions{})
	if err != nil {
		return "", 1, err
	}
	defer stream.Close()
	kept := sandbox.NewOutput(serviceOutput)
	if _, err := stdcopy.StdCopy(kept, io.Discard, stream.Reader); err != nil {
		return "", 1, err
	}
	if code, err = d.execEnd(ctx, made.ID); errors.Is(err, errStillRunning) {
		err = nil // not the engine's trouble: the command has not succeeded
	}
	text, _ := kept.Bytes()
	return string(text), code, err
}

// execEnd gives the exit code of an exec whose output has ended.
func (d *Sandbox) execEnd(ctx context.Context, exec string) (int, error) {
	for range exitTries {
		info, err := d.api.ContainerExecInspect(ctx, exec)
		if err != nil {
			return 1, err
		}
		if !info.Running {
			return info.ExitCode, nil
		}
		if err := sleep(ctx, exitPause); err != nil {
			return 1, err
		}
	}
	return 1, errStillRunning
}

// running says whether a container is there and runs.
func (d *Sandbox) running(ctx context.Context, id string) (bool, error) {
	c, err := d.api.ContainerInspect(ctx, id)
	if cerrdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil && c.State.Running, err
}

// sleep waits for a time, unless the context ends before it.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
