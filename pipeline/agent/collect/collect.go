package collect

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

// Collection compares the trees that an agent left with those that it got. Nothing that the agent's .git says is
// believed: whatever it committed or staged is in its files, and a file that it removed is gone. Only the index is
// read, to keep an ignored file that the agent added by name.
type Collection struct {
	*filter
	trees   map[string]*tree
	hashes  map[string]streamFile // of every regular file of the stream, for hard links
	Beside  []LeftOut
	outside leftOut // what lies beside the repositories
}

// streamFile is the id and size of a file of the stream.
type streamFile struct {
	id   string
	size int64
}

// New reads the repositories at dir/owner/name as the agent got them.
func New(ctx context.Context, dir string, repositories []string, b Bounds, secrets Secrets) (*Collection, error) {
	c := &Collection{filter: &filter{b, secrets}, trees: map[string]*tree{}, hashes: map[string]streamFile{}}
	for _, r := range repositories {
		t, err := newTree(ctx, r, workspace.TreePath(dir, r), c.filter)
		if err != nil {
			c.close()
			return nil, fmt.Errorf("reading %s: %w", r, err)
		}
		c.trees[r] = t
	}
	return c, nil
}

func (c *Collection) close() {
	for _, t := range c.trees {
		t.close()
	}
}

// Patches returns a result for each repository. open returns the workspace as a tar stream; it may be called twice.
func (c *Collection) Patches(ctx context.Context, open func() (io.ReadCloser, error)) ([]Result, error) {
	defer c.close()
	if err := c.readStream(ctx, open, c.firstPass); err != nil {
		return nil, err
	}
	c.Beside = c.outside.list()
	again := false
	for _, t := range c.trees {
		more, err := t.decideIgnored(ctx)
		if err != nil {
			return nil, err
		}
		again = again || more
	}
	if again {
		if err := c.readStream(ctx, open, c.secondPass); err != nil {
			return nil, err
		}
	}
	var out []Result
	for _, r := range slices.Sorted(maps.Keys(c.trees)) {
		one, err := c.trees[r].finish(ctx)
		if err != nil {
			return nil, fmt.Errorf("the patch of %s: %w", r, err)
		}
		out = append(out, one)
	}
	return out, nil
}

// visit handles an entry of a repository.
type visit func(ctx context.Context, t *tree, name string, h *tar.Header, body io.Reader) error

func (c *Collection) readStream(ctx context.Context, open func() (io.ReadCloser, error), v visit) error {
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

// entry finds the repository of an entry, whose name is workspace/owner/name/….
func (c *Collection) entry(ctx context.Context, h *tar.Header, body io.Reader, v visit) error {
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

// firstPass reads every entry once: unchanged files are skipped, changed ones are added.
func (c *Collection) firstPass(ctx context.Context, t *tree, name string, h *tar.Header, body io.Reader) error {
	if name == "" {
		t.present = h.Typeflag == tar.TypeDir
		return nil
	}
	if root, rest := gitFolder(name); root != "" {
		return t.gitEntry(root, rest, h, body)
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return nil
	case tar.TypeReg:
		return c.regular(ctx, t, name, h, body)
	case tar.TypeSymlink:
		return t.symlink(name, h.Linkname)
	case tar.TypeLink:
		return c.hardlink(t, name, h)
	}
	t.leaveOut(name, 0, "neither a file nor a link")
	return nil
}

// secondPass adds the files that turned out to be wanted only after the whole first pass.
func (c *Collection) secondPass(ctx context.Context, t *tree, name string, h *tar.Header, body io.Reader) error {
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
			if err := to.addContent(ctx, w.path, w.mode, data); err != nil {
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

// regular compares a file with the file at base.
func (c *Collection) regular(ctx context.Context, t *tree, name string, h *tar.Header, body io.Reader) error {
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
	c.hashes[h.Name] = streamFile{id, h.Size}
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
	if ok, err := t.belongs(name, mode, h.Size, tracked); err != nil || !ok {
		return err
	}
	return t.addContent(ctx, name, mode, data.Bytes())
}

// hardlink handles another name of a file that came earlier in the stream.
func (c *Collection) hardlink(t *tree, name string, h *tar.Header) error {
	first, ok := c.hashes[h.Linkname]
	if !ok {
		t.leaveOut(name, 0, "another name of a file outside the repositories")
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
	if ok, err := t.belongs(name, mode, first.size, tracked); err != nil || !ok {
		return err
	}
	t.linked[h.Linkname] = append(t.linked[h.Linkname], wantedFile{name, mode, first.size})
	return nil
}

// gitFolder splits a path inside a .git folder, in any spelling, at that folder.
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

// OpenFolder returns a function that opens a folder of this machine as a stream for [Collection.Patches].
func OpenFolder(dir string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return transfer.DirTar(filepath.Clean(dir)) }
}
