package golang

import (
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:   "5",
		OwnsRoot:  kit.None[func(kit.Tree) bool]("a go.mod at the root is found first anyway"),
		BelowRoot: kit.Known(func(t kit.Tree) bool { mods := goModules(t); return len(mods) > 0 && mods[0].dir != "." }),
		Packages: kit.Known(kit.Packages{Manager: "go",
			Manifests: map[string]func(string) string{"go.mod": publishedModule}, Cached: cachedModules}),
		BuildFailures: kit.Known(buildFailures),
		HostCaches: kit.Known(kit.HostCaches{Command: []string{"go", "env", "GOCACHE", "GOMODCACHE"},
			Variables: []string{"GOCACHE", "GOMODCACHE"}}),
		Declares:    kit.Known(declares),
		Guard:       kit.Known(guard),
		Describes:   kit.Known(func(base string) bool { return base == "go.mod" }),
		InlineTests: kit.None[func(string, []byte) []kit.InlineTest]("tests are in files of their own"),
		ByContent:   kit.Known(func(base string) bool { return base == "go.mod" || strings.HasSuffix(base, "_test.go") }),
		Shuffles:    kit.Known("the tests of a package"),
		Clock:       kit.None[string]("programs ask the kernel for the time, not the C library"),
		Canary:      kit.Known("first and last in every package"),
		Resolve:     kit.Known(resolve),
	}
}

func publishedModule(text string) string { return modfile.ModulePath([]byte(text)) }

var moduleCache = regexp.MustCompile(`(?:^|/)pkg/mod/(?:cache/download/(.+)/@v/(v[^/]+)\.zip|(.+?)@(v[^/]+)/)`)

func cachedModules(file string) []kit.CachedPackage {
	m := moduleCache.FindStringSubmatch(file)
	if m == nil {
		return nil
	}
	name, err := module.UnescapePath(m[1] + m[3])
	if err != nil {
		return nil
	}
	return []kit.CachedPackage{{Name: name, Version: m[2] + m[4]}}
}
