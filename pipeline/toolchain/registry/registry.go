package registry

import (
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/cpp"
	"github.com/wideswe/wideswe/pipeline/toolchain/dotnet"
	"github.com/wideswe/wideswe/pipeline/toolchain/golang"
	"github.com/wideswe/wideswe/pipeline/toolchain/java"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/node"
	"github.com/wideswe/wideswe/pipeline/toolchain/php"
	"github.com/wideswe/wideswe/pipeline/toolchain/python"
	"github.com/wideswe/wideswe/pipeline/toolchain/ruby"
	"github.com/wideswe/wideswe/pipeline/toolchain/rust"
	"github.com/wideswe/wideswe/pipeline/toolchain/shell"
	"github.com/wideswe/wideswe/schema"
)

// Version is the version of the rules that all languages share: how one is chosen for
// a tree, how recipes widen and narrow a selection, and the kit. What one language
// changes is its own [kit.Facts.Version].
const Version = "5"

// All lists the toolchains in the order in which they are tried.
func All() []kit.Toolchain {
	return []kit.Toolchain{
		golang.Toolchain{},
		python.Toolchain{},
		rust.Toolchain{},
		node.Toolchain{},
		java.Toolchain{},
		cpp.Toolchain{},
		php.Toolchain{},
		ruby.Toolchain{},
		dotnet.Toolchain{},
		shell.Toolchain{}, // last: most repositories have some test script
	}
}

// ByName finds a toolchain by its name.
func ByName(name string) (kit.Toolchain, bool) {
	for _, t := range All() {
		if t.Name() == name {
			return t, true
		}
	}
	return nil, false
}

// Detect makes a recipe with the toolchain that runs most of the hidden files: a
// repository of two languages is tested by the one its hidden tests are written in.
// Where several tie, or no hidden file is given, it is the one that runs most of the
// tree's own test files, the first of those that tie again: a manifest in some
// folder of test data does not make the repository one of its language.
func Detect(t kit.Tree, hidden ...string) (schema.Recipe, kit.Toolchain, bool) {
	all := recognise(t)
	all = most(t, all, hidden)
	if len(all) > 1 {
		all = most(t, all, testFiles(t))
	}
	if len(all) == 0 {
		return schema.Recipe{}, nil, false
	}
	return all[0].recipe, all[0].by, true
}

// detected is a toolchain that recognises a tree.
type detected struct {
	recipe schema.Recipe
	by     kit.Toolchain
}

// recognise lists the toolchains that recognise a tree. One that knows only a manifest
// below the root steps back where the root is another's own.
func recognise(t kit.Tree) (all []detected) {
	owned := slices.ContainsFunc(All(), func(tc kit.Toolchain) bool {
		owns := tc.Facts().OwnsRoot
		return owns.Known() && owns.Value(t)
	})
	for _, tc := range All() {
		if below := tc.Facts().BelowRoot; owned && below.Known() && below.Value(t) {
			continue
		}
		if r, ok := tc.Detect(t); ok {
			all = append(all, detected{r, tc})
		}
	}
	return all
}

// most keeps those that run most of the files.
func most(t kit.Tree, all []detected, files []string) (best []detected) {
	top := 0
	for _, d := range all {
		runs := 0
		if s, err := d.by.Select(t, d.recipe, files); err == nil {
			runs = named(s, files)
		}
		if runs > top {
			best, top = nil, runs
		}
		if runs == top {
			best = append(best, d)
		}
	}
	return best
}

// maxVotes bounds the test files of a tree that choose between languages.
const maxVotes = 300

// testFiles are a tree's test files, evenly taken of all where there are many.
func testFiles(t kit.Tree) (files []string) {
	for _, f := range t.Files() {
		if filerole.Of(f) == filerole.Test {
			files = append(files, f)
		}
	}
	if n := len(files); n > maxVotes {
		for i := range maxVotes {
			files[i] = files[i*n/maxVotes]
		}
		files = files[:maxVotes]
	}
	return files
}

// named counts the hidden files that a selection runs themselves; a fixture that
// any language could read speaks for none.
func named(s kit.Selection, hidden []string) (n int) {
	files := map[string]bool{}
	for _, f := range s.Files {
		file, _, _ := strings.Cut(f, "::")
		files[file] = true
	}
	for _, u := range s.Units {
		for _, f := range u.Files {
			files[f] = true
		}
	}
	for _, f := range hidden {
		if files[f] {
			n++
		}
	}
	return n
}
