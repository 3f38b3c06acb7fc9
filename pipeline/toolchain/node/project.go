package node

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// nodePackage is one package.json of a tree, read for what we need of it. A field
// of another type than npm's is as good as absent.
type nodePackage struct {
	dir      string // "." for the root
	name     string
	scripts  map[string]string
	engines  string // of node
	manager  string // packageManager
	volta    string
	entries  []string // files that main, module and exports name
	members  []string // workspace patterns
	deps     map[string]string
	own      map[string]bool // keys that configure a runner: jest, mocha, ava, tap
	private  bool
	manifest string
}

// nodeModule is the folder into which packages are installed.
const nodeModules = "node_modules"

var notOurs = regexp.MustCompile(`(^|/)(node_modules|bower_components|_*fixtures?_*|test-?fixtures?|testdata|` +
	`examples?|templates?|\.yarn)(/|$)`)

// nodePackages lists the packages of a tree, the root first. What lies in folders
// of fixtures is input of tests.
func nodePackages(t kit.Tree) []nodePackage {
	var list []nodePackage
	for _, name := range t.Files() {
		if path.Base(name) == "package.json" && !notOurs.MatchString(name) {
			if p, ok := readNodePackage(t, path.Dir(name)); ok {
				list = append(list, p)
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].dir == "." && list[j].dir != "." })
	return list
}

func readNodePackage(t kit.Tree, dir string) (nodePackage, bool) {
	p := nodePackage{dir: dir, manifest: path.Join(dir, "package.json"), deps: map[string]string{}, own: map[string]bool{}}
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(kit.Read(t, p.manifest)), &m) != nil {
		return p, false
	}
	field(m["name"], &p.name)
	field(m["private"], &p.private)
	field(m["packageManager"], &p.manager)
	p.scripts = fields(m["scripts"])
	p.engines = fields(m["engines"])["node"]
	p.volta = fields(m["volta"])["node"]
	for _, key := range []string{"peerDependencies", "optionalDependencies", "devDependencies", "dependencies"} {
		for name, version := range fields(m[key]) {
			p.deps[name] = version
		}
	}
	for _, key := range []string{"jest", "mocha", "ava", "tap", "vitest"} {
		p.own[key] = len(m[key]) > 0
	}
	p.members = nodeMembers(t, dir, m["workspaces"])
	for _, key := range []string{"main", "module", "exports"} {
		p.entries = append(p.entries, entryFiles(m[key], 0)...)
	}
	p.entries = kit.Unique(p.entries)
	return p, true
}

func field[T any](raw json.RawMessage, to *T) {
	var v T
	if len(raw) > 0 && json.Unmarshal(raw, &v) == nil {
		*to = v
	}
}

// fields reads an object, its strings only.
func fields(raw json.RawMessage) map[string]string {
	var m map[string]json.RawMessage
	field(raw, &m)
	out := map[string]string{}
	for k, v := range m {
		var s string
		if json.Unmarshal(v, &s) == nil {
			out[k] = s
		}
	}
	return out
}

// entryFiles are the files that a main or an exports field names.
func entryFiles(raw json.RawMessage, depth int) []string {
	var s string
	if len(raw) == 0 || depth > 8 {
		return nil
	}
	if json.Unmarshal(raw, &s) == nil {
		if s = path.Clean(s); s == "." || strings.HasPrefix(s, "..") || strings.ContainsAny(s, "*\x00") {
			return nil
		}
		return []string{s}
	}
	var m map[string]json.RawMessage
	field(raw, &m)
	var files []string
	for _, key := range sortedKeys(m) {
		if key != "types" && key != "typings" {
			files = append(files, entryFiles(m[key], depth+1)...)
		}
	}
	return files
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

var yamlItem = regexp.MustCompile(`(?m)^\s*-\s*['"]?([^'"#\n]+?)['"]?\s*(?:#.*)?$`)

// nodeMembers are the patterns of a workspace's members, by npm's and yarn's key,
// pnpm's file or lerna's.
func nodeMembers(t kit.Tree, dir string, raw json.RawMessage) []string {
	var list []string
	field(raw, &list)
	if list == nil {
		var m map[string]json.RawMessage
		field(raw, &m)
		field(m["packages"], &list)
	}
	if text := kit.Read(t, path.Join(dir, "pnpm-workspace.yaml")); list == nil && text != "" {
		_, after, _ := strings.Cut("\n"+text, "\npackages:")
		for line := range strings.Lines(strings.TrimPrefix(after, "\n")) {
			m := yamlItem.FindStringSubmatch(line)
			if m == nil && strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				break
			}
			if m != nil {
				list = append(list, m[1])
			}
		}
	}
	if text := kit.Read(t, path.Join(dir, "lerna.json")); list == nil && text != "" {
		var m map[string]json.RawMessage
		field(json.RawMessage(text), &m)
		field(m["packages"], &list)
	}
	return list
}

// nodeMember says that a folder is a member of a workspace.
func nodeMember(root nodePackage, dir string) bool {
	rel, ok := strings.CutPrefix(dir, root.dir+"/")
	if root.dir == "." {
		rel, ok = dir, dir != "."
	}
	in := false
	for _, pattern := range root.members {
		pattern, not := strings.CutPrefix(pattern, "!")
		if ok && globDir(strings.Split(path.Clean(pattern), "/"), strings.Split(rel, "/")) {
			in = !not
		}
	}
	return in
}

// globDir matches a folder against a pattern with * and **.
func globDir(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		return globDir(pattern[1:], parts) || len(parts) > 0 && globDir(pattern, parts[1:])
	}
	if len(parts) == 0 {
		return false
	}
	ok, _ := path.Match(pattern[0], parts[0])
	return ok && globDir(pattern[1:], parts[1:])
}

// nodePackageOf finds the package a folder belongs to.
func nodePackageOf(list []nodePackage, dir string) (nodePackage, bool) {
	for ; ; dir = path.Dir(dir) {
		if i := slices.IndexFunc(list, func(p nodePackage) bool { return p.dir == dir }); i >= 0 {
			return list[i], true
		}
		if dir == "." {
			return nodePackage{}, false
		}
	}
}

// nodeChain are the packages at and above a folder, the nearest first.
func nodeChain(list []nodePackage, dir string) []nodePackage {
	var chain []nodePackage
	for {
		p, ok := nodePackageOf(list, dir)
		if !ok {
			return chain
		}
		chain = append(chain, p)
		if p.dir == "." {
			return chain
		}
		dir = path.Dir(p.dir)
	}
}
