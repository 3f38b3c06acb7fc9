package java

import (
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// minJavaLevel is the oldest Java that the JDKs at hand compile.
const minJavaLevel = 8

// javaVersion is what a tree asks for.
type javaVersion struct {
	level    int // the newest that its code is compiled as
	from     string
	most     int // the newest JDK that may build it, 0 for any
	mostFrom string
}

var (
	javaLevel   = regexp.MustCompile(`^(?:1\.)?(\d{1,2})$`)
	gradleLevel = regexp.MustCompile(`(?m)(?:languageVersion(?:\.set\(|\s*=\s*)JavaLanguageVersion\.of\(|` +
		`jvmToolchain\(|options\.release(?:\.set\(|\s*=\s*)|(?:source|target)Compatibility\s*=?\s*(?:JavaVersion\.VERSION_|` +
		`['"]?)(?:1[._])?)(\d{1,2})\b`)
	javaVersionCI = regexp.MustCompile(`java(?:-version)?:\s*\[?\s*((?:["']?\d[\w.-]*["']?[,\s]*)+)`)
	javaNumber    = regexp.MustCompile(`\b(?:1\.)?(\d{1,2})\b`)
	javaBelow     = regexp.MustCompile(`,\s*(?:1\.)?(\d{1,2})[\d.]*\s*([)\]])`)
)

// The properties that say what Java a module is compiled as.
var javaProperties = []string{
	"maven.compiler.release", "maven.compiler.source", "maven.compiler.target", "maven.compiler.testRelease",
	"maven.compiler.testSource",
	"java.version", "javac.target", "jdk.version", "java.release.version", "release.version", "project.build.javaVersion",
}

// javaWanted reads the versions from manifests, version files and CI.
func javaWanted(t kit.Tree, all map[string]*pom) javaVersion {
	w := javaVersion{}
	raise := func(text, from string) {
		if m := javaLevel.FindStringSubmatch(strings.TrimSpace(text)); m != nil && kit.LeadingInt(m[1]) > w.level {
			w.level, w.from = kit.LeadingInt(m[1]), from
		}
	}
	for _, dir := range sortedPoms(all) {
		p := all[dir]
		for _, name := range javaProperties {
			raise(p.value(all, p.root.kid("properties", name).text), p.file+" sets "+name)
		}
		for _, plugin := range p.root.all("plugin") {
			p.plugin(all, plugin, raise, &w)
		}
	}
	for _, name := range t.Files() {
		if base := path.Base(name); base == "build.gradle" || base == "build.gradle.kts" {
			for _, m := range gradleLevel.FindAllStringSubmatch(kit.Read(t, name), 20) {
				raise(m[1], name+" says so")
			}
		}
	}
	for _, name := range []string{".java-version", ".sdkmanrc", ".tool-versions"} {
		if v := versionFile(name, kit.Read(t, name)); v > 0 && v >= w.level {
			w.level, w.from = v, name+" says so"
			if w.most == 0 && v >= 17 {
				w.most, w.mostFrom = max(v, 21), name
			}
		}
	}
	if ci, file := javaCI(t); w.level == 0 && ci > 0 {
		w.level, w.from = ci, file+" uses it"
	}
	if w.level == 0 {
		w.level, w.from = minJavaLevel, "nothing says another"
	}
	return w
}

// plugin reads the compiler's configuration and the enforcer's bounds.
func (p *pom) plugin(all map[string]*pom, plugin *pomNode, raise func(text, from string), w *javaVersion) {
	switch plugin.kid("artifactId").text {
	case "maven-compiler-plugin":
		for _, c := range plugin.all("configuration") {
			for _, name := range []string{"release", "source", "target", "testRelease", "testSource"} {
				raise(p.value(all, c.kid(name).text), p.file+" configures the compiler's "+name)
			}
		}
	case "maven-enforcer-plugin":
		for _, rule := range plugin.all("requireJavaVersion") {
			if m := javaBelow.FindStringSubmatch(p.value(all, rule.kid("version").text)); m != nil {
				w.most, w.mostFrom = kit.LeadingInt(m[1]), p.file+" enforces it"
				if m[2] == ")" {
					w.most--
				}
			}
		}
	}
}

func versionFile(name, text string) int {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if name != ".java-version" {
			rest, ok := strings.CutPrefix(line, "java")
			if !ok {
				continue
			}
			line = rest
		}
		if m := javaNumber.FindStringSubmatch(line); m != nil {
			return kit.LeadingInt(m[1])
		}
	}
	return 0
}

// javaCI is the newest Java of the CI files that a JDK at hand can be.
func javaCI(t kit.Tree) (version int, file string) {
	for _, name := range t.Files() {
		if !strings.HasPrefix(name, ".github/workflows/") && name != ".travis.yml" && name != ".gitlab-ci.yml" {
			continue
		}
		for _, m := range javaVersionCI.FindAllStringSubmatch(kit.Read(t, name), 50) {
			for _, n := range javaNumber.FindAllStringSubmatch(m[1], 20) {
				if v := kit.LeadingInt(n[1]); v > version && v <= 21 {
					version, file = v, name
				}
			}
		}
	}
	return version, file
}
