package toolchain

import (
	"regexp"
	"strings"
)

// Facts implements [Toolchain].
func (Java) Facts() Facts {
	return Facts{
		Version:       "5",
		OwnsRoot:      None[func(Tree) bool]("the tests of the tree decide between two manifests"),
		BelowRoot:     None[func(Tree) bool]("a build below the root is tested like one at it"),
		Packages:      Known(Packages{Manager: "maven", Cached: cachedArtifacts, Manifests: map[string]func(string) string{"pom.xml": publishedArtifact}}),
		BuildFailures: None[[]BuildFailure]("TODO"),
		Declares:      Known(javadeclares),
		Guard:         Known(javaguard),
		ByContent:     Known(func(base string) bool { return base == "pom.xml" || gradleFile(base) }),
		Shuffles:      None[string]("JUnit's order is the class's own to set"),
		Clock:         Known("date +%s"),
		Canary:        None[string]("a class more would stand in the tree's own packages"),
	}
}

var (
	pomParts      = regexp.MustCompile(`(?s)<(parent|dependencies|build|dependencyManagement|plugins|profiles)>.*?</(parent|dependencies|build|dependencyManagement|plugins|profiles)>`)
	pomArtifact   = regexp.MustCompile(`<artifactId>\s*([A-Za-z0-9._-]{1,200})\s*</artifactId>`)
	artifactCache = regexp.MustCompile(`(?:^|/)([A-Za-z0-9._-]+)/([0-9][^/]*)/([A-Za-z0-9._-]+)\.jar$`)
)

func publishedArtifact(text string) string {
	return match(pomArtifact, pomParts.ReplaceAllString(text, ""))
}

func cachedArtifacts(file string) []CachedPackage {
	m := artifactCache.FindStringSubmatch(file)
	if m == nil || !strings.HasPrefix(m[3], m[1]+"-"+m[2]) {
		return nil
	}
	return []CachedPackage{{m[1], m[2]}}
}
