package testrun

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// fileState is a file's kind and a digest of what it holds; the zero value is no file.
type fileState struct {
	kind byte // as tar writes it
	sum  [sha256.Size]byte
	// own is true where the run's user created the file: it is not the original file,
	// whatever it contains.
	own bool
}

// changedFiles lists the watched files and the data of the target that a run left otherwise than they
// were laid. They are read from what the run left, by the engine: no program in the
// sandbox has a say in it.
func (q Request) changedFiles(ctx context.Context, left sandbox.Left) (changed []string, err error) {
	root, err := os.OpenRoot(filepath.Join(q.Workspace, filepath.FromSlash(q.Repository)))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	found, err := leftStates(ctx, left, path.Join(workspaceDir, q.Repository), slices.Concat(q.Watched, q.Data))
	if err != nil {
		return nil, err
	}
	for i, name := range slices.Concat(q.Watched, q.Data) {
		laid, err := laidState(root, filepath.FromSlash(name))
		if err != nil {
			return nil, fmt.Errorf("reading %s of %s: %w", name, q.Repository, err)
		}
		state := found[name]
		state.own = state.own && q.Foreign && i < len(q.Watched)
		if state != laid {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// laidState is a file's state in a tree on this machine.
func laidState(root *os.Root, name string) (s fileState, err error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fileState{}, nil
	case err != nil:
		return s, err
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := root.Readlink(name)
		return fileState{kind: tar.TypeSymlink, sum: sha256.Sum256([]byte(to))}, err
	case !info.Mode().IsRegular():
		return fileState{kind: tar.TypeDir}, nil
	}
	f, err := root.Open(name)
	if err != nil {
		return s, err
	}
	defer f.Close()
	return digest(tar.TypeReg, f)
}

// manyFiles is how many files of one folder are read back with all that the folder holds,
// and manyReads how many such reads are made before the whole tree is read first: an
// engine takes long to begin. maxFolder bounds the bytes that are read for them.
const (
	manyFiles = 4
	manyReads = 8
	maxFolder = 256 << 20
)

// leftStates gives the states of files below a folder in what a run left.
func leftStates(ctx context.Context, left sandbox.Left, dir string, files []string) (map[string]fileState, error) {
	found := map[string]fileState{}
	folders := byFolder(files)
	if reads(folders, files) > manyReads {
		folders = map[string][]string{".": files}
	}
	for folder, names := range folders {
		if len(names) >= manyFiles {
			if err := readFolder(ctx, left, path.Join(dir, folder), folder, names, found); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range files {
		if _, known := found[name]; known {
			continue
		}
		state, err := leftState(ctx, left, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		found[name] = state
	}
	return found, nil
}

// reads is how often something is read for files folder by folder.
func reads(folders map[string][]string, files []string) int {
	n := len(files)
	for _, names := range folders {
		if len(names) >= manyFiles {
			n -= len(names) - 1
		}
	}
	return n
}

// byFolder groups files by the topmost of their folders that is not the root.
func byFolder(files []string) map[string][]string {
	dirs := map[string]bool{}
	for _, f := range files {
		dirs[path.Dir(f)] = true
	}
	out := map[string][]string{}
	for _, f := range files {
		top := path.Dir(f)
		for up := top; up != "."; up = path.Dir(up) {
			if dirs[up] {
				top = up
			}
		}
		if top != "." {
			out[top] = append(out[top], f)
		}
	}
	return out
}

// readFolder finds files in a folder that is read as a whole. What it does not find there
// is left to be asked for by itself.
func readFolder(ctx context.Context, left sandbox.Left, place, folder string, names []string,
	found map[string]fileState) error {
	r, err := left(ctx, place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	tr := tar.NewReader(io.LimitReader(r, maxFolder))
	for wanted := len(names); wanted > 0; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s back: %w", place, err)
		}
		_, rest, _ := strings.Cut(path.Clean(h.Name), "/")
		name := path.Join(folder, rest)
		if !slices.Contains(names, name) {
			continue
		}
		state, err := entryState(h, tr)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s back: %w", place, err)
		}
		found[name], wanted = state, wanted-1
	}
	return nil
}

// leftState is one file's state in what a run left.
func leftState(ctx context.Context, left sandbox.Left, name string) (fileState, error) {
	r, err := left(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return fileState{}, nil
	}
	if err != nil {
		return fileState{}, err
	}
	defer r.Close()
	tr := tar.NewReader(r)
	h, err := tr.Next()
	if errors.Is(err, io.EOF) {
		return fileState{}, nil
	}
	if err != nil {
		return fileState{}, fmt.Errorf("reading %s back: %w", name, err)
	}
	return entryState(h, tr)
}

// entryState is the state of an archive's entry.
func entryState(h *tar.Header, r io.Reader) (fileState, error) {
	switch h.Typeflag {
	case tar.TypeReg:
		s, err := digest(tar.TypeReg, r)
		s.own = h.Uid != 0
		return s, err
	case tar.TypeSymlink:
		return fileState{kind: h.Typeflag, sum: sha256.Sum256([]byte(h.Linkname))}, nil
	}
	return fileState{kind: h.Typeflag}, nil
}

func digest(kind byte, r io.Reader) (s fileState, err error) {
	h := sha256.New()
	_, err = io.Copy(h, r)
	return fileState{kind: kind, sum: [sha256.Size]byte(h.Sum(nil))}, err
}

// Changed lists the watched files that a run or a rerun changed.
func (r *Report) Changed() (files []string) {
	for _, a := range r.Attempts {
		files = append(files, a.Changed...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Distrust makes the first run inconsistent, for a reason.
func (r *Report) Distrust(reason string) {
	if len(r.Attempts) > 0 {
		r.Attempts[0].Status, r.Attempts[0].Detail = Inconsistent, reason
	}
}
