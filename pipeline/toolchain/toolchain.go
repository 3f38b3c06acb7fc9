package toolchain

import (
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/schema"
)

// Version is the version of all languages.
const Version = "5"

// Tree is the working tree of one repository, as the run will see it.
type Tree interface {
	// Files lists the regular files, slash paths from the repository's root, sorted.
	Files() []string
	// Read gives a file's bytes.
	Read(path string) ([]byte, error)
}

// Toolchain knows how repositories of one language are built and tested.
type Toolchain interface {
	// Name is the recipe's word for it.
	Name() string
	// Facts are what others need to know of the language.
	Facts() Facts
	// Detect makes a recipe from the tree, each part with its reason.
	Detect(Tree) (schema.Recipe, bool)
	// Select names the tests of the files that the hidden tests touch. The tree has
	// the hidden tests laid over it; hidden lists their paths.
	Select(t Tree, r schema.Recipe, hidden []string) (Selection, error)
	// Plan writes the commands.
	Plan(Job) (Plan, error)
}

// Selection is which tests run. It is stored as JSON and used for base and gold
// alike.
type Selection struct {
	// Files are test files (Python, shell), or pytest node ids where a recipe names them.
	Files []string `json:"files,omitempty"`
	// Units are runs of a runner inside a package of the repository, for toolchains
	// whose tests belong to packages rather than to files.
	Units []Unit `json:"units,omitempty"`
	// Left are hidden files for which nothing runs, each with the reason.
	Left []Left `json:"left,omitempty"`
}

// files are the test files of a selection, those of its units too.
func (s Selection) files() []string {
	files := slices.Clone(s.Files)
	for _, u := range s.Units {
		files = append(files, u.Files...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Unit is one run of a runner inside a package (a workspace member, a crate, a
// module) of the repository.
type Unit struct {
	// Dir is the package's folder, from the repository's root, "." for the root.
	Dir string `json:"dir"`
	// Runner is who runs it, where the toolchain knows several: jest, vitest, mocha.
	Runner string `json:"runner,omitempty"`
	// Target is the part of the package that is built and run: a cargo test target,
	// a ctest label; empty is all.
	Target string `json:"target,omitempty"`
	// Files are the test files, from the repository's root.
	Files []string `json:"files,omitempty"`
	// Tests are the names that the runner filters by: classes, suites, test names.
	Tests []string `json:"tests,omitempty"`
	// Module is the folder of the package's module, "." for the root, where a package is
	// part of one.
	Module string `json:"module,omitempty"`
	// Tags are the build tags that the files need.
	Tags []string `json:"tags,omitempty"`
	// First is the package clause of the tests that run first, Last of those that run
	// last, where files of one folder may have two.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// Left is a hidden file for which nothing runs.
type Left struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Empty says that nothing would run.
func (s Selection) Empty() bool { return len(s.Files) == 0 && len(s.Units) == 0 }

// Sibling is another repository of the workspace.
type Sibling struct {
	Repository string
	Tree       Tree
}

// Job is one target's run.
type Job struct {
	Recipe     schema.Recipe
	Repository string // owner/name
	Tree       Tree
	Siblings   []Sibling
	Selection  Selection
	// Skip leaves tests out, by id; Only runs no others. Both may name subtests.
	Skip []string
	Only []string
	// Shuffle is the seed of another order than the usual one, where the toolchain is
	// a [Shuffler]; 0 is the usual.
	Shuffle int64
	// Canary is a secret of this one run, from which the plan's canaries are made;
	// empty makes none.
	Canary string
}

// Plan is the commands of one run, as shell lines for /bin/sh -e with
// $WIDESWE_REPO as working folder. A phase's script is Wire followed by the
// phase's lines, in one shell, so that what Wire exports reaches them. Wire and
// Setup may use the network; Warm, Build and Test run without.
//
// The lines read $WIDESWE_WORKSPACE, $WIDESWE_REPO, $WIDESWE_TMP (scratch) and
// $WIDESWE_OUT (reports), and keep what outlives a run (a Python environment)
// under ${WIDESWE_CACHE:-$HOME/.cache/wideswe}.
type Plan struct {
	// Env is set for every phase; its values are literal.
	Env map[string]string
	// Wire points the target at its siblings' working trees; it needs no network.
	Wire []string
	// Setup fetches dependencies, network on.
	Setup []string
	// Manifests are the files of the target's tree (manifests, lock files, what they
	// include) that decide what Setup fetches, sorted. Targets that agree in them,
	// in Wire and in Setup share one image of dependencies. Empty: any file may.
	Manifests []string
	// Warm fills build caches; its failure does not matter.
	Warm []string
	// Build runs after patches, before every test run.
	Build []string
	// Test runs the tests and exits with the worst code.
	Test string
	// Report is the format of the files that Test writes.
	Report string
	// Files are the report files that Test writes, from $WIDESWE_OUT. What else
	// lies there the runner did not write. One may be absent where the runner died.
	// Empty: every file.
	Files []string
	// Canaries are the tests that the plan added, by report.
	Canaries []Canary
	// Notes are facts that the person who reads the run should know.
	Notes []string
}

// All lists the toolchains in the order in which they are tried.
func All() []Toolchain {
	return []Toolchain{
		Go{},
		Python{},
		Rust{},
		Node{},
		Java{},
		Cpp{},
		Php{},
		Ruby{},
		Dotnet{},
		Shell{}, // last: most repositories have some test script
	}
}

// ByName finds a toolchain by its name.
func ByName(name string) (Toolchain, bool) {
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
func Detect(t Tree, hidden ...string) (schema.Recipe, Toolchain, bool) {
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
	by     Toolchain
}

// recognise lists the toolchains that recognise a tree. One that knows only a manifest
// below the root steps back where the root is another's own.
func recognise(t Tree) (all []detected) {
	owned := slices.ContainsFunc(All(), func(tc Toolchain) bool {
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
func most(t Tree, all []detected, files []string) (best []detected) {
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
func testFiles(t Tree) (files []string) {
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
func named(s Selection, hidden []string) (n int) {
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
