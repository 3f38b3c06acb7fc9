package agent

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// tree is one repository under comparison.
type tree struct {
	repository string
	root       *os.Root // as the agent got it
	base       map[string]workspace.TreeFile
	vendored   map[string]bool // folders of others' code that have files at base
	rules      *workspace.Ignore
	ignores    map[string][]byte // ignore files as the agent left them, where they changed

	there   bool
	seen    map[string]bool // base's paths that are still something
	index   []byte
	ignored []ignoredFile
	links   map[string]string // changed links → where to
	wanted  map[string][]wantedFile
	linked  map[string][]wantedFile // by the name in the stream of the file they are other names of
	changes map[string]patch.File
	bytes   int64 // of what was handed to diff
	out     leftOut
	diff    *workspace.Difference
}

type wantedFile struct {
	path, mode string
	size       int64
}

type ignoredFile struct {
	wantedFile
	pattern, link string
}

// maxChanged bounds what one repository's changed files hold.
const maxChanged = 1 << 30

// vendorFolders are names under which repositories keep others' code; where one does,
// its ignore rules are not meant for what lies there.
var vendorFolders = map[string]bool{"vendor": true, "vendored": true, "third_party": true, "third-party": true, "thirdparty": true,
	"node_modules": true, "bower_components": true, "Godeps": true, "Pods": true, "Carthage": true}

func newTree(ctx context.Context, repository, dir string) (*tree, error) {
	t := &tree{repository: repository, base: map[string]workspace.TreeFile{}, vendored: map[string]bool{}, ignores: map[string][]byte{},
		seen: map[string]bool{}, links: map[string]string{}, wanted: map[string][]wantedFile{}, linked: map[string][]wantedFile{}, changes: map[string]patch.File{}}
	files, err := workspace.Committed(ctx, dir)
	if err != nil {
		return nil, err
	}
	if t.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	for _, f := range files {
		t.base[f.Path] = f
		if v := vendorFolder(f.Path); v != "" {
			t.vendored[v] = true
		}
	}
	t.rules, err = t.baseRules(ctx)
	return t, err
}

func (t *tree) close() {
	if t.rules != nil {
		_ = t.rules.Close()
	}
	if t.diff != nil {
		_ = t.diff.Close()
	}
	if t.root != nil {
		_ = t.root.Close()
	}
}

// vendorFolder is the outermost folder of others' code that a path lies in, ” none.
func vendorFolder(name string) string {
	at := 0
	for part := range strings.SplitSeq(name, "/") {
		if at+len(part) < len(name) && vendorFolders[part] {
			return name[:at+len(part)]
		}
		at += len(part) + 1
	}
	return ""
}

// ignoreFiles are base's ignore files.
func (t *tree) ignoreFiles() (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, f := range t.base {
		if path.Base(name) != ".gitignore" || f.Mode == "120000" || f.Mode == "160000" {
			continue
		}
		b, err := t.root.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out[name] = b
	}
	return out, nil
}

func (t *tree) baseRules(ctx context.Context) (*workspace.Ignore, error) {
	files, err := t.ignoreFiles()
	if err != nil {
		return nil, err
	}
	return workspace.NewIgnore(ctx, files)
}

// leave notes what no patch has; a tracked path stays as it was.
func (t *tree) leave(name string, size int64, reason string) {
	if _, tracked := t.base[name]; tracked {
		t.seen[name] = true
		reason += "; the patch leaves the file as it was"
	}
	t.out.add(name, size, reason)
}

