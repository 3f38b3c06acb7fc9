package toolchain

import "regexp"

// Facts implements [Toolchain].
func (Rust) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      None[func(Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     None[func(Tree) bool]("a workspace below the root is tested like one at it"),
		Packages:      Known(Packages{Manager: "cargo", Cached: cachedCrates, Manifests: map[string]func(string) string{"Cargo.toml": func(text string) string { return match(crateName, text) }}}),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      None[func(string, []byte) []string]("files are modules, each with names of its own"),
		Guard:         Known(rustguard),
		ByContent:     Known(func(base string) bool { return base == "cargo.toml" }),
		Shuffles:      None[string]("libtest shuffles on nightly alone"),
		Clock:         Known("date +%s"),
		Canary:        Known("in every program of tests"),
	}
}

var (
	crateName  = regexp.MustCompile(`(?m)^\s*name\s*=\s*["']([A-Za-z0-9._-]{1,200})["']`)
	crateCache = regexp.MustCompile(`(?:^|/)registry/(?:cache|src)/[^/]+/([A-Za-z0-9_-]+?)-([0-9][^/]*?)(?:\.crate$|/Cargo\.toml$)`)
)

func cachedCrates(file string) []CachedPackage {
	m := crateCache.FindStringSubmatch(file)
	if m == nil {
		return nil
	}
	return []CachedPackage{{m[1], m[2]}}
}
