package shell

import (
	"github.com/wideswe/wideswe/pipeline/buildfailure"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:       "5",
		OwnsRoot:      kit.Known(func(t kit.Tree) bool { return len(shellTests(t)) > 0 }),
		BelowRoot:     kit.None[func(kit.Tree) bool]("scripts are looked for everywhere"),
		Packages:      kit.None[kit.Packages]("scripts are published by no package manager"),
		BuildFailures: kit.None[buildfailure.Words]("nothing is built"),
		HostCaches:    kit.None[kit.HostCaches]("nothing is fetched"),
		Declares:      kit.None[func(string, []byte) []string]("a function that is declared twice is the later one"),
		Guard:         kit.Known(guard),
		Describes:     kit.None[func(string) bool]("scripts are built by nothing"),
		InlineTests:   kit.None[func(string, []byte) []kit.InlineTest]("tests are in files of their own"),
		ByContent:     kit.None[func(string) bool]("its configuration is known by name"),
		Shuffles:      kit.Known("the scripts"), // a script's own tests can't be told what to do
		Clock:         kit.Known("date +%s"),
		Canary:        kit.None[string]("a script prints its results itself"),
		Resolve:       kit.None[func(kit.Job) string]("scripts name programs, which the guard looks at"),
	}
}
