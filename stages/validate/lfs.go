package validate

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// lfsHead begins a pointer of Git LFS. Its content lies outside of git, so no tree id
// proves it and no release pins it: a pointer stays one in every tree.
const lfsHead = "version https://git-lfs.github.com/spec/v1\n"

// maxPointer bounds a pointer.
const maxPointer = 1024

// lfsPointers lists the files of a tree that are pointers, sorted.
func lfsPointers(dir string) (list []string, err error) {
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() >= maxPointer {
			return err
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		head := make([]byte, len(lfsHead))
		if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head, []byte(lfsHead)) {
			return nil // shorter, or another file
		}
		rel, err := filepath.Rel(dir, p)
		list = append(list, filepath.ToSlash(rel))
		return err
	})
	return list, err
}

// pointers looks for pointers in a target's gold tree. A change that is made in one,
// or a hidden test that is one, can't be laid; others may not matter, and are named
// where the target's tests come to nothing.
func (w *trees) pointers(x target) error {
	list, err := lfsPointers(workspace.TreePath(w.gold, x.Repository))
	if err != nil || len(list) == 0 {
		return err
	}
	for _, file := range list {
		if slices.Contains(x.Changed, file) || slices.Contains(x.placed(), file) {
			return pipeline.Skip("%s of %s, which the change touches, is a Git LFS pointer: its content lies outside of git",
				file, x.Repository)
		}
	}
	if w.lfs == nil {
		w.lfs = map[string][]string{}
	}
	w.lfs[x.Repository] = list
	return nil
}

// lacks tells, behind the reason that a target's tests come to nothing, of pointers
// that they may have read.
func (w *trees) lacks(repository string) string {
	list := w.lfs[repository]
	switch len(list) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (%s is a Git LFS pointer, whose content lies outside of git)", list[0])
	}
	return fmt.Sprintf(" (%s and %d more are Git LFS pointers, whose content lies outside of git)", list[0], len(list)-1)
}
