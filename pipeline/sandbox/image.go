package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/wideswe/wideswe/pipeline"
)

// labelKey names the digest of all that decided an image.
const labelKey = "wideswe.key"

// buildDir holds what is there during an image's making only.
const buildDir = "/tmp/wideswe-build"

// buildCaps is what installing packages takes; setup code of strangers runs
// under [User] and can't regain any of it.
var buildCaps = []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETGID", "SETUID", "SETFCAP", "SYS_CHROOT", "KILL"}

// FindImage implements [Backend]. Whoever finds an image means to use it: that is
// noted, see [Docker.Images].
func (d *Docker) FindImage(ctx context.Context, key string) (Image, error) {
	if key == "" {
		return Image{}, nil
	}
	list, err := d.api.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelKey+"="+key))})
	if err != nil {
		return Image{}, d.trouble("looking for an image", err)
	}
	if len(list) == 0 {
		return Image{}, nil
	}
	// Of two equal ones the one that has the name, then the older: what ran before runs again.
	slices.SortFunc(list, func(a, b image.Summary) int {
		if named := len(b.RepoTags) - len(a.RepoTags); named != 0 {
			return named
		}
		return int(a.Created - b.Created)
	})
	img := Image{ID: list[0].ID, Key: key}
	if len(list[0].RepoTags) > 0 {
		img.Name = list[0].RepoTags[0]
		d.noteUse(ctx, img)
	}
	return img, nil
}

