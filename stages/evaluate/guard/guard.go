// Package guard decides which of the files that a prediction changes go back before
// the second run, and puts them back: whatever may change how tests are found, run or
// reported, and the data that tests read. It also names the prediction's own tests
// that keep the hidden ones from being built.
//
// It looks at folders of trees and at lists of files. What runs, what a run says and
// how a task ends by it are not its matter.
package guard

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// The guards: what becomes of a prediction that changes runner configuration.
const (
	Off    = "off"    // it runs as submitted alone: the paper's rule
	On     = "on"     // a second run has the runner configuration of base; where it differs the verdict is disputed
	Reject = "reject" // it does not run
)

// Repository is one repository that a prediction changes: folders of its tree at base,
// at gold and with the prediction, and what the release says about its files.
type Repository struct {
	Base, Gold, Changed string
	// Expected are the files that gold or the hidden tests change or add.
	Expected []string
	// CommandFolders are the folders of the tree whose programs the runner finds first.
	CommandFolders []string
}

// Finding is a file that goes back before the second run.
type Finding struct {
	Path string
	// Kind is schema.DeviationConfig, or schema.DeviationTestData for a file that tests read.
	Kind string
	// Restored is the file with only the runners' part as on base; nil puts the whole file back.
	Restored []byte
}

// Inspect finds what goes back among the files that the prediction changes. Files that
// gold changes too stay, except for the runners' part of a file where gold's differs.
func Inspect(r Repository, files []string) []Finding {
	in := newInspection(r)
	takenOver := map[string]bool{} // folders of Go packages with a test file that goes back
	var found []Finding
	for _, f := range files {
		finding, ok := in.file(f)
		if !ok {
			continue
		}
		found = append(found, finding)
		if finding.Kind == schema.DeviationConfig && isGoTest(f) {
			takenOver[path.Dir(f)] = true
		}
	}
	return in.addPackageTests(found, files, takenOver)
}

// inspection is a repository under inspection.
type inspection struct {
	Repository
	expected, commands map[string]bool
}

func newInspection(r Repository) inspection {
	in := inspection{Repository: r, expected: map[string]bool{}, commands: map[string]bool{}}
	for _, f := range r.Expected {
		in.expected[f] = true
	}
	for _, dir := range r.CommandFolders {
		in.commands[path.Clean(dir)] = true
	}
	return in
}

func isGoTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// file inspects one changed file.
func (in inspection) file(name string) (Finding, bool) {
	if g := in.runnerConfig(name); g.Touched {
		return Finding{name, schema.DeviationConfig, g.Restored}, true
	}
	if !in.expected[name] && in.isTestData(name) {
		return Finding{name, schema.DeviationTestData, nil}, true
	}
	return Finding{}, false
}

// addPackageTests adds the other Go test files of the packages: they need each other to
// build, so they go back together.
func (in inspection) addPackageTests(found []Finding, files []string, packages map[string]bool) []Finding {
	for _, f := range files {
		known := slices.ContainsFunc(found, func(x Finding) bool { return x.Path == f })
		if isGoTest(f) && packages[path.Dir(f)] && !in.expected[f] && !known {
			found = append(found, Finding{f, schema.DeviationConfig, nil})
		}
	}
	return found
}

// runnerConfig tells whether the change of a file may change how tests are found, run
// or reported.
func (in inspection) runnerConfig(name string) kit.Guard {
	before, after := readFile(in.Base, name), readFile(in.Changed, name)
	if in.expected[name] {
		return in.beyondGold(name, before, after)
	}
	info, err := os.Lstat(filepath.Join(in.Changed, filepath.FromSlash(name)))
	there := err == nil && !info.IsDir()
	switch {
	case there && after == nil && registry.ByContent(name):
		return kit.Guard{Touched: true} // a link, or too large to look into
	case there && in.commands[path.Dir(name)] && (info.Mode()&0o111 != 0 || !info.Mode().IsRegular()):
		return kit.Guard{Touched: true} // a command that the runner would call instead of its own
	}
	return registry.RunnerConfig(kit.Change{Path: name, Before: before, After: after})
}

// beyondGold looks at a file that gold changes too: only a runners' part that differs
// from gold's goes back, to gold's.
func (in inspection) beyondGold(name string, before, after []byte) kit.Guard {
	g := registry.RunnerConfig(kit.Change{Path: name, Before: readFile(in.Gold, name), After: after})
	if g.Restored != nil && changesRunner(name, before, after) {
		return g
	}
	return kit.Guard{}
}

// changesRunner tells whether a change is one of runner configuration. before and after
// are nil where the file does not exist.
func changesRunner(file string, before, after []byte) bool {
	return registry.RunnerConfig(kit.Change{Path: file, Before: before, After: after}).Touched
}

// isTestData tells whether a file is data that tests read on base. The hidden tests
// expect what it holds there.
func (in inspection) isTestData(name string) bool {
	info, err := os.Lstat(filepath.Join(in.Base, filepath.FromSlash(name)))
	return err == nil && !info.IsDir() && filerole.Of(name) == filerole.Fixture
}

// readFile reads a file of a tree, nil where there is none, never through a link
// that leads out.
func readFile(dir, name string) []byte {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4<<20 {
		return nil
	}
	b, _ := root.ReadFile(name)
	if b == nil {
		b = []byte{}
	}
	return b
}
