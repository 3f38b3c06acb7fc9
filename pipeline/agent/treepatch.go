package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// finish makes the patch.
func (t *tree) finish(ctx context.Context, b Bounds) (Collected, error) {
	c := Collected{Repository: t.repository}
	if !t.there {
		c.Lost = true
		return c, nil
	}
	if err := t.sides(ctx, b); err != nil {
		c.LeftOut = t.out.list()
		return over(c, err)
	}
	t.drop()
	c.LeftOut = t.out.list()
	if len(t.changes) == 0 {
		return c, nil
	}
	var err error
	c.Patch, err = t.diff.Patch(ctx, b.Patch)
	return over(c, err)
}

// over makes a bound that was met a finding.
func over(c Collected, err error) (Collected, error) {
	var o *OverError
	switch {
	case errors.Is(err, workspace.ErrTooLong):
		c.Over = err.Error()
	case errors.As(err, &o):
		c.Over = o.What
	default:
		return c, err
	}
	c.Patch = nil
	return c, nil
}

// sides hands over links, and what changed paths were before.
func (t *tree) sides(ctx context.Context, b Bounds) error {
	for _, name := range slices.Sorted(maps.Keys(t.links)) {
		if err := t.open(ctx); err != nil {
			return err
		}
		to := t.links[name]
		t.changes[name] = patch.File{Op: patch.Modify, OldPath: name, NewPath: name, NewMode: patch.ModeSymlink, HasSymlink: true, Symlink: to}
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
	if len(t.changes) > b.Changes {
		return &OverError{fmt.Sprintf("more than %d changed files", b.Changes)}
	}
	for _, name := range slices.Sorted(maps.Keys(t.changes)) {
		if err := t.old(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) old(ctx context.Context, name string) error {
	f, ok := t.base[name]
	if !ok || f.Mode == patch.ModeSubmodule {
		return nil
	}
	if err := t.open(ctx); err != nil {
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

// drop takes out of the patch what would make all of it refused.
func (t *tree) drop() {
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
		t.without(unsafe.Path, unsafe.Reason)
	}
}

// dropLinks leaves out links that stand where a folder was whose files the patch
// removes: no patch may lead through a link that it makes.
func (t *tree) dropLinks() {
	names := slices.Sorted(maps.Keys(t.changes))
	for _, link := range slices.Sorted(maps.Keys(t.links)) {
		i, _ := slices.BinarySearch(names, link+"/")
		if i < len(names) && strings.HasPrefix(names[i], link+"/") {
			t.without(link, "a link in the place of a folder")
		}
	}
}

func (t *tree) without(name, reason string) {
	delete(t.changes, name)
	t.diff.Drop(name)
	t.leave(name, 0, reason)
}