// ImageID implements [Backend]. A public image that is not there yet is pulled.
func (d *Docker) ImageID(ctx context.Context, name string) (string, error) {
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
func (d *Docker) pull(ctx context.Context, name string) error {
	if strings.HasPrefix(name, "wideswe/") || strings.HasPrefix(name, "sha256:") || name == "" {
		return &MissingImageError{Name: name}
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	progress, err := d.api.ImagePull(ctx, name, image.PullOptions{})
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
	return &MissingImageError{Name: name, Why: why}
}

// BuildImage implements [Backend]: it prepares one container step by step and
// commits it, so that what a step removes is in no layer.
func (d *Docker) BuildImage(ctx context.Context, s ImageSpec) (Image, error) {
	s.Limits = s.Limits.Defaults()
	if s.Log == nil {
		s.Log = io.Discard
	}
	b := &builder{d: d, s: s}
	defer func() {
		if b.id != "" {
			d.remove(ctx, b.id)
		}
	}()
	if err := b.create(ctx); err != nil {
		return Image{}, err
	}
	for i, step := range s.Steps {
		if err := b.step(ctx, i, step); err != nil {
			return Image{}, err
		}
	}
	if err := b.clean(ctx); err != nil {
		return Image{}, err
	}
	return b.commit(ctx)
}

type builder struct {
	d       *Docker
	s       ImageSpec
	id      string
	offline bool
}

func (b *builder) create(ctx context.Context) error {
	yes := true
	config := &container.Config{
		Image: b.s.Base, User: "0:0", WorkingDir: "/", Labels: b.d.owner.labels(nil, time.Duration(len(b.s.Steps)+1)*b.s.Limits.Timeout),
		Entrypoint: []string{"/bin/sh", "-c", "while :; do sleep 3600; done"}, Cmd: []string{},
	}
	host := &container.HostConfig{
		NetworkMode: "bridge", Init: &yes, CapDrop: []string{"ALL"}, CapAdd: buildCaps,
		SecurityOpt: []string{"no-new-privileges"}, LogConfig: container.LogConfig{Type: "none"},
		Resources: resources(b.s.Limits),
	}
	id, err := b.d.make(ctx, config, host, nil, "wideswe-build-"+random())
	if cerrdefs.IsNotFound(err) {
		return &MissingImageError{Name: b.s.Base}
	}
	if err != nil {
		return b.d.trouble("creating a container", err)
	}
	b.id = id
	if err := b.d.api.ContainerStart(ctx, b.id, container.StartOptions{}); err != nil {
		return b.d.trouble("starting a container", err)
	}
	return b.root(ctx, "noting the time", "touch -d '2 seconds ago' "+marker+" 2>/dev/null || touch "+marker)
}

func (b *builder) step(ctx context.Context, i int, step Step) error {
	fmt.Fprintf(b.s.Log, "\n== %s ==\n", step.Name)
	if err := b.network(ctx, step.Network); err != nil {
		return err
	}
	if len(step.In) > 0 {
		if err := b.root(ctx, "clearing", b.removal()); err != nil {
			return err
		}
	}
	if err := b.d.copyIn(ctx, b.id, append(b.buildFiles(i, step), step.In...)); err != nil {
		return err
	}
	if err := b.root(ctx, "laying build files", b.putFiles()); err != nil {
		return err
	}
	user, dir := step.User, path0(step.Dir)
	if user == "" {
		user = User
	}
	env := maps.Clone(b.s.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, step.Env)
	if step.Network {
		maps.Copy(env, b.s.BuildEnv)
	}
	run := fmt.Sprintf("%s/step-%d", buildDir, i)
	if err := b.exec(ctx, step.Name, user, dir, env, "/bin/sh", "-e", run); err != nil {
		return err
	}
	return b.root(ctx, "taking build files away", b.takeFiles())
}

// network connects or disconnects the container.
func (b *builder) network(ctx context.Context, on bool) (err error) {
	switch {
	case on && b.offline:
		err = b.d.api.NetworkConnect(ctx, "bridge", b.id, nil)
	case !on && !b.offline:
		err = b.d.api.NetworkDisconnect(ctx, "bridge", b.id, true)
	}
	b.offline = !on
	return b.d.trouble("switching the network", err)
}

// buildFiles packs the step's script and the files that are there while it runs.
func (b *builder) buildFiles(i int, step Step) []Source {
	files := map[string][]byte{fmt.Sprintf("step-%d", i): []byte(traced(step.Script))}
	for n, p := range slices.Sorted(maps.Keys(b.s.BuildFiles)) {
		files[fmt.Sprintf("file-%d", n)] = b.s.BuildFiles[p]
	}
	return []Source{{Path: buildDir, Files: files}}
}

// putFiles lays each build file, keeping what stood at its place.
func (b *builder) putFiles() string {
	var sh strings.Builder
	fmt.Fprintf(&sh, "mkdir -p %s/kept\n", buildDir)
	for n, p := range slices.Sorted(maps.Keys(b.s.BuildFiles)) {
		q := Quote(path.Clean("/" + p))
		fmt.Fprintf(&sh, "mkdir -p %s; if [ -e %s ] || [ -L %s ]; then mv %s %s/kept/%d; fi; cp %s/file-%d %s; chmod 0644 %s\n",
			Quote(path.Dir(path.Clean("/"+p))), q, q, q, buildDir, n, buildDir, n, q, q)
	}
	return sh.String()
}

// takeFiles puts back what stood there, unless the step wrote a file of its own
// (a package that brings its certificates, say): then that stays.
func (b *builder) takeFiles() string {
	var sh strings.Builder
	for n, p := range slices.Sorted(maps.Keys(b.s.BuildFiles)) {
		q := Quote(path.Clean("/" + p))
		fmt.Fprintf(&sh, "if cmp -s %s %s/file-%d; then rm -f %s; if [ -e %s/kept/%d ] || [ -L %s/kept/%d ]; then mv %s/kept/%d %s; fi; fi; rm -rf %s/kept/%d\n",
			q, buildDir, n, q, buildDir, n, buildDir, n, buildDir, n, q, buildDir, n)
	}
	if b.bundles() {
		sh.WriteString("if command -v update-ca-certificates >/dev/null; then update-ca-certificates --fresh >/dev/null; fi\n")
	}
	fmt.Fprintf(&sh, "rm -rf %s\n", buildDir)
	return sh.String()
}

func (b *builder) removal() string {
	var sh strings.Builder
	for _, dir := range b.s.Clear {
		fmt.Fprintf(&sh, "rm -rf %s\n", Quote(path0(dir)))
	}
	return sh.String() + ":\n"
}

// clean removes what the steps needed and the image must not hold.
func (b *builder) clean(ctx context.Context) error {
	if err := b.root(ctx, "cleaning", b.removal()); err != nil {
		return err
	}
	if err := b.scrub(ctx); err != nil {
		return err
	}
	return b.root(ctx, "cleaning", "rm -rf "+buildDir+"\nfind /tmp /var/tmp -mindepth 1 -delete\n")
}

func (b *builder) root(ctx context.Context, name, script string) error {
	return b.exec(ctx, name, "0:0", "/", nil, "/bin/sh", "-e", "-c", script)
}

// exec runs one command in the container. An exec can't be ended through the
// engine, so on a timeout the container is.
func (b *builder) exec(ctx context.Context, name, user, dir string, env map[string]string, cmd ...string) error {
	limited, cancel := context.WithTimeout(ctx, b.s.Limits.Timeout)
	defer cancel()
	made, err := b.d.api.ContainerExecCreate(ctx, b.id, container.ExecOptions{User: user, WorkingDir: dir, Env: environ(env, "", ""),
		Cmd: cmd, AttachStdout: true, AttachStderr: true})
	if err != nil {
		return b.d.trouble("preparing "+name, err)
	}
	stream, err := b.d.api.ContainerExecAttach(ctx, made.ID, container.ExecAttachOptions{})
	if err != nil {
		return b.d.trouble("starting "+name, err)
	}
	defer stream.Close()
	out := newKeeper(64 << 10)
	logged := &bounded{w: b.s.Log, left: b.s.Limits.Output}
	done := make(chan error, 1)
	go func() {
		w := io.MultiWriter(out, logged)
		_, err := stdcopy.StdCopy(w, w, stream.Reader)
		done <- err
	}()
	select {
	case <-limited.Done():
		b.d.remove(ctx, b.id)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		tail, _ := out.result()
		return &BuildError{Step: name, TimedOut: true, Tail: string(tail)}
	case err := <-done:
		if err != nil {
			return b.d.trouble("reading the output of "+name, err)
		}
	}
	return b.ended(ctx, made.ID, name, out)
}

func (b *builder) ended(ctx context.Context, exec, name string, out *keeper) error {
	// The stream may end a moment before the engine notes the exit.
	for range 100 {
		info, err := b.d.api.ContainerExecInspect(ctx, exec)
		if err != nil {
			return b.d.trouble("asking how "+name+" ended", err)
		}
		if info.Running {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		tail, _ := out.result()
		if info.ExitCode == 0 {
			return nil
		}
		if strings.Contains(string(tail), "No space left on device") {
			return b.d.trouble(name, errors.New("no space left on device"))
		}
		return &BuildError{Step: name, ExitCode: info.ExitCode, Tail: string(tail)}
	}
	return &BuildError{Step: name, Tail: "its output ended but it went on in the background"}
}

func (b *builder) commit(ctx context.Context) (Image, error) {
	labels := map[string]string{labelKey: b.s.Key, labelOn: b.s.Base}
	maps.Copy(labels, b.s.Labels)
	// The engine merges the container's labels in; those of its owner are blanked.
	for k := range b.d.owner.labels(nil, 0) {
		labels[k] = ""
	}
	config := &container.Config{User: User, WorkingDir: "/", Env: environ(b.s.Env, "", ""), Labels: labels,
		Cmd: []string{"/bin/sh"}, Entrypoint: []string{}}
	made, err := b.d.api.ContainerCommit(ctx, b.id, container.CommitOptions{Reference: b.s.Name, Comment: "wideswe " + b.s.Key, Pause: true, Config: config})
	if err != nil {
		return Image{}, b.d.trouble("storing the image", err)
	}
	return Image{ID: made.ID, Name: b.s.Name, Key: b.s.Key}, nil
}

// bounded passes on what fits and swallows the rest.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	take := min(int64(len(p)), b.left)
	b.left -= take
	if _, err := b.w.Write(p[:take]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Quote makes a word of the shell.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// RemoveImage removes an image of ours by id; layers that others share stay. Images
// that wideswe did not make are refused.
func (d *Docker) RemoveImage(ctx context.Context, id string) error {
	info, err := d.api.ImageInspect(ctx, id)
	if cerrdefs.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return d.trouble("inspecting an image", err)
	}
	if info.Config == nil || info.Config.Labels[labelKey] == "" {
		return fmt.Errorf("image %s was not made by wideswe; it stays", id)
	}
	_, err = d.api.ImageRemove(ctx, id, image.RemoveOptions{Force: true, PruneChildren: true})
	return d.trouble("removing an image", err)
}
