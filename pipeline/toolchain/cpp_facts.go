package toolchain

// Facts implements [Toolchain].
func (Cpp) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      None[func(Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     None[func(Tree) bool]("a build below the root is tested like one at it"),
		Packages:      None[Packages]("there is no package manager that all share"),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      None[func(string, []byte) []string]("files are built as the build description says, one by one"),
		Guard:         Known(cppguard),
		ByContent:     Known(guardedByContent),
		Shuffles:      None[string]("each program of tests has a switch of its own, or none"),
		Clock:         None[string]("a program may be linked without the C library"),
		Canary:        None[string]("programs of tests are the tree's own"),
	}
}

func guardedByContent(base string) bool {
	switch base {
	case "cmakelists.txt", "meson.build", "makefile.am", "configure.ac":
		return true
	}
	return makefile(base)
}
