package rust

import (
	"regexp"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:   "5",
		OwnsRoot:  kit.None[func(kit.Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot: kit.None[func(kit.Tree) bool]("a workspace below the root is tested like one at it"),
		Packages: kit.Known(kit.Packages{Manager: "cargo", Cached: cachedCrates,
			Manifests: map[string]func(string) string{"Cargo.toml": func(text string) string {
				return kit.FirstGroup(crateName,
					text)
			}}}),
		BuildFailures: kit.Known(buildFailures),
		HostCaches:    kit.None[kit.HostCaches]("the tools find their caches below the home folder, which a run keeps"),
		Declares:      kit.None[func(string, []byte) []string]("files are modules, each with names of its own"),
		Guard:         kit.Known(guard),
		Describes:     kit.Known(func(base string) bool { return base == "cargo.toml" }),
		InlineTests:   kit.Known(inlineTests),
		ByContent:     kit.Known(func(base string) bool { return base == "cargo.toml" }),
		Shuffles:      kit.None[string]("libtest shuffles on nightly alone"),
		Clock:         kit.Known("date +%s"),
		Canary:        kit.Known("in every program of tests"),
		Resolve:       kit.None[func(kit.Job) string]("cargo takes names from the manifest, which is compared by its effect"),
	}
}

var (
	crateName  = regexp.MustCompile(`(?m)^\s*name\s*=\s*["']([A-Za-z0-9._-]{1,200})["']`)
	crateCache = regexp.MustCompile(`(?:^|/)registry/(?:cache|src)/[^/]+/([A-Za-z0-9_-]+?)-([0-9][^/]*?)(?:\.crate$|` +
		`/Cargo\.toml$)`)
)

func cachedCrates(file string) []kit.CachedPackage {
	m := crateCache.FindStringSubmatch(file)
	if m == nil {
		return nil
	}
	return []kit.CachedPackage{{Name: m[1], Version: m[2]}}
}
