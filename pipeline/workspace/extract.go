package workspace

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Bounds of one extracted tree. The largest real repositories hold some 100,000 files and 2 GiB.
const (
	MaxFiles = 1_000_000
	MaxBytes = 16 << 30
)

// Extract unpacks a tar of one tree into dir, which must be absent or empty.
// Regular files, folders and symbolic links are taken; anything else, and any
// path that leaves the tree or enters .git, is an [UnsafeError]. Symbolic links
// are made last, so no file is written through one.
func Extract(ctx context.Context, r io.Reader, dir string) error {
	if err := emptyDir(dir); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	x := extraction{root: root, dirs: map[string]bool{"": true, ".": true}}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return x.makeLinks()
		}
		if err != nil {
			return fmt.Errorf("reading archive: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.entry(h, tr); err != nil {
			return err
		}
	}
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, 0o755)
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty", dir)
	}
	return nil
}

type extraction struct {
	root  *os.Root
	dirs  map[string]bool
	links []*tar.Header
	files int
	bytes int64
}

func (x *extraction) entry(h *tar.Header, r io.Reader) error {
	name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/")
	if h.Typeflag == tar.TypeXGlobalHeader || (name == "" || name == ".") && h.Typeflag == tar.TypeDir {
		return nil
	}
	if why := checkPath(name); why != "" {
		return &UnsafeError{h.Name, why}
	}
	if x.files++; x.files > MaxFiles {
		return fmt.Errorf("archive holds more than %d entries", MaxFiles)
	}
	h.Name = name
	switch h.Typeflag {
	case tar.TypeDir:
		return x.mkdir(name)
	case tar.TypeSymlink:
		x.links = append(x.links, h)
		return nil
	case tar.TypeReg:
		return x.file(h, r)
	}
	return &UnsafeError{h.Name, fmt.Sprintf("entry of type %q", h.Typeflag)}
}

func (x *extraction) mkdir(dir string) error {
	if x.dirs[dir] {
		return nil
	}
	if err := x.root.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("folder %q: %w", dir, err)
	}
	x.dirs[dir] = true
	return nil
}

func (x *extraction) file(h *tar.Header, r io.Reader) error {
	if x.bytes += h.Size; h.Size < 0 || x.bytes > MaxBytes {
		return fmt.Errorf("archive holds more than %d bytes", int64(MaxBytes))
	}
	if err := x.mkdir(path.Dir(h.Name)); err != nil {
		return err
	}
	// O_EXCL: an archive that names a path twice is refused.
	f, err := x.root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm(h.FileInfo().Mode()))
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if _, err := io.Copy(f, r); err != nil {
		return errors.Join(fmt.Errorf("writing %q: %w", h.Name, err), f.Close())
	}
	return f.Close()
}

func (x *extraction) makeLinks() error {
	for _, h := range x.links {
		if l := linkAbove(x.root, h.Name); l != "" {
			return &UnsafeError{h.Name, "beyond the symbolic link " + l}
		}
		if err := x.mkdir(path.Dir(h.Name)); err != nil {
			return err
		}
		if err := x.root.Symlink(h.Linkname, h.Name); err != nil {
			return fmt.Errorf("symbolic link %q: %w", h.Name, err)
		}
	}
	return nil
}

// filePerm keeps what git keeps: whether a file may be run.
func filePerm(m fs.FileMode) fs.FileMode {
	if m&0o100 != 0 {
		return 0o755
	}
	return 0o644
}
