package toolchain

import (
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// Facts implements [Toolchain].
func (Go) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      None[func(Tree) bool]("a go.mod at the root is found first anyway"),
		BelowRoot:     Known(func(t Tree) bool { mods := goModules(t); return len(mods) > 0 && mods[0].dir != "." }),
		Packages:      Known(Packages{Manager: "go", Manifests: map[string]func(string) string{"go.mod": publishedModule}, Cached: cachedModules}),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      Known(godeclares),
		Guard:         Known(goguard),
		ByContent:     Known(func(base string) bool { return base == "go.mod" || strings.HasSuffix(base, "_test.go") }),
		Shuffles:      Known("the tests of a package"),
		Clock:         None[string]("programs ask the kernel for the time, not the C library"),
		Canary:        Known("first and last in every package"),
	}
}

func publishedModule(text string) string { return modfile.ModulePath([]byte(text)) }

var moduleCache = regexp.MustCompile(`(?:^|/)pkg/mod/(?:cache/download/(.+)/@v/(v[^/]+)\.zip|(.+?)@(v[^/]+)/)`)

func cachedModules(file string) []CachedPackage {
	m := moduleCache.FindStringSubmatch(file)
	if m == nil {
		return nil
	}
	name, err := module.UnescapePath(m[1] + m[3])
	if err != nil {
		return nil
	}
	return []CachedPackage{{name, m[2] + m[4]}}
}
