package java

import (
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Facts implements [Toolchain].
func (Toolchain) Facts() kit.Facts {
	return kit.Facts{
		Version:   "5",
		OwnsRoot:  kit.None[func(kit.Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot: kit.None[func(kit.Tree) bool]("a build below the root is tested like one at it"),
		Packages: kit.Known(kit.Packages{Manager: "maven", Cached: cachedArtifacts,
			Manifests: map[string]func(string) string{"pom.xml": publishedArtifact}}),
		BuildFailures: kit.Known(buildFailures),
		HostCaches:    kit.None[kit.HostCaches]("the tools find their caches below the home folder, which a run keeps"),
		Declares:      kit.Known(declares),
		Guard:         kit.Known(guard),
		Describes: kit.Known(func(base string) bool {
			return base == "pom.xml" || base == "gradle.properties" ||
				gradleFile(base)
		}),
		InlineTests: kit.None[func(string, []byte) []kit.InlineTest]("tests are in files of their own"),
		ByContent:   kit.Known(func(base string) bool { return base == "pom.xml" || gradleFile(base) }),
		Shuffles:    kit.None[string]("JUnit's order is the class's own to set"),
		Clock:       kit.Known("date +%s"),
		Canary:      kit.None[string]("a class more would stand in the tree's own packages"),
		Resolve:     kit.None[func(kit.Job) string]("the class path is made by the build tool as it runs the tests"),
	}
}

var (
	pomParts = regexp.MustCompile(`(?s)<(parent|dependencies|build|dependencyManagement|plugins|` +
		`profiles)>.*?</(parent|dependencies|build|dependencyManagement|plugins|profiles)>`)
	pomArtifact   = regexp.MustCompile(`<artifactId>\s*([A-Za-z0-9._-]{1,200})\s*</artifactId>`)
	artifactCache = regexp.MustCompile(`(?:^|/)([A-Za-z0-9._-]+)/([0-9][^/]*)/([A-Za-z0-9._-]+)\.jar$`)
)

func publishedArtifact(text string) string {
	return kit.FirstGroup(pomArtifact, pomParts.ReplaceAllString(text, ""))
}

func cachedArtifacts(file string) []kit.CachedPackage {
	m := artifactCache.FindStringSubmatch(file)
	if m == nil || !strings.HasPrefix(m[3], m[1]+"-"+m[2]) {
		return nil
	}
	return []kit.CachedPackage{{Name: m[1], Version: m[2]}}
}
