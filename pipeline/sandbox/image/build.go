// Package image is what of images no engine decides: how one is prepared in a container
// ([Build]), found or built with a log and new tries ([Making]), why a build failed
// ([buildfailure.Explainer]), what must not stay in a layer, what an archive of images may hold, how
// layers are read, registries logged in to, and which images go when room is needed.
//
// Talking to an engine is the sandbox's that has one. The words of languages are given.
package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/buildfailure"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// buildDir holds what is there during an image's making only.
const buildDir = "/tmp/wideswe-build"

// Container is a running container in which an image is prepared.
type Container interface {
	// Exec runs a command to its end. A context that is over ends the container, since
	// a command alone can't be ended.
	Exec(ctx context.Context, c Command) (exitCode int, err error)
	// CopyIn lays sources into it.
	CopyIn(ctx context.Context, in []sandbox.Source) error
	// SetNetwork connects or disconnects it.
	SetNetwork(ctx context.Context, on bool) error
	// Trouble words an error of the engine or the machine; op says what was under way.
	Trouble(op string, err error) error
}

// Command is one command of a [Container].
type Command struct {
	Name   string // what messages call it
	User   string
	Dir    string
	Env    map[string]string
	Args   []string
	Output io.Writer // takes all that it prints
}

// Build prepares an image in a container, step by step. A step that ends badly is a
// [sandbox.BuildError]. What the steps needed and the image must not hold is removed.
func Build(ctx context.Context, c Container, s sandbox.ImageSpec) error {
	b := &builder{c: c, s: s, online: true}
	if b.s.Log == nil {
		b.s.Log = io.Discard
	}
	if b.s.Explain == nil {
		b.s.Explain = buildfailure.Explainer()
	}
	if err := b.root(ctx, "noting the time",
		"touch -d '2 seconds ago' "+marker+" 2>/dev/null || touch "+marker); err != nil {
		return err
	}
	for i, step := range s.Steps {
		if err := b.step(ctx, i, step); err != nil {
			return err
		}
	}
	return b.clean(ctx)
}

// builder is an image in the making.
type builder struct {
	c      Container
	s      sandbox.ImageSpec
	online bool
}

func (b *builder) step(ctx context.Context, i int, step sandbox.Step) error {
	fmt.Fprintf(b.s.Log, "\n== %s ==\n", step.Name)
	if err := b.network(ctx, step.Network); err != nil {
		return err
	}
	if len(step.In) > 0 {
		if err := b.root(ctx, "clearing", b.removal()); err != nil {
			return err
		}
	}
	if err := b.c.CopyIn(ctx, append(b.buildFiles(i, step), step.In...)); err != nil {
		return err
	}
	if err := b.root(ctx, "laying build files", b.putFiles()); err != nil {
		return err
	}
	if err := b.exec(ctx, b.command(i, step)); err != nil {
		return err
	}
	return b.root(ctx, "taking build files away", b.takeFiles())
}

// command runs a step's script, which lies in the build's folder.
func (b *builder) command(i int, step sandbox.Step) Command {
	user := step.User
	if user == "" {
		user = sandbox.User
	}
	env := maps.Clone(b.s.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, step.Env)
	if step.Network {
		maps.Copy(env, b.s.BuildEnv)
	}
	return Command{Name: step.Name, User: user, Dir: sandbox.AbsolutePath(step.Dir), Env: env,
		Args: []string{"/bin/sh", "-e", fmt.Sprintf("%s/step-%d", buildDir, i)}}
}

// network connects or disconnects the container, where it is not so yet.
func (b *builder) network(ctx context.Context, on bool) error {
	if on == b.online {
		return nil
	}
	b.online = on
	return b.c.SetNetwork(ctx, on)
}

// buildFiles packs the step's script and the files that are there while it runs.
func (b *builder) buildFiles(i int, step sandbox.Step) []sandbox.Source {
	files := map[string][]byte{fmt.Sprintf("step-%d", i): []byte(buildfailure.Traced(step.Script))}
	for n, p := range slices.Sorted(maps.Keys(b.s.BuildFiles)) {
		files[fmt.Sprintf("file-%d", n)] = b.s.BuildFiles[p]
	}
	return []sandbox.Source{{Path: buildDir, Files: files}}
}

