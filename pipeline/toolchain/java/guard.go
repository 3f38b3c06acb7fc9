package java

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// javaguard knows what Maven, Gradle and JUnit are told about running tests, and what JUnit
// loads by itself. Dependencies and modules are none of it.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case c.Before == nil && javaStandIn.MatchString(c.Path):
		return kit.Whole
	case base == "pom.xml":
		return kit.Guard{Touched: !slices.Equal(pomTests(c.Before), pomTests(c.After))}
	case gradleFile(base):
		return kit.Guard{Touched: gradleTouched(c)}
	case base == "gradle.properties":
		return kit.Guard{Touched: !slices.Equal(gradleJVM.FindAllString(string(c.Before), -1),
			gradleJVM.FindAllString(string(c.After), -1))}
	case strings.HasPrefix(c.Path, ".mvn/"), strings.Contains(c.Path, "/.mvn/"), strings.HasPrefix(c.Path,
		"gradle/wrapper/"), base == "mvnw", base == "gradlew",
		base == "junit-platform.properties":
		return kit.Whole
	case strings.Contains("/"+c.Path, "/META-INF/services/"):
		return kit.Guard{Touched: !ownService(c)}
	}
	return kit.Guard{}
}

// javaStandIn are classes by the names that test libraries have for theirs: the tree's
// own come first on the class path.
var javaStandIn = regexp.MustCompile(`(^|/)(org/(junit|testng|hamcrest|assertj|mockito)|junit/framework|` +
	`com/google/common/truth|io/kotest|kotlin/test)/[^/]+(/.*)?\.(java|kt|scala|groovy|class)$`)

// ownService tells whether a file of META-INF/services names providers of an interface
// that the tree declares itself. By the others runners find listeners, extensions and
// engines, the compiler processors, and the JDK what tests read and write through.
func ownService(c kit.Change) bool {
	if c.Tree == nil {
		return false
	}
	outer, _, _ := strings.Cut(path.Base(c.Path), "$")
	declared := strings.ReplaceAll(outer, ".", "/")
	return slices.ContainsFunc(c.Tree.Files(), func(f string) bool {
		bare := strings.TrimSuffix(f, path.Ext(f))
		return javaSource[path.Ext(f)] && (bare == declared || strings.HasSuffix(bare, "/"+declared))
	})
}

var javaSource = map[string]bool{".java": true, ".kt": true, ".groovy": true, ".scala": true}

func gradleFile(base string) bool {
	return strings.HasSuffix(base, ".gradle") || strings.HasSuffix(base, ".gradle.kts")
}

var (
	mavenPlugin = regexp.MustCompile(`(?s)<(plugin|extension)>.*?</(plugin|extension)>`)
	// mavenRunners are plugins that run tests, run anything, or change what was compiled.
	mavenRunners = regexp.MustCompile(`surefire|failsafe|antrun|exec-maven|groovy|gmaven|invoker|testng|junit|jacoco|` +
		`bytecode|aspectj|replacer|truezip|download`)
	mavenTesting = regexp.MustCompile(`(?s)<((?:maven\.)?(?:skipTests?|test\.[\w.]+|tests?)|maven\.test\.[\w.]+|` +
		`surefire\.[\w.]+|failsafe\.[\w.]+|argLine|skipITs|test|testSourceDirectory|testOutputDirectory|testFailureIgnore|` +
		`jvm|groups|excludedGroups|dependenciesToScan)>.*?</`)
)

// pomTests lists what of a pom is about running tests.
func pomTests(text []byte) (list []string) {
	plain := mavenComment.ReplaceAllString(string(text), "")
	for _, p := range mavenPlugin.FindAllString(plain, -1) {
		if mavenRunners.MatchString(p) {
			list = append(list, kit.Spaces.ReplaceAllString(p, ""))
		}
	}
	for _, p := range mavenTesting.FindAllString(mavenPlugin.ReplaceAllString(plain, ""), -1) {
		list = append(list, kit.Spaces.ReplaceAllString(p, ""))
	}
	return list
}

var mavenComment = regexp.MustCompile(`(?s)<!--.*?-->`)

var (
	gradleJVM = regexp.MustCompile(`(?m)^\s*(org\.gradle\.(jvmargs|daemon|java\.home)|systemProp\.|.*[tT]est).*$`)
	// gradleHonest are lines that change what a build is made of, not how tests run.
	gradleHonest = regexp.MustCompile(`^\s*(//.*|\*.*|/\*.*|[{}()\[\],]*|(implementation|api|compileOnly|compileOnlyApi|` +
		`runtimeOnly|annotationProcessor|kapt|ksp|testImplementation|testCompileOnly|testAnnotationProcessor|` +
		`testFixturesImplementation|classpath|constraints|platform|include|version|group|description|rootProject\.name|id|` +
		`kotlin|java|maven|mavenCentral|google|exclude|dependencies|plugins|repositories|sourceCompatibility|` +
		`targetCompatibility)\b[^;]*)$`)
	// gradleLocal puts files of the tree in the place of a library.
	gradleLocal = regexp.MustCompile(`\b(files|fileTree|flatDir|doFirst|doLast|exec|Test|substitute|useTarget|force)\b`)
)

// gradleTouched says whether lines came or went that a build of other sources and
// libraries needs none of.
func gradleTouched(c kit.Change) bool {
	before, after := lineCounts(c.Before), lineCounts(c.After)
	for line, n := range after {
		if n != before[line] && !gradlePlain(line) {
			return true
		}
	}
	for line, n := range before {
		if n != after[line] && !gradlePlain(line) {
			return true
		}
	}
	return false
}

func gradlePlain(line string) bool {
	return gradleHonest.MatchString(line) && !gradleLocal.MatchString(line)
}

func lineCounts(text []byte) map[string]int {
	n := map[string]int{}
	for _, l := range kit.JoinedLines(text) {
		n[strings.TrimSpace(l)]++
	}
	return n
}
