//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Run implements [sandbox.Backend].
func (p *Sandbox) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s.Limits = s.Limits.Defaults()
	root, remove, err := pipeline.Scratch(p.TempDir, "run")
	if err != nil {
		return sandbox.Result{}, sandbox.MachineError("making a temporary folder", err)
	}
	defer remove()
	if err := copyIn(root, s); err != nil {
		return sandbox.Result{}, sandbox.MachineError("copying files in", err)
	}
	gate := ""
	if s.Gate != nil {
		address, stop, err := listenHere(ctx, s.Gate)
		if err != nil {
			return sandbox.Result{}, sandbox.MachineError("opening the gate", err)
		}
		defer stop()
		// The gate is a port of this machine: without its network it could not be reached.
		gate, s.Network = address, true
	}
	r, err := p.execute(ctx, root, gate, s)
	if err == nil && s.After != nil {
		err = s.After(ctx, r, leftIn(root))
	}
	if err != nil || s.Out == "" {
		return r, err
	}
	r.Files, r.Dropped, err = collect(filepath.Join(root, sandbox.RelativePath(s.Out)), s.Limits)
	return r, sandbox.MachineError("copying files out", err)
}

// listenHere is the gate of the process backend: a port of this machine's loopback.
func listenHere(ctx context.Context, g *sandbox.Gate) (address string, stop func(), err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	done := make(chan struct{})
	go func() { defer close(done); g.Serve(l) }()
	return l.Addr().String(), func() { _ = l.Close(); <-done }, nil
}

func (p *Sandbox) execute(ctx context.Context, root, gate string, s sandbox.Spec) (sandbox.Result, error) {
	run, cancel := context.WithTimeout(ctx, s.Limits.Timeout)
	defer cancel()
	script := filepath.Join(root, "tmp", ".script")
	// The limits are set by a shell that then becomes the script's.
	limits := fmt.Sprintf("ulimit -c 0; ulimit -f %d; exec /bin/sh -e %q", s.Limits.FileSize/512, script)
	cmd := exec.CommandContext(run, "/bin/sh", "-c", limits)
	cmd.Dir = filepath.Join(root, sandbox.RelativePath(s.Dir))
	cmd.Env = p.environ(root, gate, s.Env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second // grandchildren may hold the pipe
	out, errs := sandbox.NewOutputs(s.Limits.Output, s.Split)
	cmd.Stdout, cmd.Stderr = out, errs
	r := sandbox.Result{}
	begun := time.Now()
	err := p.begin(cmd, s.Network, &r)
	if err != nil {
		return r, sandbox.MachineError("starting a process", err)
	}
	stop := watchFolder(root, s.Limits.Disk, func() {
		r.DiskFull = true
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	err = cmd.Wait()
	stop()
	// What the script left running is ended with it.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	r.Duration = time.Since(begun)
	r.SetOutput(out, errs)
	return r, ending(ctx, run, cmd, err, &r)
}

func (p *Sandbox) begin(cmd *exec.Cmd, network bool, r *sandbox.Result) (err error) {
	if !network {
		if r.NetworkOff, err = withoutNetwork(cmd.Start); r.NetworkOff || err != nil {
			return err
		}
	}
	return cmd.Start()
}

func ending(ctx, run context.Context, cmd *exec.Cmd, err error, r *sandbox.Result) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case run.Err() != nil:
		r.TimedOut, r.ExitCode = true, 137
		return nil
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		r.ExitCode = cmd.ProcessState.ExitCode()
	case errors.As(err, &exit):
		if r.ExitCode = exit.ExitCode(); r.ExitCode < 0 {
			r.ExitCode = 128 + int(exit.Sys().(syscall.WaitStatus).Signal())
		}
	default:
		return sandbox.MachineError("running a process", err)
	}
	return nil
}

func (p *Sandbox) environ(root, gate string, env map[string]string) []string {
	all := map[string]string{"PATH": os.Getenv("PATH"), "LANG": "C.UTF-8", "TZ": "UTC"}
	maps.Copy(all, p.Env)
	maps.Copy(all, env)
	all["HOME"], all["TMPDIR"] = filepath.Join(root, "home"), filepath.Join(root, "tmp")
	// A spec's PATH is an image's; what it puts in front of $PATH is kept.
	all["PATH"] = strings.ReplaceAll(all["PATH"], "$PATH", os.Getenv("PATH"))
	return sandbox.Environ(all, root, gate)
}

// watchFolder calls full once where a folder grows over a size; stop ends it and waits.
func watchFolder(root string, limit int64, full func()) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		pause := sandbox.WatchEvery
		for {
			select {
			case <-quit:
				return
			case <-time.After(pause):
			}
			begun := time.Now()
			if folderSize(root) > limit {
				full()
				return
			}
			pause = max(sandbox.WatchEvery, 20*time.Since(begun))
		}
	}()
	return func() { close(quit); <-done }
}

func folderSize(root string) (n int64) {
	_ = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // files come and go while tests run
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Sys().(*syscall.Stat_t).Blocks * 512 // a file of holes takes no room
		}
		return nil
	})
	return n
}
