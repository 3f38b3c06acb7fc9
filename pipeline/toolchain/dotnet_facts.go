package toolchain

// Facts implements [Toolchain].
func (Dotnet) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      None[func(Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     None[func(Tree) bool]("a project below the root is tested like one at it"),
		Packages:      None[Packages]("leaks of NuGet's packages are not looked for yet"),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      Known(dotnetdeclares),
		Guard:         Known(dotnetguard),
		ByContent:     Known(projectFile),
		Shuffles:      None[string]("the frameworks agree on no switch for it"),
		Clock:         None[string]("not tried yet"),
		Canary:        None[string]("a class more would have to be compiled into the tree's own project"),
	}
}
