package rust

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// rustFile is a source file as a target reaches it.
type rustFile struct {
	module   string   // its path within the target, "" for the root
	features []string // what the way to it is compiled under
}

var (
	rustMod = regexp.MustCompile(`(?m)^[ \t]*((?:#\[[^\n]*\]\s*)*)(?:pub(?:\([^)\n]*\))?[ \t]+)?mod[ ` +
		`\t]+(?:r#)?([A-Za-z_]\w*)[ \t]*;`)
	rustPathIs  = regexp.MustCompile(`#\[path\s*=\s*"([^"\n]+)"\]`)
	rustInclude = regexp.MustCompile(`\binclude!\s*\(\s*"([^"\n]+)"`)
	rustInner   = regexp.MustCompile(`(?m)^#!\[cfg\((.*)\)\]`)
	rustNot     = regexp.MustCompile(`not\s*\(\s*(?:feature\s*=\s*"[^"]*"|(?:any|all)\s*\([^()]*\))\s*\)`)
	rustFeature = regexp.MustCompile(`\bfeature\s*=\s*"([^"\n]+)"`)
	rustCfg     = regexp.MustCompile(`#!?\[cfg(?:_attr)?\([^\n]*\]`)
	rustTestFn  = regexp.MustCompile(`#\[(?:[\w:]+::)?(?:test|rstest|test_case|case|quickcheck|test_log|traced_test|` +
		`wasm_bindgen_test|bench|apply|parameterized)\b|\b(?:proptest|quickcheck)!`)
	rustDocTest = regexp.MustCompile("(?m)^[ \t]*//[/!][ \t]*(?:```|~~~)")
)

// maxRustFiles bounds the files of one target that are followed.
const maxRustFiles = 5000

// reach follows a target's modules from its root.
func (r rustTree) reach(t rustTarget) map[string]rustFile {
	found := map[string]rustFile{t.root: {features: featuresOf(rustInner.FindAllString(kit.Read(r.tree, t.root), 20)...)}}
	queue := []string{t.root}
	for len(queue) > 0 && len(found) < maxRustFiles {
		file := queue[0]
		queue = queue[1:]
		for name, f := range r.mods(t, file, found[file]) {
			if _, old := found[name]; !old {
				found[name] = f
				queue = append(queue, name)
			}
		}
	}
	return found
}

// mods are the files that a file makes modules of, or includes.
func (r rustTree) mods(t rustTarget, file string, of rustFile) map[string]rustFile {
	text, dir := kit.Read(r.tree, file), path.Dir(file)
	inside := dir // where its modules lie
	if base := path.Base(file); file != t.root && base != "mod.rs" {
		inside = path.Join(dir, strings.TrimSuffix(base, ".rs"))
	}
	out := map[string]rustFile{}
	for _, m := range rustMod.FindAllStringSubmatch(text, maxRustFiles) {
		f := rustFile{strings.TrimPrefix(of.module+"::"+m[2], "::"), slices.Concat(of.features, featuresOf(m[1]))}
		places := []string{path.Join(inside, m[2]+".rs"), path.Join(inside, m[2], "mod.rs")}
		if p := rustPathIs.FindStringSubmatch(m[1]); p != nil {
			places = []string{path.Join(dir, p[1])}
		}
		for _, name := range places {
			if kit.Has(r.tree, name) {
				f.features = slices.Concat(f.features, featuresOf(rustInner.FindAllString(kit.Read(r.tree, name), 20)...))
				out[name] = f
			}
		}
	}
	for _, m := range rustInclude.FindAllStringSubmatch(text, 100) {
		if name := path.Join(dir, m[1]); kit.Has(r.tree, name) {
			out[name] = of
		}
	}
	return out
}

// featuresOf are the features that attributes ask for.
func featuresOf(attributes ...string) (features []string) {
	for _, a := range attributes {
		for _, m := range rustFeature.FindAllStringSubmatch(rustNot.ReplaceAllString(a, ""), 50) {
			features = append(features, m[1])
		}
	}
	return features
}

// rustSelection collects the units of a selection.
type rustSelection struct {
	rustTree
	reached map[*rustCrate][]map[string]rustFile
	units   map[string]*kit.Unit
	left    []kit.Left
}

// files are what each target of a package reaches, target by target.
func (s *rustSelection) files(c *rustCrate) []map[string]rustFile {
	if s.reached[c] == nil {
		for _, t := range c.targets {
			s.reached[c] = append(s.reached[c], s.reach(t))
		}
	}
	return s.reached[c]
}

