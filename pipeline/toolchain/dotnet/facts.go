package dotnet

import (
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:       "5",
		OwnsRoot:      kit.None[func(kit.Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     kit.None[func(kit.Tree) bool]("a project below the root is tested like one at it"),
		Packages:      kit.None[kit.Packages]("leaks of NuGet's packages are not looked for yet"),
		BuildFailures: kit.Known(buildFailures),
		HostCaches:    kit.None[kit.HostCaches]("the tools find their caches below the home folder, which a run keeps"),
		Declares:      kit.Known(declares),
		Guard:         kit.Known(guard),
		Describes:     kit.Known(projectFile),
		InlineTests:   kit.None[func(string, []byte) []kit.InlineTest]("tests are in files of their own"),
		ByContent:     kit.Known(projectFile),
		Shuffles:      kit.None[string]("the frameworks agree on no switch for it"),
		Clock:         kit.Known("date +%s"),
		Canary:        kit.None[string]("a class more would have to be compiled into the tree's own project"),
		Resolve:       kit.None[func(kit.Job) string]("packages are named by the project file, which is put back"),
	}
}
