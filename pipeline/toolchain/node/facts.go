package node

import (
	"encoding/json"
	"regexp"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:   "5",
		OwnsRoot:  kit.None[func(kit.Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot: kit.None[func(kit.Tree) bool]("a package below the root is tested like one at it"),
		Packages: kit.Known(kit.Packages{Manager: "npm", Cached: cachedPackages, VersionIn: installedVersion,
			Manifests: map[string]func(string) string{"package.json": publishedPackage}}),
		BuildFailures: kit.Known(buildFailures),
		HostCaches:    kit.None[kit.HostCaches]("the tools find their caches below the home folder, which a run keeps"),
		Declares:      kit.None[func(string, []byte) []string]("files are modules, each with names of its own"),
		Guard:         kit.Known(guard),
		Describes:     kit.Known(func(base string) bool { return base == "package.json" }),
		InlineTests:   kit.Known(inlineTests),
		ByContent:     kit.Known(func(base string) bool { return base == "package.json" }),
		Shuffles:      kit.None[string]("the runners agree on no switch for it"),
		Clock:         kit.Known("node -e 'console.log(Math.floor(Date.now() / 1000))'"),
		Canary:        kit.None[string]("the repository's own root hooks would see them"),
		Resolve:       kit.Known(resolve),
	}
}

func publishedPackage(text string) string {
	var p struct{ Name string }
	if json.Unmarshal([]byte(text), &p) != nil {
		return ""
	}
	return p.Name
}

func installedVersion(data []byte) string {
	var p struct{ Version string }
	if json.Unmarshal(data, &p) != nil {
		return ""
	}
	return p.Version
}

var moduleFolder = regexp.MustCompile(`(?:^|/)node_modules/((?:@[^/]+/)?[^/@][^/]*)/package\.json$`)

// cachedPackages knows installed packages; npm writes the version into the file alone.
func cachedPackages(file string) []kit.CachedPackage {
	m := moduleFolder.FindStringSubmatch(file)
	if m == nil {
		return nil
	}
	return []kit.CachedPackage{{Name: m[1]}}
}
