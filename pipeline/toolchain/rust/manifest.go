package rust

import (
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// rustCrate is one package of cargo's, as its manifest describes it.
type rustCrate struct {
	dir       string // "." for the root
	name      string
	version   string
	minimum   string // rust-version
	edition   string
	features  map[string]bool // optional dependencies are features too
	targets   []rustTarget
	deps      []rustDep
	workspace bool // the manifest has a [workspace]
	defaults  bool // which names default members
	doctest   bool // its library's doc tests run
}

// rustTarget is what cargo builds and runs as one test program.
type rustTarget struct {
	kind    string // lib, bin, test, example, bench
	name    string
	root    string // its first file, from the repository's root
	needs   []string
	harness bool // tested by libtest
	test    bool // cargo test runs its tests
}

// rustDep is a dependency on another package.
type rustDep struct {
	name    string // the package's
	version string
	git     string
	path    string // from the repository's root
	from    string // a registry other than the common one
}

// rustManifest is what of a Cargo.toml decides anything here.
type rustManifest struct {
	Package *struct {
		Name      string
		Version   any
		Edition   any
		Rust      any `toml:"rust-version"`
		Autotests *bool
		Autobins  *bool
		Autoex    *bool `toml:"autoexamples"`
		Autobench *bool `toml:"autobenches"`
	}
	Lib       *rustTable
	Bin       []rustTable
	Test      []rustTable
	Example   []rustTable
	Bench     []rustTable
	Features  map[string]any
	Deps      map[string]any `toml:"dependencies"`
	DevDeps   map[string]any `toml:"dev-dependencies"`
	DevDeps2  map[string]any `toml:"dev_dependencies"`
	BuildDeps map[string]any `toml:"build-dependencies"`
	Target    map[string]rustPlatform
	Patch     map[string]map[string]any
	Workspace *struct {
		Package  map[string]any
		Deps     map[string]any `toml:"dependencies"`
		Members  []string
		Exclude  []string
		Defaults []string `toml:"default-members"`
	}
}

type rustPlatform struct {
	Deps      map[string]any `toml:"dependencies"`
	DevDeps   map[string]any `toml:"dev-dependencies"`
	BuildDeps map[string]any `toml:"build-dependencies"`
}

type rustTable struct {
	Name    string
	Path    string
	Harness *bool
	Test    *bool
	Doctest *bool
	Needs   []string `toml:"required-features"`
}

// maxManifest bounds a manifest; maxNest how deep its values nest.
const (
	maxManifest = 1 << 20
	maxNest     = 1000
)

// parseRust reads a manifest, nil where it is none.
func parseRust(text string) *rustManifest {
	if text == "" || len(text) > maxManifest || nests(text) {
		return nil
	}
	var m rustManifest
	if _, err := toml.Decode(text, &m); err != nil {
		return nil
	}
	return &m
}

// nests says that a text opens more brackets on the way than any manifest does; the
// decoder goes down into each. Those in strings and comments count too.
func nests(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			if depth++; depth > maxNest {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// rustTree is the packages of a tree.
type rustTree struct {
	tree   kit.Tree
	crates []*rustCrate // the root first, then by folder
	roots  map[string]*rustManifest
}

// readRust reads every manifest of a tree. What lies below a package's tests,
// vendored or generated packages are not the repository's.
func readRust(t kit.Tree) rustTree {
	r := rustTree{tree: t, roots: map[string]*rustManifest{}}
	for _, name := range t.Files() {
		dir := path.Dir(name)
		if path.Base(name) != "Cargo.toml" || !rustSees(dir) {
			continue
		}
		if m := parseRust(kit.Read(t, name)); m != nil {
			r.roots[dir] = m
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(r.roots)) {
		if m := r.roots[dir]; m.Package != nil && m.Package.Name != "" && !r.fixture(dir) {
			r.crates = append(r.crates, r.crate(dir, m))
		}
	}
	sort.SliceStable(r.crates, func(i, j int) bool { return r.crates[i].dir == "." && r.crates[j].dir != "." })
	return r
}

func rustSees(dir string) bool {
	for _, part := range strings.Split(dir, "/") {
		if part == "vendor" || part == "target" || part != "." && part[0] == '.' {
			return false
		}
	}
	return true
}

// fixture says that a package is a test's data: it lies below another package, in
// a folder of tests, and no workspace counts it in.
func (r rustTree) fixture(dir string) bool {
	inTests := false
	for at := dir; at != "."; {
		base := path.Base(at)
		at = path.Dir(at)
		switch base {
		case "tests", "test", "testdata", "test-data", "fixtures", "ui":
			inTests = true
		}
		m := r.roots[at]
		if m == nil {
			continue
		}
		if m.Workspace != nil && slices.ContainsFunc(m.Workspace.Members, func(p string) bool {
			return globs(path.Join(at, p),
				dir)
		}) {
			return false
		}
		if m.Package != nil && inTests {
			return true
		}
	}
	return false
}

func globs(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// workspaceOf is the folder of a package's workspace, its own where it has none.
func (r rustTree) workspaceOf(dir string) string {
	for at := dir; ; at = path.Dir(at) {
		if m := r.roots[at]; m != nil && m.Workspace != nil {
			if slices.ContainsFunc(m.Workspace.Exclude, func(p string) bool {
				p = path.Join(at, p)
				return p == dir || strings.HasPrefix(dir, p+"/")
			}) {
				return dir
			}
			return at
		}
		if at == "." {
			return dir
		}
	}
}

// crateOf finds the package a file belongs to.
func (r rustTree) crateOf(file string) *rustCrate {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, c := range r.crates {
			if c.dir == dir {
				return c
			}
		}
		if dir == "." {
			return nil
		}
	}
}

func (r rustTree) crate(dir string, m *rustManifest) *rustCrate {
	w := r.roots[r.workspaceOf(dir)]
	c := &rustCrate{dir: dir, name: m.Package.Name, features: map[string]bool{}, workspace: m.Workspace != nil}
	c.defaults = m.Workspace != nil && len(m.Workspace.Defaults)+len(m.Workspace.Members) > 0
	inherit := func(v any, key string) string {
		if s, ok := v.(string); ok {
			return s
		}
		if v != nil && w != nil && w.Workspace != nil {
			s, _ := w.Workspace.Package[key].(string)
			return s
		}
		return ""
	}
	c.version, c.edition = inherit(m.Package.Version, "version"), inherit(m.Package.Edition, "edition")
	c.minimum = inherit(m.Package.Rust, "rust-version")
	for f := range m.Features {
		c.features[f] = true
	}
	tables := []map[string]any{m.Deps, m.DevDeps, m.DevDeps2, m.BuildDeps}
	for _, p := range slices.Sorted(maps.Keys(m.Target)) {
		tables = append(tables, m.Target[p].Deps, m.Target[p].DevDeps, m.Target[p].BuildDeps)
	}
	for _, table := range tables {
		for _, key := range slices.Sorted(maps.Keys(table)) {
			c.dep(dir, key, table[key], w, r.workspaceOf(dir))
		}
	}
	r.targets(c, m)
	return c
}

// dep reads one dependency, what it inherits from the workspace included.
func (c *rustCrate) dep(dir, key string, v any, w *rustManifest, root string) {
	d := rustDep{name: key}
	fill := func(dir string, v any) {
		switch v := v.(type) {
		case string:
			d.version = v
		case map[string]any:
			text := func(key string) string { s, _ := v[key].(string); return s }
			if p := text("package"); p != "" {
				d.name = p
			}
			d.version, d.git, d.from = text("version"), text("git"), text("registry")
			if p := text("path"); p != "" {
				d.path = path.Join(dir, p)
			}
		}
	}
	fill(dir, v)
	if table, ok := v.(map[string]any); ok {
		if table["workspace"] == true && w != nil && w.Workspace != nil {
			fill(root, w.Workspace.Deps[key])
		}
		if table["optional"] == true {
			c.features[key] = true
		}
	}
	c.deps = append(c.deps, d)
}

// targets lists what cargo would build, declared or found by its place.
func (r rustTree) targets(c *rustCrate, m *rustManifest) {
	at := func(p string) string { return path.Join(c.dir, p) }
	lib := rustTable{}
	if m.Lib != nil {
		lib = *m.Lib
	}
	if lib.Path == "" {
		lib.Path = "src/lib.rs"
	}
	c.doctest = lib.Doctest == nil || *lib.Doctest
	if kit.Has(r.tree, at(lib.Path)) {
		c.targets = append(c.targets, lib.target("lib", strings.ReplaceAll(c.name, "-", "_"), at(lib.Path), true))
	}
	auto := func(on *bool) bool { return on == nil || *on }
	r.kind(c, "bin", m.Bin, auto(m.Package.Autobins), "src/bin", true)
	r.kind(c, "test", m.Test, auto(m.Package.Autotests), "tests", true)
	r.kind(c, "example", m.Example, auto(m.Package.Autoex), "examples", false)
	r.kind(c, "bench", m.Bench, auto(m.Package.Autobench), "benches", false)
}

func (t rustTable) target(kind, name, root string, test bool) rustTarget {
	out := rustTarget{kind: kind, name: name, root: root, needs: t.Needs, harness: t.Harness == nil || *t.Harness,
		test: test}
	if t.Name != "" {
		out.name = t.Name
	}
	if t.Test != nil {
		out.test = *t.Test
	}
	return out
}

// kind lists the targets of one kind: the declared ones, then those found in dir.
func (r rustTree) kind(c *rustCrate, kind string, tables []rustTable, auto bool, dir string, test bool) {
	found := r.found(c, kind, path.Join(c.dir, dir))
	declared := map[string]bool{}
	for _, t := range tables {
		root := ""
		if t.Path != "" {
			root = path.Join(c.dir, t.Path)
		} else {
			root = found[t.Name]
		}
		if root == "" || !kit.Has(r.tree, root) {
			continue
		}
		declared[root], declared["name "+t.Name] = true, true
		c.targets = append(c.targets, t.target(kind, t.Name, root, test))
	}
	if !auto {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !declared[found[name]] && !declared["name "+name] {
			c.targets = append(c.targets, rustTable{}.target(kind, name, found[name], test))
		}
	}
}

// found lists by name the files that are targets by their place alone.
func (r rustTree) found(c *rustCrate, kind, dir string) map[string]string {
	found := map[string]string{}
	if main := path.Join(c.dir, "src/main.rs"); kind == "bin" && kit.Has(r.tree, main) {
		found[c.name] = main
	}
	for _, f := range r.tree.Files() {
		rel, ok := strings.CutPrefix(f, dir+"/")
		if !ok || path.Ext(rel) != ".rs" {
			continue
		}
		switch parent, base := path.Split(rel); {
		case parent == "":
			found[strings.TrimSuffix(base, ".rs")] = f
		case base == "main.rs" && strings.Count(parent, "/") == 1:
			found[strings.TrimSuffix(parent, "/")] = f
		}
	}
	return found
}
