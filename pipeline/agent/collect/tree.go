package collect

import (
	"context"
	"os"
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// tree compares one repository.
type tree struct {
	repository string
	root       *os.Root // as the agent got it
	base       map[string]workspace.TreeFile
	filter     *filter
	vendored   map[string]bool // folders of others' code that have files at base
	rules      *workspace.Ignore
	ignores    map[string][]byte // ignore files as the agent left them, where they changed

	present bool
	seen    map[string]bool // base's paths that are still something
	index   []byte
	ignored []ignoredFile
	links   map[string]string // changed links → where to
	wanted  map[string][]wantedFile
	linked  map[string][]wantedFile // by the name in the stream of the file they are other names of
	changes map[string]patch.File
	bytes   int64 // of what was handed to diff
	leftOut leftOut
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

// maxChanged bounds the total size of one repository's changed files.
const maxChanged = 1 << 30

func newTree(ctx context.Context, repository, dir string, f *filter) (*tree, error) {
	t := &tree{repository: repository, filter: f, base: map[string]workspace.TreeFile{}, vendored: map[string]bool{},
		ignores: map[string][]byte{},
		seen:    map[string]bool{}, links: map[string]string{}, wanted: map[string][]wantedFile{},
		linked: map[string][]wantedFile{}, changes: map[string]patch.File{}}
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

// vendorFolders are names under which repositories keep others' code. Where base has such a folder, its ignore rules
// do not apply inside.
var vendorFolders = map[string]bool{"vendor": true, "vendored": true, "third_party": true, "third-party": true,
	"thirdparty":   true,
	"node_modules": true, "bower_components": true, "Godeps": true, "Pods": true, "Carthage": true}

// vendorFolder returns the outermost vendor folder of a path, "" if it is in none.
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

// ignoreFiles returns the ignore files of base.
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

// leaveOut records a file that the patch does not hold; a tracked file stays as it was.
func (t *tree) leaveOut(name string, size int64, reason string) {
	if _, tracked := t.base[name]; tracked {
		t.seen[name] = true
		reason += "; the patch leaves the file as it was"
	}
	t.leftOut.add(name, size, reason)
}

func (t *tree) openDifference(ctx context.Context) (err error) {
	if t.diff == nil {
		t.diff, err = workspace.NewDifference(ctx)
	}
	return err
}
