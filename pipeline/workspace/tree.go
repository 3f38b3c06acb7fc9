package workspace

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// node is one entry of a tree on disk.
type node struct {
	path string // slash path from the tree's root
	mode fs.FileMode
	size int64
	link string // a symbolic link's target
}

// walk visits a tree in lexical order without following links. The .git of an
// agent's repository at the root is not part of the tree. Sockets, devices and
// pipes that tests may have left are passed over.
func walk(ctx context.Context, dir string, visit func(node) error) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil || rel == "." {
			return err
		}
		if rel == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		n := node{path: filepath.ToSlash(rel), mode: info.Mode(), size: info.Size()}
		switch {
		case n.mode.IsDir(), n.mode.IsRegular():
		case n.mode&fs.ModeSymlink != 0:
			if n.link, err = os.Readlink(p); err != nil {
				return err
			}
		default:
			return nil
		}
		return visit(n)
	})
}

// CopyTree copies the tree at src to dst, which must be absent or empty. Links
// are copied as they are; a .git at the root is left out.
func CopyTree(ctx context.Context, src, dst string) error {
	if err := emptyDir(dst); err != nil {
		return err
	}
	return walk(ctx, src, func(n node) error {
		to := filepath.Join(dst, filepath.FromSlash(n.path))
		switch {
		case n.mode.IsDir():
			return os.Mkdir(to, 0o755)
		case n.mode.IsRegular():
			return copyFile(filepath.Join(src, filepath.FromSlash(n.path)), to, filePerm(n.mode))
		}
		return os.Symlink(n.link, to)
	})
}

func copyFile(src, dst string, perm fs.FileMode) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(fmt.Errorf("copying %s: %w", src, err), out.Close())
	}
	return out.Close()
}

// fixedTime stands in archives and commits, so that the same tree gives the same bytes.
var fixedTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Tar writes the tree as a tar whose bytes depend on its content alone.
func Tar(ctx context.Context, dir string, w io.Writer) error {
	tw := tar.NewWriter(w)
	if err := walk(ctx, dir, func(n node) error { return tarNode(tw, dir, n) }); err != nil {
		return err
	}
	return tw.Close()
}

func tarNode(tw *tar.Writer, dir string, n node) error {
	h := &tar.Header{Name: n.path, ModTime: fixedTime, Mode: int64(filePerm(n.mode)), Format: tar.FormatPAX}
	switch {
	case n.mode.IsDir():
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, n.path+"/", 0o755
	case n.mode.IsRegular():
		h.Typeflag, h.Size = tar.TypeReg, n.size
	default:
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, n.link, 0o777
	}
	if err := tw.WriteHeader(h); err != nil {
		return fmt.Errorf("archiving %q: %w", n.path, err)
	}
	if h.Typeflag != tar.TypeReg {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(n.path)))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(tw, f)
	return err
}
