package toolchain

// Facts implements [Toolchain].
func (Php) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      None[func(Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     None[func(Tree) bool]("a package below the root is tested like one at it"),
		Packages:      None[Packages]("leaks of composer's packages are not looked for yet"),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      None[func(string, []byte) []string]("a class that is declared twice is loaded from the file that autoloading names"),
		Guard:         Known(phpguard),
		ByContent:     Known(func(base string) bool { return base == "composer.json" }),
		Shuffles:      None[string]("not tried yet"),
		Clock:         None[string]("not tried yet"),
		Canary:        None[string]("a test more would stand in the tree's own suite"),
	}
}
