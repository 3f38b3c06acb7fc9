package process

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/transfer"
)

// Host describes this machine.
func (p *Sandbox) Host(ctx context.Context) (sandbox.Host, error) {
	h := sandbox.Host{Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if out, err := exec.CommandContext(ctx, "uname", "-r").Output(); err == nil {
		h.Kernel = strings.TrimSpace(string(out))
	}
	return h, nil
}

// leftIn gives what a run of the process backend left below its folder.
func leftIn(root string) sandbox.Left {
	return func(_ context.Context, dir string) (io.ReadCloser, error) {
		return transfer.DirTar(filepath.Join(root, filepath.FromSlash(sandbox.RelativePath(dir))))
	}
}

// Process runs specs as processes of this machine, in a temporary folder. It is
// for the demo and for code one trusts: it bounds time, output and files, and
// takes the network away where it may, but it is no wall.
type Sandbox struct {
	// TempDir holds the temporary folders; empty is the system's.
	TempDir string
	// Env is given to every run, below what the spec says: caches of this machine,
	// so that builds are quick.
	Env map[string]string
}

// OpenProcess makes the backend with variables that every run is given: those that name
// the caches of this machine.
func Open(env map[string]string) *Sandbox { return &Sandbox{Env: env} }

// Name implements [Backend].
func (p *Sandbox) Name() string { return "process" }

// Platform implements [Backend].
func (p *Sandbox) Platform(context.Context) (string, error) {
	return runtime.GOOS + "/" + runtime.GOARCH, nil
}

// FindImage implements [Backend]: what this machine has installed is the image.
func (p *Sandbox) FindImage(_ context.Context, key string) (sandbox.Image, error) {
	return sandbox.Image{ID: "process", Name: "process", Key: key}, nil
}

// ImageID implements [Backend].
func (p *Sandbox) ImageID(context.Context, string) (string, error) { return "process", nil }

// BuildImage implements [Backend]; nothing is built.
func (p *Sandbox) BuildImage(_ context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	return sandbox.Image{ID: "process", Name: "process", Key: s.Key}, nil
}

// Run implements [Backend].
func (p *Sandbox) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s.Limits = s.Limits.Defaults()
	root, remove, err := pipeline.Scratch(p.TempDir, "run")
	if err != nil {
		return sandbox.Result{}, sandbox.MachineError("making a temporary folder", err)
	}
	defer remove()
	if err := lay(root, s); err != nil {
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
	stop := watchFolder(root, s.Limits.Disk, func() { r.DiskFull = true; _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
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

// lay writes a spec's sources, by the same road as the container's: a tar stream.
func lay(root string, s sandbox.Spec) error {
	for _, dir := range []string{"tmp", "home", sandbox.RelativePath(s.Dir)} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, "tmp", ".script"), []byte(s.Script), 0o644); err != nil {
		return err
	}
	in := s.In
	if s.Out != "" {
		in = append(append([]sandbox.Source{}, in...), sandbox.Source{Path: s.Out})
	}
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(transfer.WriteSources(w, in)) }()
	err := unpack(root, r)
	_ = r.CloseWithError(errors.New("unpacking ended"))
	return err
}

func unpack(root string, r io.Reader) error {
	top, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer top.Close()
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpackOne(top, tr, h); err != nil {
			return err
		}
	}
}

func unpackOne(top *os.Root, r io.Reader, h *tar.Header) error {
	name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
	if err := top.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return top.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return top.Symlink(h.Linkname, name)
	}
	f, err := top.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, h.FileInfo().Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// collect reads the regular files of the out folder in bounds. Links are not followed.
func collect(dir string, l sandbox.Limits) (map[string][]byte, []string, error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return map[string][]byte{}, nil, nil
	}
	r, w := io.Pipe()
	go func() {
		tw := tar.NewWriter(w)
		err := transfer.WriteDir(tw, "out", dir)
		_ = w.CloseWithError(errors.Join(err, tw.Close()))
	}()
	defer r.CloseWithError(errors.New("reading ended"))
	return transfer.ReadFiles(r, l)
}

// CheckProcess says whether the process backend can work here.
func CheckMachine() error {
	if _, err := exec.LookPath("/bin/sh"); err != nil {
		return pipeline.Need("there is no /bin/sh; the process backend needs one")
	}
	return nil
}
