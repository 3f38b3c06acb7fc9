package toolchain

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// gradleRoot is the topmost build file of Gradle, "" where there is none.
func gradleRoot(t Tree) string {
	found := ""
	for _, name := range t.Files() {
		switch path.Base(name) {
		case "settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts":
			if !strings.Contains("/"+name, "/src/") && (found == "" || strings.Count(name, "/") < strings.Count(found, "/")) {
				found = name
			}
		}
	}
	return found
}

// gradleFirst is the build file where Gradle builds the tree, "" where Maven does.
func gradleFirst(t Tree, all map[string]*pom) string {
	build := gradleRoot(t)
	if dirs := sortedPoms(all); build == "" || len(dirs) > 0 && (path.Dir(build) != "." || dirs[0] == ".") {
		return ""
	}
	return build
}

// gradleModule is the project's folder that a file belongs to.
func gradleModule(t Tree, name string) string {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if has(t, path.Join(dir, "build.gradle")) || has(t, path.Join(dir, "build.gradle.kts")) {
			return dir
		}
		if dir == "." {
			return ""
		}
	}
}

func gradleDetect(t Tree, r *schema.Recipe) {}

func gradlePlan(p Plan, j Job) (Plan, error) { return p, nil }
