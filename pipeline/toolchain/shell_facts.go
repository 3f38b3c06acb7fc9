package toolchain

// Facts implements [Toolchain].
func (Shell) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      Known(func(t Tree) bool { return len(shellTests(t)) > 0 }),
		BelowRoot:     None[func(Tree) bool]("scripts are looked for everywhere"),
		Packages:      None[Packages]("scripts are published by no package manager"),
		BuildFailures: None[[]BuildFailure]("nothing is built"),
		Declares:      None[func(string, []byte) []string]("a function that is declared twice is the later one"),
		Guard:         Known(shellguard),
		ByContent:     None[func(string) bool]("its configuration is known by name"),
		Shuffles:      Known("the scripts"), // a script's own tests can't be told what to do
		Clock:         Known("date +%s"),
		Canary:        None[string]("a script prints its results itself"),
	}
}
