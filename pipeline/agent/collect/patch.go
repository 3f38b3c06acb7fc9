package collect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/patch"
)

// finish makes the repository's patch.
func (t *tree) finish(ctx context.Context) (Result, error) {
	c := Result{Repository: t.repository}
	if !t.present {
		c.Lost = true
		return c, nil
	}
	if err := t.addSides(ctx); err != nil {
		c.LeftOut = t.leftOut.list()
		return withBound(c, err)
	}
	t.dropUnsafe()
	c.LeftOut = t.leftOut.list()
	if len(t.changes) == 0 {
		return c, nil
	}
	var err error
	c.Patch, err = t.diff.Patch(ctx, t.filter.bounds.Patch)
	return withBound(c, err)
}

// addSides adds links, deletions and the old side of every changed path.
func (t *tree) addSides(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(t.links)) {
		if err := t.openDifference(ctx); err != nil {
			return err
		}
		to := t.links[name]
		t.changes[name] = patch.File{Op: patch.Modify, OldPath: name, NewPath: name, NewMode: patch.ModeSymlink,
			HasSymlink: true, Symlink: to}
		if err := t.diff.New(name, patch.ModeSymlink, int64(len(to)), strings.NewReader(to)); err != nil {
			return err
		}
	}
	for name, f := range t.base {
		if !t.seen[name] && f.Mode != patch.ModeSubmodule {
			t.changes[name] = patch.File{Op: patch.Delete, OldPath: name}
		}
	}
	if t.bytes > maxChanged {
		return &OverError{fmt.Sprintf("more than %d bytes of changed files", int64(maxChanged))}
	}
	if len(t.changes) > t.filter.bounds.Changes {
		return &OverError{fmt.Sprintf("more than %d changed files", t.filter.bounds.Changes)}
	}
	for _, name := range slices.Sorted(maps.Keys(t.changes)) {
		if err := t.addOld(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) addOld(ctx context.Context, name string) error {
	f, ok := t.base[name]
	if !ok || f.Mode == patch.ModeSubmodule {
		return nil
	}
	if err := t.openDifference(ctx); err != nil {
		return err
	}
	if f.Mode == patch.ModeSymlink {
		to, err := t.root.Readlink(name)
		if err != nil {
			return err
		}
		return t.diff.Old(name, f.Mode, int64(len(to)), strings.NewReader(to))
	}
	r, err := t.root.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	return t.diff.Old(name, f.Mode, f.Size, r)
}

// dropUnsafe removes changes that would make the whole patch be refused.
func (t *tree) dropUnsafe() {
	t.dropLinks()
	var unsafe *patch.UnsafeError
	for {
		var files []patch.File
		for _, name := range slices.Sorted(maps.Keys(t.changes)) {
			files = append(files, t.changes[name])
		}
		err := patch.Check(files)
		if err == nil || !errors.As(err, &unsafe) {
			return
		}
		if _, ok := t.changes[unsafe.Path]; !ok {
			return
		}
		t.dropChange(unsafe.Path, unsafe.Reason)
	}
}

// dropLinks removes links that replace a folder whose files the patch deletes: no patch may lead through a link that
// it makes.
func (t *tree) dropLinks() {
	names := slices.Sorted(maps.Keys(t.changes))
	for _, link := range slices.Sorted(maps.Keys(t.links)) {
		i, _ := slices.BinarySearch(names, link+"/")
		if i < len(names) && strings.HasPrefix(names[i], link+"/") {
			t.dropChange(link, "a link in the place of a folder")
		}
	}
}

func (t *tree) dropChange(name, reason string) {
	delete(t.changes, name)
	t.diff.Drop(name)
	t.leaveOut(name, 0, reason)
}
