package guard

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
)

// uses holds which files of base and gold name each other. It is read on first use, and
// contains nothing from the prediction.
type uses struct {
	// settings are the names in what the runner and the build are told of tests.
	settings func() []usedBy
	// folders are those of base that hold sources of production.
	folders func() map[string]bool
	// production and tests are what their sources import.
	production, tests func() []usedBy
	// known are the answers that were given of a file or a library: the same one is asked
	// for again and again while others are decided about.
	known map[question]bool
}

// question is what is asked of a file, or of a library in files with an ending.
type question struct {
	about, name, ending string
	product             bool // files beside those that gold changes
}

// answer gives what ask says, which is asked once.
func (u uses) answer(q question, ask func() bool) bool {
	known, there := u.known[q]
	if !there {
		known = ask()
		u.known[q] = known
	}
	return known
}

// usedBy is a file with what it names.
type usedBy struct {
	file string
	list []reference
	// quoted are the names in its strings, where they are asked for.
	quoted []reference
}

func (u usedBy) names(file string) bool {
	return u.file != file && slices.ContainsFunc(u.list, func(r reference) bool { return r.names(u.file, file) })
}

// imports tells whether a file imports a library by that very name.
func (u usedBy) imports(library string) bool {
	return slices.ContainsFunc(u.list, func(r reference) bool { return !r.relative && path.Join(r.parts...) == library })
}

func newUses(r Repository, t trees) uses {
	return uses{
		known: map[question]bool{},
		settings: sync.OnceValue(func() []usedBy {
			list := settingsOf(t.base(), r.Compare)
			if r.Gold == r.Base {
				return list
			}
			return append(list, settingsOf(t.gold(), r.Compare)...)
		}),
		folders:    sync.OnceValue(func() map[string]bool { return foldersOf(t.base()) }),
		production: sync.OnceValue(func() []usedBy { return importsOf(t.base(), production) }),
		tests:      sync.OnceValue(func() []usedBy { return importsOf(t.gold(), isTest) }),
	}
}

// settingsOf reads what a tree's settings of the runner and the build name.
func settingsOf(t kit.Tree, compare func(kit.Change) kit.Guard) (list []usedBy) {
	for _, f := range t.Files() {
		role := filerole.Of(f)
		if role != filerole.Build && role != filerole.Config && path.Ext(f) != ".json" {
			continue
		}
		if part := runnerPart(f, []byte(kit.Read(t, f)), compare); len(part) > 0 {
			list = append(list, usedBy{file: f, list: mentioned(string(part))})
		}
	}
	return list
}

// runnerPart is what of a file is for the runner: what a change that empties the file
// would put back.
func runnerPart(file string, text []byte, compare func(kit.Change) kit.Guard) []byte {
	empty := []byte{}
	if path.Ext(file) == ".json" {
		empty = []byte("{}")
	}
	switch g := compare(kit.Change{Path: file, Before: text, After: empty}); {
	case !g.Touched, registry.Describes(file) && (g.Restored == nil || filerole.Programming(file)):
		// A description that is a program names above all what it builds from, and where the
		// part for tests can't be told apart, it may name production.
		return nil
	case g.Restored != nil:
		return []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(g.Restored)))
	}
	return text
}

// importsOf reads what the sources of a role import.
func importsOf(t kit.Tree, wanted func(filerole.Role) bool) (list []usedBy) {
	for _, f := range t.Files() {
		if filerole.Programming(f) && wanted(filerole.Of(f)) {
			text := kit.Read(t, f)
			u := usedBy{file: f, list: imported(text)}
			if isTest(filerole.Of(f)) {
				u.quoted = mentioned(strings.Join(words(kit.QuotedStrings(text)), "\n"))
			}
			list = append(list, u)
		}
	}
	return list
}

// words are the strings without spaces.
func words(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return strings.ContainsAny(s, " \t\n") })
}

// usedByProduction tells whether base's production imports a file.
func (in *inspection) usedByProduction(file string) bool {
	return in.uses.answer(question{about: "production uses it", name: file}, func() bool {
		return slices.ContainsFunc(in.uses.production(), func(u usedBy) bool {
			return !in.named(u.file) && !in.besideTests(u.file) && u.names(file)
		})
	})
}

// besideTests tells whether a file is a hidden test, or lies among tests that only the
// folder's name could tell: there gold changes nothing else.
func (in *inspection) besideTests(file string) bool {
	if in.hidden[file] {
		return true
	}
	return slices.ContainsFunc(in.Hidden, func(h string) bool {
		return path.Dir(h) == path.Dir(file) && path.Ext(h) == path.Ext(file) &&
			filerole.Of(path.Base(h)) != filerole.Test && !in.goldWorks(path.Dir(h))
	})
}

// goldWorks tells whether gold changes a file of a folder that is no hidden test.
func (in *inspection) goldWorks(dir string) bool {
	return slices.ContainsFunc(in.trees.gold().Files(), func(f string) bool {
		return path.Dir(f) == dir && !in.hidden[f] && !in.sameFile(in.Base, in.Gold, f)
	})
}

