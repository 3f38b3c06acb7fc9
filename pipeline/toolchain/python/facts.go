package python

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:   "5",
		OwnsRoot:  kit.Known(pythonProject),
		BelowRoot: kit.None[func(kit.Tree) bool]("Detect looks at the root alone"),
		Packages: kit.Known(kit.Packages{Manager: "pypi", Cached: cachedDistributions, Record: "direct_url.json",
			Linked: editable, Manifests: map[string]func(string) string{
				"pyproject.toml": func(text string) string { return distribution(kit.FirstGroup(tomlName, text)) },
				"setup.cfg":      func(text string) string { return distribution(kit.FirstGroup(cfgName, text)) },
				"setup.py":       func(text string) string { return distribution(kit.FirstGroup(setupPyName, text)) },
			}}),
		BuildFailures: kit.Known(buildFailures),
		HostCaches:    kit.None[kit.HostCaches]("the tools find their caches below the home folder, which a run keeps"),
		Declares:      kit.None[func(string, []byte) []string]("two files of a package may bind the same name"),
		Guard:         kit.Known(guard),
		Describes: kit.Known(func(base string) bool {
			return base == "pyproject.toml" || base == "setup.py" ||
				base == "setup.cfg"
		}),
		InlineTests: kit.Known(inlineTests),
		ByContent: kit.Known(func(base string) bool {
			return base == "pyproject.toml" || base == "setup.cfg" ||
				base == "setup.py"
		}),
		Shuffles: kit.Known("the files, their classes and the tests in them"),
		Clock:    kit.Known("python -c 'import time; print(int(time.time()))'"),
		Canary:   kit.Known("first and last in every file"),
		Resolve:  kit.Known(resolve),
	}
}

var (
	tomlName       = regexp.MustCompile(`(?m)^\s*name\s*=\s*["']([A-Za-z0-9._-]{1,200})["']`)
	cfgName        = regexp.MustCompile(`(?m)^name\s*=\s*([A-Za-z0-9._-]{1,200})\s*$`)
	setupPyName    = regexp.MustCompile(`\bname\s*=\s*["']([A-Za-z0-9._-]{1,200})["']`)
	nameSeparators = regexp.MustCompile(`[-_.]+`)
	distInfo       = regexp.MustCompile(`(?:^|/)([A-Za-z0-9_.]+)-([0-9][^/-]*)\.(?:dist-info|egg-info)/(?:METADATA|` +
		`PKG-INFO)$`)
	wheel = regexp.MustCompile(`(?:^|/)([A-Za-z0-9_.]+)-([0-9][^/-]*)(?:-[^/]*\.whl|\.tar\.gz|\.zip)$`)
)

// distribution is a name as all tools compare it.
func distribution(name string) string {
	return strings.ToLower(nameSeparators.ReplaceAllString(name, "-"))
}

// editable knows the record of an installation in editable mode.
func editable(record []byte) bool { return bytes.Contains(record, []byte(`"editable"`)) }

func cachedDistributions(file string) (found []kit.CachedPackage) {
	for _, re := range []*regexp.Regexp{distInfo, wheel} {
		if m := re.FindStringSubmatch(file); m != nil {
			found = append(found, kit.CachedPackage{Name: distribution(m[1]), Version: m[2]})
		}
	}
	return found
}
