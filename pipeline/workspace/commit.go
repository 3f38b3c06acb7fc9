package workspace

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Gitlink is a submodule of a tree.
type Gitlink = schema.Gitlink

// CommitOne makes the tree at dir a git repository of one commit, without
// history, remotes or tags, and returns the commit's id. Author and date are
// fixed, so the same tree gives the same id everywhere. Every file is committed
// byte for byte: ignore files and attributes don't apply.
func CommitOne(ctx context.Context, dir string, links ...Gitlink) (string, error) {
	gitDir := filepath.Join(dir, ".git")
	if _, err := os.Lstat(gitDir); err == nil {
		return "", fmt.Errorf("%s has a .git already", dir)
	}
	run := func(stdin io.Reader, args ...string) (string, error) {
		out, stderr, err := git(ctx, dir, gitDir, stdin, args...)
		if err != nil {
			return "", fmt.Errorf("git %s: %s: %w", args[0], firstLine(stderr, err), err)
		}
		return strings.TrimSpace(out), nil
	}
	if _, err := run(nil, "init", "--quiet", "--template=", "--initial-branch=main"); err != nil {
		return "", err
	}
	if err := plainAttributes(gitDir, "!working-tree-encoding"); err != nil {
		return "", err
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(fastImport(ctx, dir, links, w)) }()
	_, err := run(r, "fast-import", "--quiet", "--done", "--force")
	if err := errors.Join(err, r.Close()); err != nil {
		return "", err
	}
	// The index keeps no file times, which would differ from run to run; the first git
	// status fills them in.
	if _, err := run(nil, "read-tree", "HEAD"); err != nil {
		return "", err
	}
	return run(nil, "rev-parse", "HEAD")
}

// plainAttributes makes the agent's git add and git diff work on bytes, as the
// snapshot was made: no line-end conversion, no filters.
func plainAttributes(gitDir, more string) error {
	if err := os.MkdirAll(filepath.Join(gitDir, "info"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(gitDir, "info", "attributes"), []byte("* -text -ident -filter !eol "+more+"\n"),
		0o644)
}

func fastImport(ctx context.Context, dir string, links []Gitlink, w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	const message = "base\n"
	fmt.Fprintf(b, "feature done\ncommit refs/heads/main\ncommitter wideswe <wideswe@localhost> %d +0000\ndata %d\n%s\n",
		fixedTime.Unix(), len(message), message)
	if err := walk(ctx, dir, func(n node) error { return importNode(b, dir, n) }); err != nil {
		return err
	}
	for _, l := range links {
		fmt.Fprintf(b, "M 160000 %s %s\n", l.Commit, quotePath(l.Path))
	}
	fmt.Fprint(b, "\ndone\n")
	return b.Flush()
}

func importNode(b *bufio.Writer, dir string, n node) error {
	switch {
	case n.mode.IsDir():
		return nil
	case n.mode.IsRegular():
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(n.path)))
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(b, "M %s inline %s\ndata %d\n", gitMode(n.mode), quotePath(n.path), n.size)
		if m, err := io.Copy(b, io.LimitReader(f, n.size)); err != nil || m != n.size {
			return errors.Join(err, fmt.Errorf("%s changed while it was read", n.path))
		}
	default:
		fmt.Fprintf(b, "M 120000 inline %s\ndata %d\n%s", quotePath(n.path), len(n.link), n.link)
	}
	return b.WriteByte('\n')
}

// quotePath writes a path as git's C-style string, whatever bytes it holds.
func quotePath(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func gitMode(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "120000"
	case m&0o100 != 0:
		return "100755"
	}
	return "100644"
}

// TreeHash gives the git tree id of the tree at dir: what git would name the tree
// if it were committed byte for byte, with the submodules given.
func TreeHash(ctx context.Context, dir string, links ...Gitlink) (string, error) {
	t := treeDir{}
	err := walk(ctx, dir, func(n node) error {
		if n.mode.IsDir() {
			return nil
		}
		id, err := blobID(dir, n)
		if err != nil {
			return err
		}
		t.add(n.path, gitMode(n.mode), id)
		return nil
	})
	if err := errors.Join(err, t.addLinks(links)); err != nil {
		return "", err
	}
	return hex.EncodeToString(t.id()), nil
}

func (t treeDir) addLinks(links []Gitlink) error {
	for _, l := range links {
		id, err := hex.DecodeString(l.Commit)
		if err != nil || len(id) != sha1.Size {
			return fmt.Errorf("submodule %s: %q is no commit id", l.Path, l.Commit)
		}
		t.add(l.Path, "160000", id)
	}
	return nil
}

// TarTreeHash gives the git tree id of the tree in a tar, without unpacking it.
func TarTreeHash(ctx context.Context, r io.Reader, links ...Gitlink) (string, error) {
	t := treeDir{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return "", fmt.Errorf("reading archive: %w", err)
		}
		name := strings.TrimPrefix(h.Name, "./")
		switch h.Typeflag {
		case tar.TypeReg:
			sum := sha1.New()
			fmt.Fprintf(sum, "blob %d\x00", h.Size)
			if _, err := io.Copy(sum, tr); err != nil {
				return "", fmt.Errorf("reading archive: %w", err)
			}
			t.add(name, gitMode(h.FileInfo().Mode()), sum.Sum(nil))
		case tar.TypeSymlink:
			sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(h.Linkname), h.Linkname))
			t.add(name, "120000", sum[:])
		}
	}
	if err := t.addLinks(links); err != nil {
		return "", err
	}
	return hex.EncodeToString(t.id()), nil
}

func blobID(dir string, n node) ([]byte, error) {
	h := sha1.New()
	if n.mode&fs.ModeSymlink != 0 {
		fmt.Fprintf(h, "blob %d\x00%s", len(n.link), n.link)
		return h.Sum(nil), nil
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(n.path)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fmt.Fprintf(h, "blob %d\x00", n.size)
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
}

type treeEntry struct {
	mode string
	id   []byte
	dir  treeDir
}

type treeDir map[string]*treeEntry

func (t treeDir) add(p, mode string, id []byte) {
	dir, name := path.Split(p)
	for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if part == "" {
			continue
		}
		e := t[part]
		if e == nil || e.dir == nil {
			e = &treeEntry{mode: "40000", dir: treeDir{}}
			t[part] = e
		}
		t = e.dir
	}
	t[name] = &treeEntry{mode: mode, id: id}
}

// id hashes the folder as git does: names sorted as if folders ended in a slash.
func (t treeDir) id() []byte {
	key := func(name string) string {
		if t[name].dir != nil {
			return name + "/"
		}
		return name
	}
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return key(names[i]) < key(names[j]) })
	var body bytes.Buffer
	for _, name := range names {
		e := t[name]
		id := e.id
		if e.dir != nil {
			id = e.dir.id()
		}
		fmt.Fprintf(&body, "%s %s\x00", e.mode, name)
		body.Write(id)
	}
	h := sha1.New()
	fmt.Fprintf(h, "tree %d\x00", body.Len())
	h.Write(body.Bytes())
	return h.Sum(nil)
}
