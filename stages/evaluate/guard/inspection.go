package guard

import (
	"bytes"
	"os"
	"path"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// inspection is a repository under inspection.
type inspection struct {
	Repository
	hidden, commands map[string]bool
	trees            trees
	uses             uses
}

func newInspection(r Repository) *inspection {
	if info, err := os.Stat(r.Gold); err != nil || !info.IsDir() {
		r.Gold = r.Base
	}
	if r.Compare == nil {
		r.Compare = registry.RunnerConfig
	}
	in := &inspection{Repository: r, hidden: map[string]bool{}, commands: map[string]bool{}}
	for _, f := range r.Hidden {
		in.hidden[f] = true
	}
	for _, dir := range r.CommandFolders {
		in.commands[path.Clean(dir)] = true
	}
	in.trees = newTrees(in.Repository)
	in.uses = newUses(in.Repository, in.trees)
	return in
}

// decide decides about one file: by what it takes the place of, by what its change does
// to the runner, and then by its role.
func (in *inspection) decide(name string) Decision {
	d := Decision{Path: name, from: in.reference(name)}
	d.New = !in.exists(d.from, name)
	if in.sameFile(d.from, in.Changed, name) {
		return d.keep("as at gold, or base")
	}
	if why := in.outOfPlace(name, d.New); why != "" {
		return d.back(schema.DeviationConfig, why)
	}
	change := kit.Change{Path: name, Before: readFile(d.from, name), After: readFile(in.Changed, name),
		Tree: in.trees.gold()}
	if g := in.Compare(change); g.Restored != nil {
		d.Restored = g.Restored
		d = d.back(schema.DeviationConfig, "the part of it that concerns tests")
		d.Decision = PartBack
		return d
	} else if g.Touched {
		return d.back(schema.DeviationConfig, "it decides how tests are found, built or run")
	}
	return in.byRole(d)
}

// byRole decides by what the file is, once nothing of its change decides.
func (in *inspection) byRole(d Decision) Decision {
	role := filerole.Of(d.Path)
	switch {
	case in.named(d.Path) && !in.usedByProduction(d.Path):
		return d.back(schema.DeviationConfig, "settings of the tests name it")
	case production(role) && in.supportsTests(d.Path):
		return d.back(schema.DeviationPutBack, "only tests import it, and it is written as they are")
	case d.New && production(role) && role != filerole.Docs && in.isBuilt(d.Path):
		return d.back(schema.DeviationPutBack, "bytes that are no source, which a build would take for its own result")
	case role == filerole.Docs && in.holdsListed(d.Path):
		return d.back(schema.DeviationTestData, "its examples are among the tests that count")
	case production(role):
		return in.inlineBack(d.keep("production"))
	case role == filerole.Config && in.shipped(d.Path):
		return d.keep("data that is shipped with the production files around it")
	case filerole.Hidden(d.Path) && in.usedByProduction(d.Path):
		return in.inlineBack(d.keep("production imports it"))
	}
	switch role {
	case filerole.Build:
		if registry.Describes(d.Path) {
			return d.keep("a build description that leaves the tests' build as it is")
		}
		return d.back(schema.DeviationPutBack, "a file of the build that can't be compared")
	case filerole.Config:
		return d.back(schema.DeviationPutBack, "settings that are no part of what is shipped")
	case filerole.Vendored:
		return d.back(schema.DeviationConfig, "vendored code of others")
	case filerole.Fixture:
		return d.back(schema.DeviationTestData, "data that tests read")
	}
	return d.back(schema.DeviationPutBack, "a test, or what supports tests")
}

func (d Decision) keep(reason string) Decision {
	d.Decision, d.Reason = Kept, reason
	return d
}

func (d Decision) back(kind, reason string) Decision {
	d.Decision, d.Kind, d.Reason = PutBack, kind, reason
	return d
}

// reference is the folder of the tree whose version of a file counts: gold's where gold
// changed it, else base's.
func (in *inspection) reference(name string) string {
	if in.sameFile(in.Base, in.Gold, name) {
		return in.Base
	}
	return in.Gold
}

// outOfPlace says what a file takes the place of that is none of its business, "" where
// nothing speaks against it.
func (in *inspection) outOfPlace(name string, added bool) string {
	info, err := lstat(in.Changed, name)
	if err != nil {
		return ""
	}
	switch command := in.commands[path.Dir(name)]; {
	case command && !info.IsDir() && (info.Mode()&0o111 != 0 || !info.Mode().IsRegular()):
		return "a command that the runner would call instead of its own"
	case info.Mode()&os.ModeSymlink != 0 && !in.plainLink(name):
		return "a link to what is no production file of the repository"
	case info.Mode().IsRegular() && info.Size() > maxRead && registry.ByContent(name):
		return "too large to look into"
	case added && in.inTheWay(name, in.Hidden) != "":
		return "in the way of " + in.inTheWay(name, in.Hidden)
	}
	return ""
}

// plainLink tells whether a link leads to a production file of the repository.
func (in *inspection) plainLink(name string) bool {
	to, err := os.Readlink(filepath.Join(in.Changed, filepath.FromSlash(name)))
	if err != nil || path.IsAbs(to) || !kit.StaysInside(path.Dir(name), to) {
		return false
	}
	to = path.Join(path.Dir(name), to)
	info, err := lstat(in.Changed, to)
	return err == nil && info.Mode().IsRegular() && !registry.ByContent(name) && production(filerole.Of(to))
}

func production(role filerole.Role) bool {
	return role == filerole.Source || role == filerole.Generated || role == filerole.Docs
}

// exists tells whether a tree has a file or link of that path.
func (in *inspection) exists(dir, name string) bool {
	info, err := lstat(dir, name)
	return err == nil && !info.IsDir()
}

// sameFile tells whether two trees have the same file, the same link, or neither.
func (in *inspection) sameFile(a, b, name string) bool {
	infoA, errA := lstat(a, name)
	infoB, errB := lstat(b, name)
	switch {
	case errA != nil || errB != nil:
		return errA != nil && errB != nil
	case infoA.Mode().Type() != infoB.Mode().Type() || infoA.Mode()&0o111 != infoB.Mode()&0o111:
		return false
	case infoA.Mode()&os.ModeSymlink != 0:
		return readLink(a, name) == readLink(b, name)
	case infoA.Size() != infoB.Size():
		return false
	}
	textA, textB := readFile(a, name), readFile(b, name)
	return textA != nil && textB != nil && bytes.Equal(textA, textB)
}
