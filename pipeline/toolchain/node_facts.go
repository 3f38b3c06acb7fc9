package toolchain

import (
	"encoding/json"
	"regexp"
)

// Facts implements [Toolchain].
func (Node) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      None[func(Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     None[func(Tree) bool]("a package below the root is tested like one at it"),
		Packages:      Known(Packages{Manager: "npm", Cached: cachedPackages, Manifests: map[string]func(string) string{"package.json": publishedPackage}}),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      None[func(string, []byte) []string]("files are modules, each with names of its own"),
		Guard:         Known(nodeguard),
		ByContent:     Known(func(base string) bool { return base == "package.json" }),
		Shuffles:      None[string]("the runners agree on no switch for it"),
		Clock:         Known("node -e 'console.log(Math.floor(Date.now() / 1000))'"),
		Canary:        None[string]("the repository's own root hooks would see them"),
	}
}

func publishedPackage(text string) string {
	var p struct{ Name string }
	if json.Unmarshal([]byte(text), &p) != nil {
		return ""
	}
	return p.Name
}

var moduleFolder = regexp.MustCompile(`(?:^|/)node_modules/((?:@[^/]+/)?[^/@][^/]*)/package\.json$`)

// cachedPackages knows installed packages; npm writes the version into the file alone.
func cachedPackages(file string) []CachedPackage {
	m := moduleFolder.FindStringSubmatch(file)
	if m == nil {
		return nil
	}
	return []CachedPackage{{Name: m[1]}}
}
