package agent

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/sandbox/transfer"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// Bounds of what is collected of one run.
type Bounds struct {
	Stream  int64 // bytes of all that lies in the workspace
	Entries int   // files, folders and links in it
	File    int64 // one changed file
	Patch   int64 // one repository's patch
	Changes int   // changed files of one repository
}

// DefaultBounds are what evaluate takes in a patch, and what a large workspace holds
// after builds of everything in it.
var DefaultBounds = Bounds{Stream: 40 << 30, Entries: 4_000_000, File: 32 << 20, Patch: patch.MaxBytes, Changes: patch.MaxFiles}

// OverError says that a workspace held more than is collected.
type OverError struct{ What string }

func (e *OverError) Error() string { return "the workspace holds more than is collected: " + e.What }

// LeftOut is what a workspace held and no patch has.
type LeftOut struct {
	Path   string `json:"path"` // a folder ends in a slash
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
}

// Collected is what came of one repository.
type Collected struct {
	Repository string
	Patch      []byte
	LeftOut    []LeftOut
	// Over says which bound was met, so that there is no patch; Lost that the
	// repository's folder was gone.
	Over string
	Lost bool
}

// collection compares what an agent left with what it got: tree with tree, the bytes
// of the one against those of the other. Nothing that the agent's .git says is
// believed: what it committed, staged or left lying is in its files, and a file that
// it took away is gone, whatever its history tells. The index alone is looked at, to
// keep an ignored file that the agent added by name.
type collection struct {
	bounds  Bounds
	secrets Secrets
	trees   map[string]*tree
	hashes  map[string]file // of every regular file of the stream, for hard links
	beside  []LeftOut
	outside leftOut // what lies beside the repositories
}

// file is what a stream said of a file.
type file struct {
	id   string
	size int64
}

// newCollection takes the repositories as they were laid at dir/owner/name.
func newCollection(ctx context.Context, dir string, repositories []string, b Bounds, secrets Secrets) (*collection, error) {
	c := &collection{bounds: b, secrets: secrets, trees: map[string]*tree{}, hashes: map[string]file{}}
	for _, r := range repositories {
		t, err := newTree(ctx, r, workspace.TreePath(dir, r))
		if err != nil {
			c.close()
			return nil, fmt.Errorf("reading %s: %w", r, err)
		}
		c.trees[r] = t
	}
	return c, nil
}

func (c *collection) close() {
	for _, t := range c.trees {
		t.close()
	}
}

// collect gives a patch per repository. open gives the workspace as a tar stream; it
// may be called twice.
func (c *collection) collect(ctx context.Context, open func() (io.ReadCloser, error)) ([]Collected, error) {
	defer c.close()
	if err := c.pass(ctx, open, c.first); err != nil {
		return nil, err
	}
	c.beside = c.outside.list()
	again := false
	for _, t := range c.trees {
		more, err := t.settle(ctx, c)
		if err != nil {
			return nil, err
		}
		again = again || more
	}
	if again {
		if err := c.pass(ctx, open, c.second); err != nil {
			return nil, err
		}
	}
	var out []Collected
	for _, r := range slices.Sorted(maps.Keys(c.trees)) {
		one, err := c.trees[r].finish(ctx, c.bounds)
		if err != nil {
			return nil, fmt.Errorf("the patch of %s: %w", r, err)
		}
		out = append(out, one)
	}
	return out, nil
}

// visit is called for each entry of a repository.
type visit func(ctx context.Context, t *tree, name string, h *tar.Header, body io.Reader) error

func (c *collection) pass(ctx context.Context, open func() (io.ReadCloser, error), v visit) error {
	s, err := open()
	if err != nil {
		return err
	}
	defer s.Close()
	tr, entries, total := tar.NewReader(s), 0, int64(0)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("reading the workspace: %w", err)
		}
		entries++
		total += h.Size
		if entries > c.bounds.Entries {
			return &OverError{fmt.Sprintf("more than %d files", c.bounds.Entries)}
		}
		if total > c.bounds.Stream {
			return &OverError{fmt.Sprintf("more than %d bytes", c.bounds.Stream)}
		}
		if err := c.entry(ctx, h, tr, v); err != nil {
			return err
		}
	}
}

