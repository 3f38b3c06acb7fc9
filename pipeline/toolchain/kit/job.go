package kit

import (
	"github.com/wideswe/wideswe/schema"
)

// Sibling is another repository of the workspace.
type Sibling struct {
	Repository string
	Tree       Tree
	// Reference is gold's tree of it, where another is run: a package of Tree takes a
	// published one's place only where Reference publishes the name, too. Nil is Tree.
	Reference Tree
}

// Publisher is the tree that decides which names the sibling's packages may have.
func (s Sibling) Publisher() Tree {
	if s.Reference != nil {
		return s.Reference
	}
	return s.Tree
}

// NameSet are the names of a list's packages.
func NameSet[T any](packages []T, name func(T) string) map[string]bool {
	set := make(map[string]bool, len(packages))
	for _, p := range packages {
		set[name(p)] = true
	}
	return set
}

// Job is one target's run.
type Job struct {
	Recipe     schema.Recipe
	Repository string // owner/name
	Tree       Tree
	// Reference is gold's tree, where another is run: the runner's command and its
	// options, the settings that choose a runner and the names of its reports are read
	// from it. What is wired, installed and built follows Tree. Nil is Tree.
	Reference Tree
	Siblings  []Sibling
	Selection Selection
	// Skip leaves tests out, by id; Only runs no others. Both may name subtests.
	Skip []string
	Only []string
	// Shuffle is the seed of another order than the usual one, where the toolchain is
	// a [Shuffler]; 0 is the usual.
	Shuffle int64
	// Canary is a secret of this one run, from which the plan's canaries are made;
	// empty makes none.
	Canary string
	// Sources asks for lists of the files that the runs read, see [Plan.Sources].
	Sources bool
}

// SourceList is a report file that lists files by words, as a rule of make does: a
// backslash keeps a blank in a name, a word may end with a colon.
type SourceList struct {
	File string
	// Dir is the folder, from the repository's root, that relative names begin at.
	Dir string
}

// RunnerTree is the tree that the runner's command and its options are read from.
func (j Job) RunnerTree() Tree {
	if j.Reference != nil {
		return j.Reference
	}
	return j.Tree
}

// Plan is the commands of one run, as shell lines for /bin/sh -e with
// $WIDESWE_REPO as working folder. A phase's script is Wire followed by the
// phase's lines, in one shell, so that what Wire exports reaches them. Wire and
// Setup may use the network; Warm, Build and Test run without.
//
// The lines read $WIDESWE_WORKSPACE, $WIDESWE_REPO, $WIDESWE_TMP (scratch) and
// $WIDESWE_OUT (reports), and keep what outlives a run (an environment of installed packages)
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
	// Whole says that Test can't run or leave out single tests.
	Whole bool
	// Sources are report files that list which files were read to build the tests, where
	// the toolchain can tell and the job asks for it.
	Sources []SourceList
	// Canaries are the tests that the plan added, by report.
	Canaries []Canary
	// Notes are facts that the person who reads the run should know.
	Notes []string
}