// Select runs the targets that hold the hidden files: an integration test whole,
// of a library or a program the tests of the module. What is no source file of a
// test selects the tests that name it, else those beside it.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	s := &rustSelection{rustTree: readRust(t), reached: map[*rustCrate][]map[string]rustFile{},
		units: map[string]*kit.Unit{}}
	if r.Select != nil {
		return s.chosen(r.Select)
	}
	var rest []string
	for _, name := range kit.CleanPaths(hidden) {
		switch {
		case !kit.Has(t, name):
			s.leave(name, "the tree does not have it")
		case path.Ext(name) != ".rs" || !s.source(name):
			rest = append(rest, name)
		}
	}
	for _, name := range rest {
		if path.Base(name) == "Cargo.toml" || path.Base(name) == "Cargo.lock" {
			s.leave(name, "a manifest has no tests")
			continue
		}
		s.beside(name)
	}
	return s.done(), nil
}

func (s *rustSelection) leave(name, why string) {
	s.left = append(s.left, kit.Left{Path: name, Reason: why})
}

func (s *rustSelection) done() kit.Selection {
	out := kit.Selection{Left: s.left}
	for _, u := range s.units {
		sort.Strings(u.Files)
		sort.Strings(u.Tests)
		u.Files, u.Tests = slices.Compact(u.Files), slices.Compact(u.Tests)
		if slices.Contains(u.Tests, "") { // the root: all of it
			u.Tests = nil
		}
		out.Units = append(out.Units, *u)
	}
	sort.Slice(out.Units, func(i, j int) bool {
		a, b := out.Units[i], out.Units[j]
		return a.Dir+"\x00"+a.Target < b.Dir+"\x00"+b.Target
	})
	return out
}

// pick adds a target, of which tests are the modules to run.
func (s *rustSelection) pick(c *rustCrate, target, file, module string) {
	key := c.dir + "\x00" + target
	u := s.units[key]
	if u == nil {
		u = &kit.Unit{Dir: c.dir, Runner: "cargo", Target: target}
		s.units[key] = u
	}
	if file != "" {
		u.Files = append(u.Files, file)
	}
	u.Tests = append(u.Tests, module)
}

// source selects the targets that a source file is part of.
func (s *rustSelection) source(name string) bool {
	c := s.crateOf(name)
	if c == nil {
		return false
	}
	text, some, why := kit.Read(s.tree, name), false, ""
	for i, f := range s.files(c) {
		t, at := c.targets[i], f[name]
		if _, ok := f[name]; !ok {
			continue
		}
		switch {
		case t.kind == "test":
			s.pick(c, "test/"+t.name, name, "")
			some = true
		case t.kind == "bench":
			why = "a benchmark: its figures are no test"
		case !t.test && !rustTestFn.MatchString(text):
			why = "it is compiled with the " + t.kind + " " + t.name + " and has no tests"
		case rustTestFn.MatchString(text):
			s.pick(c, strings.TrimSuffix(t.kind+"/"+t.name, "lib/"+t.name)+libOf(t.kind), name, at.module)
			some = true
		}
		if t.kind == "lib" && c.doctest && rustDocTest.MatchString(text) {
			s.pick(c, "doc", name, strings.TrimPrefix(name, strings.TrimPrefix(c.dir+"/", "./")))
			some = true
		}
	}
	if !some && why != "" {
		s.leave(name, why)
		return true
	}
	return some
}

func libOf(kind string) string {
	if kind == "lib" {
		return "lib"
	}
	return ""
}

// beside selects for a fixture or a helper the tests that name it, else those of
// the nearest folder that holds any, else all of the package's.
func (s *rustSelection) beside(name string) {
	c := s.crateOf(name)
	if c == nil {
		s.leave(name, "no package holds it")
		return
	}
	if s.naming(c, name) {
		return
	}
	var roots []string
	byRoot := map[string]rustTarget{}
	for _, t := range c.targets {
		if t.kind == "test" {
			roots, byRoot[t.root] = append(roots, t.root), t
		}
	}
	sort.Strings(roots)
	picked := map[string]bool{}
	for _, u := range s.units {
		for _, f := range u.Files {
			picked[f] = true
		}
	}
	before := len(picked)
	fresh := map[string]bool{}
	for f := range picked {
		fresh[f] = true
	}
	inSource := strings.HasPrefix(name, path.Join(c.dir, "src")+"/")
	if !inSource && kit.PickBeside(roots, name, fresh, before > 0) {
		for _, root := range roots {
			if fresh[root] && !picked[root] {
				s.pick(c, "test/"+byRoot[root].name, root, "")
			}
		}
		return
	}
	for _, t := range c.targets {
		if t.kind == "lib" && t.test {
			s.pick(c, "lib", "", "")
			return
		}
	}
	s.leave(name, "no test stands beside it")
}