// entry finds the repository that an entry belongs to: names are workspace/owner/name/….
func (c *collection) entry(ctx context.Context, h *tar.Header, body io.Reader, v visit) error {
	parts := strings.SplitN(strings.TrimSuffix(h.Name, "/"), "/", 4)
	if len(parts) < 3 {
		return nil
	}
	t := c.trees[parts[1]+"/"+parts[2]]
	if t == nil {
		if h.Typeflag != tar.TypeDir {
			c.outside.group(path.Join(parts[1], parts[2])+"/", h.Size, "outside the repositories")
		}
		return nil
	}
	name := ""
	if len(parts) == 4 {
		name = parts[3]
	}
	return v(ctx, t, name, h, body)
}

// first reads every entry once: what is as it was is passed over, what changed is kept.
func (c *collection) first(ctx context.Context, t *tree, name string, h *tar.Header, body io.Reader) error {
	if name == "" {
		t.there = h.Typeflag == tar.TypeDir
		return nil
	}
	if root, rest := gitFolder(name); root != "" {
		return t.ofGit(root, rest, h, body)
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return nil
	case tar.TypeReg:
		return c.regular(ctx, t, name, h, body)
	case tar.TypeSymlink:
		return t.symlink(name, h.Linkname, c.secrets)
	case tar.TypeLink:
		return c.hardlink(t, name, h)
	}
	t.leave(name, 0, "neither a file nor a link")
	return nil
}

// second reads what only the whole of the first pass could tell to be wanted.
func (c *collection) second(ctx context.Context, t *tree, name string, h *tar.Header, body io.Reader) error {
	if h.Typeflag != tar.TypeReg {
		return nil
	}
	var data []byte
	give := func(to *tree, list []wantedFile) (err error) {
		if len(list) > 0 && data == nil {
			if data, err = io.ReadAll(io.LimitReader(body, h.Size)); err != nil {
				return err
			}
		}
		for _, w := range list {
			if err := to.put(ctx, c, w.path, w.mode, data); err != nil {
				return err
			}
		}
		return nil
	}
	err := give(t, t.wanted[name])
	for _, r := range slices.Sorted(maps.Keys(c.trees)) { // a hard link may lead from one repository into another
		err = errors.Join(err, give(c.trees[r], c.trees[r].linked[h.Name]))
	}
	return err
}

// regular compares a file with what was there.
func (c *collection) regular(ctx context.Context, t *tree, name string, h *tar.Header, body io.Reader) error {
	mode := "100644"
	if h.Mode&0o100 != 0 {
		mode = "100755"
	}
	keep := h.Size <= c.bounds.File
	sum, data := sha1.New(), bytes.Buffer{}
	fmt.Fprintf(sum, "blob %d\x00", h.Size)
	var to io.Writer = sum
	if keep {
		to = io.MultiWriter(sum, &data)
	}
	if _, err := io.Copy(to, body); err != nil {
		return fmt.Errorf("reading %q: %w", name, err)
	}
	id := hex.EncodeToString(sum.Sum(nil))
	c.hashes[h.Name] = file{id, h.Size}
	was, tracked := t.base[name]
	if tracked {
		t.seen[name] = true
		if was.Mode == mode && was.ID == id {
			return nil
		}
	}
	if path.Base(name) == ".gitignore" && keep {
		t.ignores[name] = bytes.Clone(data.Bytes())
	}
	if ok, err := t.takes(name, mode, h.Size, tracked, c.bounds); err != nil || !ok {
		return err
	}
	return t.put(ctx, c, name, mode, data.Bytes())
}

// hardlink is a second name of a file that the stream gave before.
func (c *collection) hardlink(t *tree, name string, h *tar.Header) error {
	first, ok := c.hashes[h.Linkname]
	if !ok {
		t.leave(name, 0, "another name of a file outside the repositories")
		return nil
	}
	mode := "100644"
	if h.Mode&0o100 != 0 {
		mode = "100755"
	}
	was, tracked := t.base[name]
	if tracked {
		t.seen[name] = true
		if was.Mode == mode && was.ID == first.id {
			return nil
		}
	}
	if ok, err := t.takes(name, mode, first.size, tracked, c.bounds); err != nil || !ok {
		return err
	}
	t.linked[h.Linkname] = append(t.linked[h.Linkname], wantedFile{name, mode, first.size})
	return nil
}

// gitFolder divides a path inside a .git folder, by whatever spelling, at that folder.
func gitFolder(name string) (folder, rest string) {
	at := 0
	for part := range strings.SplitSeq(name, "/") {
		if patch.IsGitName(part) {
			return name[:at+len(part)], strings.TrimPrefix(name[at+len(part):], "/")
		}
		at += len(part) + 1
	}
	return "", ""
}

// dirOpen gives a workspace of this machine, as it lies on the disk.
func dirOpen(dir string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return transfer.DirTar(filepath.Clean(dir)) }
}
