package githubtest

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// entry is one file of a tree, stored.
type entry struct {
	mode filemode.FileMode
	blob plumbing.Hash
}

// tree is a whole tree, flat: path to entry.
type tree map[string]entry

// writeFile stores a file's bytes and puts it into the tree.
func (t tree) writeFile(s storer.EncodedObjectStorer, f File) error {
	hash, err := writeBlob(s, f.Data)
	if err != nil {
		return fmt.Errorf("storing %s: %w", f.Path, err)
	}
	mode := filemode.Regular
	if f.Executable {
		mode = filemode.Executable
	}
	t[f.Path] = entry{mode: mode, blob: hash}
	return nil
}

// laidOver applies the difference between two trees to the present one. It
// refuses where the present tree changed the same path in another way: the
// description must be free of conflicts.
func (t tree) laidOver(before, after tree) (tree, error) {
	result := maps.Clone(t)
	for _, p := range changedPaths(before, after) {
		old, had := before[p]
		now, has := t[p]
		want, stays := after[p]
		if had != has || old != now {
			return nil, fmt.Errorf("%s changed on both sides", p)
		}
		if delete(result, p); stays {
			result[p] = want
		}
	}
	return result, nil
}

func changedPaths(before, after tree) []string {
	changed := map[string]bool{}
	for p, e := range before {
		changed[p] = after[p] != e
	}
	for p, e := range after {
		if before[p] != e {
			changed[p] = true
		}
	}
	maps.DeleteFunc(changed, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(changed))
}

// write stores the tree objects and returns the root.
func (t tree) write(s storer.EncodedObjectStorer) (plumbing.Hash, error) {
	return t.writeFolder(s, "")
}

func (t tree) writeFolder(s storer.EncodedObjectStorer, folder string) (plumbing.Hash, error) {
	var entries []object.TreeEntry
	folders := map[string]bool{}
	for p, e := range t {
		rest, inside := strings.CutPrefix(p, folder)
		if !inside {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		if !deeper {
			entries = append(entries, object.TreeEntry{Name: name, Mode: e.mode, Hash: e.blob})
		} else {
			folders[name] = true
		}
	}
	for name := range folders {
		hash, err := t.writeFolder(s, path.Join(folder, name)+"/")
		if err != nil {
			return plumbing.ZeroHash, err
		}
		entries = append(entries, object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: hash})
	}
	sort.Sort(object.TreeEntrySorter(entries))
	return store(s, &object.Tree{Entries: entries})
}

// signature is who made a commit and when.
type signature struct {
	name, email string
	at          time.Time
}

func (s signature) object() object.Signature {
	return object.Signature{Name: s.name, Email: s.email, When: s.at.UTC()}
}

// commitOf stores a commit.
func commitOf(s storer.EncodedObjectStorer, t tree, author, committer signature, message string,
	parents ...plumbing.Hash) (plumbing.Hash, error) {
	root, err := t.write(s)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if !strings.HasSuffix(message, "\n") {
		message += "\n"
	}
	return store(s, &object.Commit{Author: author.object(), Committer: committer.object(), Message: message,
		TreeHash: root, ParentHashes: parents})
}

type encoder interface {
	Encode(plumbing.EncodedObject) error
}

func store(s storer.EncodedObjectStorer, o encoder) (plumbing.Hash, error) {
	encoded := s.NewEncodedObject()
	if err := o.Encode(encoded); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("encoding a git object: %w", err)
	}
	return keep(s, encoded)
}

func writeBlob(s storer.EncodedObjectStorer, data []byte) (plumbing.Hash, error) {
	encoded := s.NewEncodedObject()
	encoded.SetType(plumbing.BlobObject)
	w, err := encoded.Writer()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := io.Copy(w, bytes.NewReader(data)); err != nil {
		return plumbing.ZeroHash, err
	}
	if err := w.Close(); err != nil {
		return plumbing.ZeroHash, err
	}
	return keep(s, encoded)
}

// keep stores an object unless it is there.
func keep(s storer.EncodedObjectStorer, o plumbing.EncodedObject) (plumbing.Hash, error) {
	if s.HasEncodedObject(o.Hash()) == nil {
		return o.Hash(), nil
	}
	return s.SetEncodedObject(o)
}
