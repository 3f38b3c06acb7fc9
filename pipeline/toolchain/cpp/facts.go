package cpp

import (
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:       "5",
		OwnsRoot:      kit.None[func(kit.Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     kit.None[func(kit.Tree) bool]("a build below the root is tested like one at it"),
		Packages:      kit.None[kit.Packages]("there is no package manager that all share"),
		BuildFailures: kit.Known(buildFailures),
		HostCaches:    kit.None[kit.HostCaches]("the tools find their caches below the home folder, which a run keeps"),
		Declares:      kit.None[func(string, []byte) []string]("files are built as the build description says, one by one"),
		Guard:         kit.Known(guard),
		Describes:     kit.Known(describesBuild),
		InlineTests: kit.None[func(string, []byte) []kit.InlineTest](
			"tests are in files of their own but for macros that few use"),
		ByContent: kit.Known(guardedByContent),
		Shuffles:  kit.None[string]("each program of tests has a switch of its own, or none"),
		Clock:     kit.None[string]("a program may be linked without the C library"),
		Canary:    kit.None[string]("programs of tests are the tree's own"),
		Resolve:   kit.None[func(kit.Job) string]("the compiler names what it includes as it builds, not before"),
	}
}

func guardedByContent(base string) bool {
	switch base {
	case "cmakelists.txt", "meson.build", "makefile.am", "configure.ac":
		return true
	}
	return makefile(base)
}
