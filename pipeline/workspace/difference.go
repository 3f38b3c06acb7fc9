package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// Difference makes a patch from contents that are handed over file by file, of which
// no tree need lie on disk. It keeps them in a git store of its own in a temporary
// folder: what the trees say of attributes, filters and hooks is nobody's word here.
type Difference struct {
	dir    string
	remove func()
	cmd    *exec.Cmd
	in     *bufio.Writer
	stdin  io.WriteCloser
	stderr bytes.Buffer
	cancel context.CancelFunc
	marks  int
	sides  [2][]side
}

// side is one path of one side.
type side struct {
	path, mode string
	mark       int // 0 is a submodule, whose commit is id
	id         string
}

// NewDifference begins one; Close is to be called in any case.
func NewDifference(ctx context.Context) (*Difference, error) {
	dir, remove, err := pipeline.Scratch("", "difference")
	if err != nil {
		return nil, err
	}
	d := &Difference{dir: dir, remove: remove}
	if err := d.begin(ctx); err != nil {
		remove()
		return nil, err
	}
	return d, nil
}

func (d *Difference) gitDir() string { return filepath.Join(d.dir, "store") }

func (d *Difference) begin(ctx context.Context) error {
	if _, stderr, err := git(ctx, d.dir, d.gitDir(), nil, "init", "--quiet", "--bare", "--template=",
		"--initial-branch=none"); err != nil {
		return fmt.Errorf("git init: %s: %w", firstLine(stderr, err), err)
	}
	// The highest word on attributes: files are bytes, and no name makes them others.
	if err := plainAttributes(d.gitDir(), "!diff !merge !working-tree-encoding"); err != nil {
		return err
	}
	ctx, d.cancel = context.WithCancel(ctx)
	d.cmd = exec.CommandContext(ctx, "git", "fast-import", "--quiet", "--done", "--export-marks="+filepath.Join(d.dir,
		"marks"))
	d.cmd.Dir, d.cmd.Env, d.cmd.Stderr = d.dir, gitEnv(d.dir, d.gitDir()), &d.stderr
	var err error
	if d.stdin, err = d.cmd.StdinPipe(); err != nil {
		return err
	}
	d.in = bufio.NewWriterSize(d.stdin, 1<<16)
	fmt.Fprint(d.in, "feature done\n")
	return d.cmd.Start()
}

// Close ends it and removes what it kept.
func (d *Difference) Close() error {
	d.cancel()
	_ = d.stdin.Close()
	if d.cmd.ProcessState == nil {
		_ = d.cmd.Wait()
	}
	d.remove()
	return nil
}

// Old says what a path was. Mode is git's: 100644, 100755, 120000.
func (d *Difference) Old(path, mode string, size int64, r io.Reader) error {
	return d.add(0, path, mode, size, r)
}

// New says what a path is.
func (d *Difference) New(path, mode string, size int64, r io.Reader) error {
	return d.add(1, path, mode, size, r)
}

// OldLink says that a path was a submodule.
func (d *Difference) OldLink(path, commit string) {
	d.sides[0] = append(d.sides[0], side{path: path, mode: "160000", id: commit})
}

func (d *Difference) add(which int, path, mode string, size int64, r io.Reader) error {
	d.marks++
	fmt.Fprintf(d.in, "blob\nmark :%d\ndata %d\n", d.marks, size)
	if n, err := io.Copy(d.in, io.LimitReader(r, size)); err != nil || n != size {
		return errors.Join(err, fmt.Errorf("%q ends after %d of %d bytes", path, n, size))
	}
	d.sides[which] = append(d.sides[which], side{path: path, mode: mode, mark: d.marks})
	return d.in.WriteByte('\n')
}

// ErrTooLong is beneath the error of a patch that is longer than it may be.
var ErrTooLong = errors.New("the patch is longer than it may be")

// Patch gives the patch from the old side to the new one, of at most limit bytes.
// Nothing is handed over after it.
func (d *Difference) Patch(ctx context.Context, limit int64) ([]byte, error) {
	for i, ref := range []string{"old", "new"} {
		fmt.Fprintf(d.in, "commit refs/heads/%s\ncommitter wideswe <wideswe@localhost> %d +0000\ndata 0\n", ref,
			fixedTime.Unix())
		for _, s := range d.sides[i] {
			if s.mark == 0 {
				fmt.Fprintf(d.in, "M %s %s %s\n", s.mode, s.id, quotePath(s.path))
				continue
			}
			fmt.Fprintf(d.in, "M %s :%d %s\n", s.mode, s.mark, quotePath(s.path))
		}
		fmt.Fprint(d.in, "\n")
	}
	fmt.Fprint(d.in, "done\n")
	err := errors.Join(d.in.Flush(), d.stdin.Close(), d.cmd.Wait())
	if err != nil {
		return nil, fmt.Errorf("git fast-import: %s: %w", firstLine(d.stderr.String(), err), err)
	}
	return d.diff(ctx, limit)
}

// diffOptions fix all that decides the text of a diff.
var diffOptions = []string{"--patch", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index",
	"--binary", "--unified=3",
	"--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/",
	"--no-relative", "--submodule=short", "--ignore-submodules=none", "--end-of-options", "refs/heads/old",
	"refs/heads/new"}

func (d *Difference) diff(ctx context.Context, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"diff-tree", "-r"}, diffOptions...)...)
	var complaint bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = d.dir, gitEnv(d.dir, d.gitDir()), &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	patch, err := io.ReadAll(io.LimitReader(out, limit+1))
	if err == nil && int64(len(patch)) > limit {
		cancel()
		_ = cmd.Wait()
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLong, limit)
	}
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return nil, fmt.Errorf("git diff-tree: %s: %w", firstLine(complaint.String(), err), err)
	}
	return patch, nil
}

// TreeFile is one file of a committed tree.
type TreeFile struct {
	Path, Mode, ID string // ID is the blob's, or a submodule's commit
	Size           int64
}

// Committed lists the files of the one commit that [CommitOne] made at dir.
func Committed(ctx context.Context, dir string) ([]TreeFile, error) {
	out, stderr, err := git(ctx, dir, filepath.Join(dir, ".git"), nil, "ls-tree", "-r", "-l", "-z", "--full-tree", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("git ls-tree: %s: %w", firstLine(stderr, err), err)
	}
	var files []TreeFile
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if line == "" {
			continue
		}
		head, name, ok := strings.Cut(line, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 4 {
			return nil, fmt.Errorf("unexpected line of git ls-tree: %q", line)
		}
		size, _ := strconv.ParseInt(f[3], 10, 64) // "-" of a submodule is 0
		files = append(files, TreeFile{Path: name, Mode: f[0], ID: f[2], Size: size})
	}
	return files, nil
}

// Drop takes back what was handed over of a path, on both sides.
func (d *Difference) Drop(path string) {
	for i := range d.sides {
		d.sides[i] = slices.DeleteFunc(d.sides[i], func(s side) bool { return s.path == path })
	}
}
