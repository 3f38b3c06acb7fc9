package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
)

// Ignore answers what a tree's own ignore files say of its paths. The git program
// answers, since nothing else reads those rules exactly as git does; it sees the
// ignore files alone, in a folder of ours, and nobody's configuration.
type Ignore struct {
	dir    string
	remove func()
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	cancel context.CancelFunc
}

// maxIgnoreFile bounds one ignore file.
const maxIgnoreFile = 1 << 20

// NewIgnore takes a tree's ignore files, by their paths; Close is to be called in any case.
func NewIgnore(ctx context.Context, files map[string][]byte) (*Ignore, error) {
	dir, remove, err := pipeline.Scratch("", "ignore")
	if err != nil {
		return nil, err
	}
	g := &Ignore{dir: dir, remove: remove}
	if err := errors.Join(g.lay(files), g.begin(ctx)); err != nil {
		remove()
		return nil, err
	}
	return g, nil
}

func (g *Ignore) tree() string { return filepath.Join(g.dir, "tree") }

func (g *Ignore) lay(files map[string][]byte) error {
	if err := os.Mkdir(g.tree(), 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(g.tree())
	if err != nil {
		return err
	}
	defer root.Close()
	for name, text := range files {
		if why := checkPath(name); why != "" || len(text) > maxIgnoreFile {
			continue // it rules nothing that may be in a patch
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (g *Ignore) begin(ctx context.Context) error {
	store := filepath.Join(g.dir, "store")
	if _, stderr, err := git(ctx, g.tree(), store, nil, "init", "--quiet", "--template=",
		"--initial-branch=none"); err != nil {
		return fmt.Errorf("git init: %s: %w", firstLine(stderr, err), err)
	}
	ctx, g.cancel = context.WithCancel(ctx)
	g.cmd = exec.CommandContext(ctx, "git", "check-ignore", "--no-index", "--verbose", "--non-matching", "--stdin", "-z")
	g.cmd.Dir, g.cmd.Env = g.tree(), append(gitEnv(g.tree(), store), "GIT_WORK_TREE="+g.tree(), "GIT_FLUSH=1")
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		return err
	}
	g.out = bufio.NewReader(out)
	return g.cmd.Start()
}

// Ignored says whether the rules leave a file out, and by which pattern.
func (g *Ignore) Ignored(path string) (pattern string, ignored bool, err error) {
	if _, err := io.WriteString(g.in, path+"\x00"); err != nil {
		return "", false, fmt.Errorf("asking git check-ignore: %w", err)
	}
	var answer [4]string // file of the pattern, its line, the pattern, the path
	for i := range answer {
		s, err := g.out.ReadString(0)
		if err != nil {
			return "", false, fmt.Errorf("asking git check-ignore of %q: %w", path, err)
		}
		answer[i] = s[:len(s)-1]
	}
	pattern = answer[2]
	return pattern, pattern != "" && pattern[0] != '!', nil
}

// Close ends it.
func (g *Ignore) Close() error {
	g.cancel()
	_ = g.in.Close()
	_ = g.cmd.Wait()
	g.remove()
	return nil
}
