package collect

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/wideswe/wideswe/pipeline/patch"
)

// gitEntry skips a .git folder, the repository's own or another; of its own it reads the index.
func (t *tree) gitEntry(root, rest string, h *tar.Header, body io.Reader) error {
	if root != ".git" {
		if h.Typeflag != tar.TypeDir {
			t.leftOut.group(root+"/", h.Size, "a git folder")
		}
		return nil
	}
	const maxIndex = 64 << 20
	if rest != "index" || h.Typeflag != tar.TypeReg || h.Size > maxIndex {
		return nil
	}
	var err error
	t.index, err = io.ReadAll(io.LimitReader(body, h.Size))
	return err
}

// belongs tells whether a changed file may enter the patch. An ignored file is decided on after the first pass.
func (t *tree) belongs(name, mode string, size int64, tracked bool) (bool, error) {
	if why := patch.CheckPath(name); why != "" {
		t.leaveOut(name, size, "no patch may name it: "+why)
		return false, nil
	}
	if size > t.filter.bounds.File {
		t.leaveOut(name, size, fmt.Sprintf("larger than %d bytes", t.filter.bounds.File))
		return false, nil
	}
	if tracked || t.vendored[vendorFolder(name)] {
		return true, nil
	}
	pattern, ignored, err := t.rules.Ignored(name)
	if ignored {
		t.ignored = append(t.ignored, ignoredFile{wantedFile{name, mode, size}, pattern, ""})
	}
	return !ignored, err
}

// symlink compares a link with base.
func (t *tree) symlink(name, to string) error {
	was, tracked := t.base[name]
	if tracked {
		t.seen[name] = true
		if was.Mode == "120000" {
			if old, err := t.root.Readlink(name); err == nil && old == to {
				return nil
			}
		}
	}
	if why := patch.CheckPath(name); why != "" {
		t.leaveOut(name, 0, "no patch may name it: "+why)
		return nil
	}
	if s := t.filter.secrets.NameIn([]byte(to)); s != "" {
		t.leaveOut(name, 0, "it holds the value of "+s)
		return nil
	}
	if !tracked && !t.vendored[vendorFolder(name)] {
		pattern, ignored, err := t.rules.Ignored(name)
		if err != nil {
			return err
		}
		if ignored {
			t.ignored = append(t.ignored, ignoredFile{wantedFile{name, patch.ModeSymlink, 0}, pattern, to})
			return nil
		}
	}
	t.addLink(name, to)
	return nil
}

// addLink adds a link that a patch may hold.
func (t *tree) addLink(name, to string) {
	var unsafe *patch.UnsafeError
	if err := patch.Check([]patch.File{{NewPath: name, HasSymlink: true, Symlink: to}}); errors.As(err, &unsafe) {
		t.leaveOut(name, 0, unsafe.Reason)
		return
	}
	t.links[name] = to
}

// addContent adds a changed file to the difference, unless it holds a secret.
func (t *tree) addContent(ctx context.Context, name, mode string, data []byte) error {
	if s := t.filter.secrets.NameIn(data); s != "" {
		t.leaveOut(name, int64(len(data)), "it holds the value of "+s)
		return nil
	}
	t.changes[name] = patch.File{Op: patch.Modify, OldPath: name, NewPath: name, NewMode: mode}
	if t.bytes += int64(len(data)); t.bytes > maxChanged || len(t.changes) > t.filter.bounds.Changes {
		return nil // finish says so; what can't become a patch is not kept
	}
	if err := t.openDifference(ctx); err != nil {
		return err
	}
	return t.diff.New(name, mode, int64(len(data)), bytes.NewReader(data))
}