// naming selects the tests whose files name a fixture, as snapshots and included
// files are named by theirs.
func (s *rustSelection) naming(c *rustCrate, name string) bool {
	base := path.Base(name)
	some, deepest := false, 0
	for i, files := range s.files(c) {
		for f := range files {
			deepest = max(deepest, snapshotOf(base, c.targets[i], files[f].module))
		}
	}
	for i, files := range s.files(c) {
		t := c.targets[i]
		if t.kind != "test" && t.kind != "lib" && t.kind != "bin" {
			continue
		}
		var hits []string
		for f := range files {
			if text := kit.Read(s.tree, f); deepest > 0 && snapshotOf(base, t, files[f].module) == deepest || len(base) > 4 &&
				strings.Contains(text, base) && rustTestFn.MatchString(text) {
				hits = append(hits, f)
			}
		}
		sort.Strings(hits)
		for _, f := range hits {
			target, module := t.kind+"/"+t.name, files[f].module
			if t.kind == "lib" {
				target = "lib"
			} else if t.kind == "test" {
				module = ""
			}
			s.pick(c, target, f, module)
			some = true
		}
	}
	return some
}

// snapshotOf says how much of a snapshot's name, which is crate__module__name.snap,
// is the target's and the module's; 0 where it is another's.
func snapshotOf(base string, t rustTarget, module string) int {
	prefix := strings.ReplaceAll(t.name, "-", "_") + "__"
	if module != "" {
		prefix += strings.ReplaceAll(module, "::", "__") + "__"
	}
	if !strings.HasSuffix(base, ".snap") || !strings.HasPrefix(base, prefix) {
		return 0
	}
	return len(prefix)
}

// chosen is a recipe's own selection: files, or DIR::TARGET with the target lib,
// doc, test/NAME, bin/NAME or example/NAME.
func (s *rustSelection) chosen(entries []string) (kit.Selection, error) {
	for _, e := range entries {
		if dir, target, ok := strings.Cut(e, "::"); ok {
			c := s.crateOf(path.Join(dir, "x"))
			if c == nil || c.dir != path.Clean(dir) || !c.hasTarget(target) {
				return kit.Selection{}, fmt.Errorf("the recipe selects %q: the tree does not have it", e)
			}
			s.pick(c, target, "", "")
			continue
		}
		if !kit.Has(s.tree, path.Clean(e)) {
			return kit.Selection{}, fmt.Errorf("the recipe selects %q: the tree does not have it", e)
		}
		if !s.source(path.Clean(e)) {
			s.beside(path.Clean(e))
		}
	}
	return s.done(), nil
}

func (c *rustCrate) hasTarget(target string) bool {
	_, ok := c.target(target)
	return ok
}

// target finds a target by its word in a selection.
func (c *rustCrate) target(word string) (rustTarget, bool) {
	for _, t := range c.targets {
		if t.kind+"/"+t.name == word || t.kind == "lib" && (word == "lib" || word == "doc") {
			return t, true
		}
	}
	return rustTarget{}, false
}

// needs are the features that a unit's tests are compiled under.
func (s *rustSelection) needs(c *rustCrate, u kit.Unit) []string {
	var features []string
	for i, t := range c.targets {
		if word, _ := c.target(u.Target); word.root != t.root || word.kind != t.kind {
			continue
		}
		features = append(features, t.needs...)
		for _, file := range u.Files {
			f, ok := s.files(c)[i][file]
			if !ok {
				continue
			}
			features = append(features, f.features...)
			features = append(features, featuresOf(rustCfg.FindAllString(kit.Read(s.tree, file), 200)...)...)
		}
	}
	features = slices.DeleteFunc(features, func(f string) bool {
		return !c.features[f] && !slices.Contains(targetNeeds(c), f)
	})
	sort.Strings(features)
	return slices.Compact(features)
}

func targetNeeds(c *rustCrate) (needs []string) {
	for _, t := range c.targets {
		needs = append(needs, t.needs...)
	}
	return needs
}