// ofGit passes over a .git folder, the repository's own or another.
func (t *tree) ofGit(root, rest string, h *tar.Header, body io.Reader) error {
	if root != ".git" {
		if h.Typeflag != tar.TypeDir {
			t.out.group(root+"/", h.Size, "a git folder")
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

// takes says whether a changed file belongs in the patch; one that is ignored may do
// so once everything was seen.
func (t *tree) takes(name, mode string, size int64, tracked bool, b Bounds) (bool, error) {
	if why := patch.CheckPath(name); why != "" {
		t.leave(name, size, "no patch may name it: "+why)
		return false, nil
	}
	if size > b.File {
		t.leave(name, size, fmt.Sprintf("larger than %d bytes", b.File))
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

// symlink compares a link.
func (t *tree) symlink(name, to string, secrets Secrets) error {
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
		t.leave(name, 0, "no patch may name it: "+why)
		return nil
	}
	if s := secrets.NameIn([]byte(to)); s != "" {
		t.leave(name, 0, "it holds the value of "+s)
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
	t.link(name, to)
	return nil
}

// link takes a link that may be in a patch.
func (t *tree) link(name, to string) {
	var unsafe *patch.UnsafeError
	if err := patch.Check([]patch.File{{NewPath: name, HasSymlink: true, Symlink: to}}); errors.As(err, &unsafe) {
		t.leave(name, 0, unsafe.Reason)
		return
	}
	t.links[name] = to
}

// put hands a changed file to the difference, unless it holds a secret.
func (t *tree) put(ctx context.Context, c *collection, name, mode string, data []byte) error {
	if s := c.secrets.NameIn(data); s != "" {
		t.leave(name, int64(len(data)), "it holds the value of "+s)
		return nil
	}
	t.changes[name] = patch.File{Op: patch.Modify, OldPath: name, NewPath: name, NewMode: mode}
	if t.bytes += int64(len(data)); t.bytes > maxChanged || len(t.changes) > c.bounds.Changes {
		return nil // finish says so; what can't become a patch is not kept
	}
	if err := t.open(ctx); err != nil {
		return err
	}
	return t.diff.New(name, mode, int64(len(data)), bytes.NewReader(data))
}

func (t *tree) open(ctx context.Context) (err error) {
	if t.diff == nil {
		t.diff, err = workspace.NewDifference(ctx)
	}
	return err
}

// settle decides on what was ignored at base, now that everything was seen: it is
// left out where the rules of base ignore it and neither the agent's own rules nor
// its index take it back. So a rule that the agent adds hides nothing, and one that it
// removes uncovers. It says whether contents must be read once more.
func (t *tree) settle(ctx context.Context, c *collection) (again bool, err error) {
	now, err := t.agentRules(ctx)
	if err != nil {
		return false, err
	}
	if now != nil {
		defer now.Close()
	}
	added := indexNames(t.index)
	for _, f := range t.ignored {
		taken := added[f.path]
		if !taken && now != nil {
			_, still, err := now.Ignored(f.path)
			if err != nil {
				return false, err
			}
			taken = !still
		}
		switch {
		case taken && f.mode == patch.ModeSymlink:
			t.link(f.path, f.link)
			continue
		case taken:
			t.wanted[f.path] = append(t.wanted[f.path], f.wantedFile)
			continue
		}
		t.out.ignored(f.path, f.size, f.pattern)
	}
	return len(t.wanted)+len(t.linked) > 0, nil
}

// agentRules are the ignore rules that the agent left, nil where it changed none.
func (t *tree) agentRules(ctx context.Context) (*workspace.Ignore, error) {
	files, err := t.ignoreFiles()
	if err != nil {
		return nil, err
	}
	changed := len(t.ignores) > 0
	for name := range files {
		if !t.seen[name] {
			delete(files, name)
			changed = true
		}
	}
	if !changed || len(t.ignored) == 0 {
		return nil, nil
	}
	for name, text := range t.ignores {
		files[name] = text
	}
	return workspace.NewIgnore(ctx, files)
}

// indexNames are the names that a git index lists; none where it can't be read.
func indexNames(b []byte) (names map[string]bool) {
	defer func() {
		if recover() != nil { // an index of an agent's own making
			names = nil
		}
	}()
	var i index.Index
	if len(b) == 0 || index.NewDecoder(bytes.NewReader(b)).Decode(&i) != nil {
		return nil
	}
	names = make(map[string]bool, len(i.Entries))
	for _, e := range i.Entries {
		names[e.Name] = true
	}
	return names
}
