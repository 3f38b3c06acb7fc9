package php

import (
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:       "5",
		OwnsRoot:      kit.None[func(kit.Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     kit.None[func(kit.Tree) bool]("a package below the root is tested like one at it"),
		Packages:      kit.None[kit.Packages]("leaks of composer's packages are not looked for yet"),
		BuildFailures: kit.Known(buildFailures),
		HostCaches:    kit.None[kit.HostCaches]("the tools find their caches below the home folder, which a run keeps"),
		Declares:      kit.None[func(string, []byte) []string]("a class that is declared twice is loaded from the file that autoloading names"),
		Guard:         kit.Known(guard),
		Describes:     kit.Known(func(base string) bool { return base == "composer.json" }),
		InlineTests:   kit.None[func(string, []byte) []kit.InlineTest]("tests are in files of their own"),
		ByContent:     kit.Known(func(base string) bool { return base == "composer.json" }),
		Shuffles:      kit.None[string]("not tried yet"),
		Clock:         kit.None[string]("not tried yet"),
		Canary:        kit.None[string]("a test more would stand in the tree's own suite"),
	}
}
