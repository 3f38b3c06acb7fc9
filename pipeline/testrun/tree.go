package testrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// maxRead bounds one file that a toolchain reads from a tree.
const maxRead = 16 << 20

type dirTree struct {
	dir   string
	files []string
}

// DirTree is the tree in a folder, as toolchains read it. Links are not followed
// out of it.
func DirTree(dir string) (kit.Tree, error) {
	t := &dirTree{dir: dir}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			rel, err := filepath.Rel(dir, p)
			t.files = append(t.files, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	slices.Sort(t.files)
	return t, err
}

func (t *dirTree) Files() []string { return t.files }

func (t *dirTree) Read(name string) ([]byte, error) {
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err == nil && len(b) > maxRead {
		err = fmt.Errorf("%s is longer than %d bytes", name, maxRead)
	}
	return b, err
}

// treesDigest digests trees of a workspace: names, modes, contents.
func treesDigest(ctx context.Context, workspace string, repositories []string) (string, error) {
	h := sha256.New()
	for _, r := range repositories {
		fmt.Fprintf(h, "repository %q\n", r)
		dir := filepath.Join(workspace, filepath.FromSlash(r))
		if err := digestDir(ctx, h, dir); err != nil {
			return "", fmt.Errorf("reading the tree of %s: %w", r, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func digestDir(ctx context.Context, w io.Writer, dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || d.IsDir() {
			if err == nil {
				err = ctx.Err()
			}
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%q %o %d\n", filepath.ToSlash(rel), info.Mode()&(fs.ModeSymlink|0o111), info.Size())
		if info.Mode()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(p)
			fmt.Fprintf(w, "%q\n", to)
			return err
		}
		if !info.Mode().IsRegular() {
			return nil
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
}
