package toolchain

// Facts implements [Toolchain].
func (Ruby) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      None[func(Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     None[func(Tree) bool]("a gem below the root is tested like one at it"),
		Packages:      None[Packages]("leaks of gems are not looked for yet"),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      None[func(string, []byte) []string]("classes are open: a second declaration adds to the first"),
		Guard:         Known(rubyguard),
		ByContent:     Known(func(base string) bool { return base == "gemfile" }),
		Shuffles:      None[string]("not tried yet"),
		Clock:         None[string]("not tried yet"),
		Canary:        None[string]("a test more would stand in the tree's own suite"),
	}
}
