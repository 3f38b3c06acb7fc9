package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Layer is one patch of hidden tests; layers go on in their order.
type Layer struct {
	Name  string
	Patch []byte
}

// Overlaid says what an overlay did.
type Overlaid struct {
	Files    []string // what the layers' patches name, relocated where asked, sorted
	Replaced []string // those that the tree's owner had changed from base
}

// Overlay lays hidden tests over dst. Their version is made from the clean tree
// at base in a folder of its own, so it does not depend on what was done to the
// tests in dst; then exactly the files the patches name are copied over, or
// removed where the patches delete them. Nothing else in dst changes, and nothing
// is written through a link that dst holds: links in the way are replaced. No
// layer, or layers without a file, change nothing. Relocations then say which of the
// files lie elsewhere, under other names of types: upstream's path stays as it is in dst.
func Overlay(ctx context.Context, base, dst string, layers []Layer, relocations ...schema.Relocation) (Overlaid,
	error) {
	files, err := layerFiles(layers)
	if err != nil || len(files) == 0 {
		return Overlaid{}, err
	}
	made, remove, err := pipeline.Scratch("", "overlay")
	if err != nil {
		return Overlaid{}, err
	}
	defer remove()
	o, err := newOverlay(base, made, dst)
	if err != nil {
		return Overlaid{}, err
	}
	defer o.close()
	for _, f := range files {
		if err := put(o.base, o.made, f); err != nil {
			return Overlaid{}, err
		}
	}
	for _, l := range layers {
		if _, err := Apply(ctx, made, l.Patch); err != nil {
			return Overlaid{}, layerError(l, err)
		}
	}
	if files, err = o.relocate(files, relocations); err != nil {
		return Overlaid{}, relocationError(err)
	}
	out := Overlaid{Files: files}
	for _, f := range files {
		if !same(o.base, o.dst, f) {
			out.Replaced = append(out.Replaced, f)
		}
	}
	for _, f := range files {
		if err := put(o.made, o.dst, f); err != nil {
			return Overlaid{}, err
		}
	}
	return out, nil
}

// Restore puts the files named back as they are in base, deletions included.
func Restore(base, dst string, files []string) error {
	o, err := newOverlay(base, base, dst)
	if err != nil {
		return err
	}
	defer o.close()
	for _, f := range files {
		if why := checkPath(f); why != "" {
			return &UnsafeError{f, why}
		}
		if err := put(o.base, o.dst, f); err != nil {
			return err
		}
	}
	return nil
}

func layerFiles(layers []Layer) ([]string, error) {
	seen := map[string]bool{}
	for _, l := range layers {
		files, err := Touched(l.Patch)
		if err != nil {
			return nil, layerError(l, err)
		}
		for _, f := range files {
			seen[f] = true
		}
	}
	files := make([]string, 0, len(seen))
	for f := range seen {
		files = append(files, f)
	}
	sort.Strings(files)
	return files, nil
}

// layerError makes a patch's own fault an injection error; our trouble stays itself.
func layerError(l Layer, err error) error {
	var unsafe *UnsafeError
	var failed *FailedError
	if errors.As(err, &unsafe) || errors.As(err, &failed) {
		return &InjectionError{l.Name, err}
	}
	return fmt.Errorf("layer %s: %w", l.Name, err)
}

type overlay struct{ base, made, dst *os.Root }

func newOverlay(base, made, dst string) (*overlay, error) {
	o := &overlay{}
	for _, x := range []struct {
		root **os.Root
		dir  string
	}{{&o.base, base}, {&o.made, made}, {&o.dst, dst}} {
		r, err := os.OpenRoot(x.dir)
		if err != nil {
			o.close()
			return nil, err
		}
		*x.root = r
	}
	return o, nil
}

func (o *overlay) close() {
	for _, r := range []*os.Root{o.base, o.made, o.dst} {
		if r != nil {
			r.Close()
		}
	}
}

// lookup finds a file or link, not a folder, that lies at p itself and not
// beyond a link.
func lookup(root *os.Root, p string) (fs.FileInfo, bool, error) {
	if linkAbove(root, p) != "" {
		return nil, false, nil
	}
	info, err := root.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return info, !info.IsDir(), nil
}

// put makes p in dst what it is in src: a file, a link, or nothing.
func put(src, dst *os.Root, p string) error {
	info, there, err := lookup(src, p)
	if err != nil {
		return err
	}
	if err := clearWay(dst, p, there); err != nil {
		return fmt.Errorf("making way for %q: %w", p, err)
	}
	if !there {
		dropEmpty(dst, p)
		return nil
	}
	if err := dst.MkdirAll(path.Dir(p), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := src.Readlink(p)
		if err != nil {
			return err
		}
		return dst.Symlink(target, p)
	}
	in, err := src.Open(p)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := dst.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm(info.Mode()))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// clearWay removes what is at p and, where something will be put there, the files
// and links that stand where its parent folders must be. A p that does not exist
// because its parents are no folders is gone already.
func clearWay(dst *os.Root, p string, parents bool) error {
	for i, c := range p {
		if c != '/' {
			continue
		}
		info, err := dst.Lstat(p[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.IsDir() {
			continue
		}
		if !parents {
			return nil
		}
		return dst.Remove(p[:i])
	}
	return dst.RemoveAll(p)
}

// dropEmpty removes the folders above p that hold nothing any more: git keeps none.
func dropEmpty(dst *os.Root, p string) {
	if linkAbove(dst, p) != "" {
		return
	}
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if dst.Remove(d) != nil {
			return
		}
	}
}

// same says whether p is the same file, link or nothing in both trees.
func same(a, b *os.Root, p string) bool {
	ia, oka, erra := lookup(a, p)
	ib, okb, errb := lookup(b, p)
	if erra != nil || errb != nil || oka != okb || (ib != nil && ib.IsDir()) != (ia != nil && ia.IsDir()) {
		return false
	}
	if !oka {
		return true
	}
	if gitMode(ia.Mode()) != gitMode(ib.Mode()) {
		return false
	}
	if ia.Mode()&fs.ModeSymlink != 0 {
		la, _ := a.Readlink(p)
		lb, _ := b.Readlink(p)
		return la == lb
	}
	ba, erra := a.ReadFile(p)
	bb, errb := b.ReadFile(p)
	return erra == nil && errb == nil && bytes.Equal(ba, bb)
}

// TreePath is where a repository's tree lies in a workspace.
func TreePath(workspace, repository string) string {
	return filepath.Join(workspace, filepath.FromSlash(strings.TrimPrefix(path.Clean("/"+repository), "/")))
}
