package toolchain

import (
	"regexp"
	"strings"
)

// Facts implements [Toolchain].
func (Python) Facts() Facts {
	return Facts{
		Version:   "5",
		OwnsRoot:  Known(pythonProject),
		BelowRoot: None[func(Tree) bool]("Detect looks at the root alone"),
		Packages: Known(Packages{Manager: "pypi", Cached: cachedDistributions, Manifests: map[string]func(string) string{
			"pyproject.toml": func(text string) string { return distribution(match(tomlName, text)) },
			"setup.cfg":      func(text string) string { return distribution(match(cfgName, text)) },
			"setup.py":       func(text string) string { return distribution(match(setupPyName, text)) },
		}}),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      None[func(string, []byte) []string]("two files of a package may bind the same name"),
		Guard:         Known(pythonguard),
		ByContent:     Known(func(base string) bool { return base == "pyproject.toml" || base == "setup.cfg" || base == "setup.py" }),
		Shuffles:      Known("the files, their classes and the tests in them"),
		Clock:         Known("python -c 'import time; print(int(time.time()))'"),
		Canary:        Known("first and last in every file"),
	}
}

var (
	tomlName       = regexp.MustCompile(`(?m)^\s*name\s*=\s*["']([A-Za-z0-9._-]{1,200})["']`)
	cfgName        = regexp.MustCompile(`(?m)^name\s*=\s*([A-Za-z0-9._-]{1,200})\s*$`)
	setupPyName    = regexp.MustCompile(`\bname\s*=\s*["']([A-Za-z0-9._-]{1,200})["']`)
	nameSeparators = regexp.MustCompile(`[-_.]+`)
	distInfo       = regexp.MustCompile(`(?:^|/)([A-Za-z0-9_.]+)-([0-9][^/-]*)\.(?:dist-info|egg-info)/(?:METADATA|PKG-INFO)$`)
	wheel          = regexp.MustCompile(`(?:^|/)([A-Za-z0-9_.]+)-([0-9][^/-]*)(?:-[^/]*\.whl|\.tar\.gz|\.zip)$`)
)

// distribution is a name as all tools compare it.
func distribution(name string) string {
	return strings.ToLower(nameSeparators.ReplaceAllString(name, "-"))
}

func cachedDistributions(file string) (found []CachedPackage) {
	for _, re := range []*regexp.Regexp{distInfo, wheel} {
		if m := re.FindStringSubmatch(file); m != nil {
			found = append(found, CachedPackage{distribution(m[1]), m[2]})
		}
	}
	return found
}