// putFiles lays each build file, keeping what stood at its place.
func (b *builder) putFiles() string {
	var sh strings.Builder
	fmt.Fprintf(&sh, "mkdir -p %s/kept\n", buildDir)
	for n, p := range slices.Sorted(maps.Keys(b.s.BuildFiles)) {
		q := pipeline.ShellWord(path.Clean("/" + p))
		fmt.Fprintf(&sh, "mkdir -p %s; if [ -e %s ] || [ -L %s ]; then mv %s %s/kept/%d; fi; cp %s/file-%d %s; "+
			"chmod 0644 %s\n",
			pipeline.ShellWord(path.Dir(path.Clean("/"+p))), q, q, q, buildDir, n, buildDir, n, q, q)
	}
	return sh.String()
}

// takeFiles puts back what stood there, unless the step wrote a file of its own
// (a package that brings its certificates, say): then that stays.
func (b *builder) takeFiles() string {
	var sh strings.Builder
	for n, p := range slices.Sorted(maps.Keys(b.s.BuildFiles)) {
		q := pipeline.ShellWord(path.Clean("/" + p))
		fmt.Fprintf(&sh, "if cmp -s %s %s/file-%d; then rm -f %s; if [ -e %s/kept/%d ] || [ -L %s/kept/%d ]; then "+
			"mv %s/kept/%d %s; fi; fi; rm -rf %s/kept/%d\n",
			q, buildDir, n, q, buildDir, n, buildDir, n, buildDir, n, q, buildDir, n)
	}
	if b.bundles() {
		sh.WriteString("if command -v update-ca-certificates >/dev/null; then update-ca-certificates --fresh " +
			">/dev/null; fi\n")
	}
	fmt.Fprintf(&sh, "rm -rf %s\n", buildDir)
	return sh.String()
}

func (b *builder) removal() string {
	var sh strings.Builder
	for _, dir := range b.s.Clear {
		fmt.Fprintf(&sh, "rm -rf %s\n", pipeline.ShellWord(sandbox.AbsolutePath(dir)))
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

// root runs a script of ours in the container.
func (b *builder) root(ctx context.Context, name, script string) error {
	return b.exec(ctx, Command{Name: name, User: "0:0", Dir: "/", Args: []string{"/bin/sh", "-e", "-c", script}})
}

// exec runs one command in the container, within the time that a step has.
func (b *builder) exec(ctx context.Context, c Command) error {
	limited, cancel := context.WithTimeout(ctx, b.s.Limits.Timeout)
	defer cancel()
	out := sandbox.NewOutput(64 << 10)
	c.Output = io.MultiWriter(out, &bounded{w: b.s.Log, left: b.s.Limits.Output})
	code, err := b.c.Exec(limited, c)
	tail, _ := out.Bytes()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		return b.failed(sandbox.BuildError{Step: c.Name, TimedOut: true, Tail: string(tail)})
	case err != nil || code == 0:
		return err
	case strings.Contains(string(tail), "No space left on device"):
		return b.c.Trouble(c.Name, errors.New("no space left on device"))
	}
	return b.failed(sandbox.BuildError{Step: c.Name, ExitCode: code, Tail: string(tail)})
}

// failed explains why a step ended badly.
func (b *builder) failed(e sandbox.BuildError) error {
	e.Why = b.s.Explain(e.Tail, e.ExitCode)
	return &e
}

// bounded passes on what fits and swallows the rest.
type bounded struct {
	w    io.Writer
	left int64
}

// Write never says that something was left out.
func (b *bounded) Write(p []byte) (int, error) {
	fits := min(int64(len(p)), b.left)
	b.left -= fits
	if _, err := b.w.Write(p[:fits]); err != nil {
		return 0, err
	}
	return len(p), nil
}