// named tells whether the settings of the tests name a file, a plugin, a setup file or
// one that they include.
// Production that gold changes is never one: its version of gold is the answer. Nor is
// the file that stands for a folder of such: settings that name it mean the product. A
// build description is compared, unless another one includes it.
func (in *inspection) named(file string) bool {
	return in.uses.answer(question{about: "settings name it", name: file}, func() bool {
		if production(filerole.Of(file)) && (!in.sameFile(in.Base, in.Gold, file) || in.standsForProduct(file)) {
			return false
		}
		return slices.ContainsFunc(in.uses.settings(), func(u usedBy) bool {
			return (!registry.Describes(file) || registry.Describes(u.file)) && u.names(file)
		})
	})
}

// standsForProduct tells whether a file stands for a folder in which gold changes
// production.
func (in *inspection) standsForProduct(file string) bool {
	dir := path.Dir(file)
	return slices.Contains(module(file), dir) && slices.ContainsFunc(in.trees.gold().Files(), func(f string) bool {
		return strings.HasPrefix(f, dir+"/") && filerole.Programming(f) && production(filerole.Of(f)) &&
			!in.hidden[f] && !in.sameFile(in.Base, in.Gold, f)
	})
}

// supportsTests tells whether a file of base that gold leaves alone supports tests alone,
// whatever it is called: tests import it, production doesn't, and it is written with
// what the tests are written with.
func (in *inspection) supportsTests(file string) bool {
	if !in.exists(in.Base, file) || !in.sameFile(in.Base, in.Gold, file) || !filerole.Programming(file) ||
		!in.onlyTestsUse(file) {
		return false
	}
	return slices.ContainsFunc(imported(string(readFile(in.Base, file))), func(r reference) bool {
		q := question{about: "a library of tests", name: path.Join(r.parts...), ending: path.Ext(file),
			product: in.goldWorks(path.Dir(file))}
		return !r.relative && in.uses.answer(q, func() bool { return in.isTestLibrary(q) })
	})
}

// onlyTestsUse tells whether tests import a file, or name it in a string as a plugin is
// named, and production doesn't import it.
func (in *inspection) onlyTestsUse(file string) bool {
	return !in.usedByProduction(file) && in.uses.answer(question{about: "tests use it", name: file}, func() bool {
		return slices.ContainsFunc(in.uses.tests(), func(u usedBy) bool {
			return u.names(file) || usedBy{file: u.file, list: u.quoted}.names(file)
		})
	})
}

// isTestLibrary tells whether at least half of the tests with an ending import a library,
// or one that configures the runner, and nothing does that isn't for tests. A test that
// configures the runner by what it holds is of one package: it says nothing of what the
// product is written with.
func (in *inspection) isTestLibrary(q question) bool {
	files, users, configured := 0, 0, false
	for _, u := range in.uses.tests() {
		if path.Ext(u.file) != q.ending {
			continue
		}
		files++
		if u.imports(q.name) {
			users++
			configured = configured || in.configures(u.file) && !(q.product && registry.ByContent(u.file))
		}
	}
	if users == 0 || 2*users < files && !configured {
		return false
	}
	return !slices.ContainsFunc(in.uses.production(), func(u usedBy) bool {
		return u.imports(q.name) && !in.onlyTestsUse(u.file)
	})
}

// isBuilt tells whether a new file is no source but bytes that are no text, as compilers
// write them. All files of a workspace are equally old, so that a build which finds its
// result does not make it anew from the tests.
func (in *inspection) isBuilt(file string) bool {
	info, err := lstat(in.Changed, file)
	if err != nil || !info.Mode().IsRegular() || filerole.Programming(file) {
		return false
	}
	text := readFile(in.Changed, file)
	return text == nil || bytes.IndexByte(text, 0) >= 0
}

// holdsListed tells whether tests that count stand in a file: the examples of a page of
// documentation have its name in their ids.
func (in *inspection) holdsListed(file string) bool {
	return slices.ContainsFunc(in.Listed, func(id string) bool { return strings.HasPrefix(id, file+"::") })
}

// configures tells whether a test's file is configuration of the runner.
func (in *inspection) configures(test string) bool {
	change := kit.Change{Path: test, Before: []byte(kit.Read(in.trees.gold(), test)), After: []byte{}}
	return in.Compare(change).Touched
}

func isTest(r filerole.Role) bool { return r == filerole.Test }

// shipped tells whether settings are data of the product: they lie in a folder of
// production, or in one beside it, under a name that no tool looks for by itself, and
// tests alone do not speak of them.
func (in *inspection) shipped(file string) bool {
	if strings.HasPrefix(file, ".") || strings.Contains(file, "/.") {
		return false
	}
	if speaks(in.trees.base(), path.Base(file), production) {
		return true
	}
	folders := in.uses.folders()
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if folders[dir] {
			return !speaks(in.trees.gold(), path.Base(file), isTest)
		}
	}
	return false
}

// speaks tells whether a program of a role has a word in its text.
func speaks(t kit.Tree, word string, wanted func(filerole.Role) bool) bool {
	return slices.ContainsFunc(t.Files(), func(f string) bool {
		return filerole.Programming(f) && wanted(filerole.Of(f)) && strings.Contains(kit.Read(t, f), word)
	})
}

// foldersOf are the folders that hold sources of production, and those above them.
func foldersOf(t kit.Tree) map[string]bool {
	folders := map[string]bool{}
	for _, f := range t.Files() {
		if filerole.Programming(f) && filerole.Of(f) == filerole.Source {
			for dir := path.Dir(f); dir != "." && !folders[dir]; dir = path.Dir(dir) {
				folders[dir] = true
			}
		}
	}
	return folders
}
