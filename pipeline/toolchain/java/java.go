package java

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests Java, Kotlin and Groovy projects built by Maven or by
// Gradle, and of the tests that those run: JUnit 4 and 5, TestNG, Spock, kotlin.test.
type Toolchain struct{}

// Name is the recipe's word.
func (Toolchain) Name() string { return "java" }

// The build tools, a unit's runner.
const (
	mavenRunner  = "maven"
	gradleRunner = "gradle"
)

// Detect recognises a pom.xml or a Gradle build; Maven where there are both, since
// it needs nothing that a distribution does not bring.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	all := poms(t)
	manifest := ""
	if dirs := sortedPoms(all); len(dirs) > 0 {
		manifest = all[dirs[0]].file
	}
	runner := mavenRunner
	if build := gradleFirst(t, all); build != "" {
		runner, manifest = gradleRunner, build
	}
	if manifest == "" {
		return schema.Recipe{}, false
	}
	r := schema.Recipe{
		Toolchain: "java", Image: kit.DistroImage, Packages: []string{"ca-certificates", "git"},
		Env: map[string]string{"CI": "1", "TERM": "dumb", "NO_COLOR": "1"},
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain java: %s", manifest)
	w := javaWanted(t, all)
	r.Runtime = fmt.Sprint(w.level)
	because("runtime %d: %s", w.level, w.from)
	jdk, why := w.choose()
	r.Image = jdk.image
	r.Packages = append(r.Packages, fmt.Sprintf("openjdk-%d-jdk-headless", jdk.version))
	because("package openjdk-%d-jdk-headless: %s", jdk.version, why)
	if runner == mavenRunner {
		r.Report = "surefire"
		r.Packages = append(r.Packages, "maven")
		if kit.Has(t, "mvnw") {
			because("package maven: the wrapper's own release of Maven is not fetched")
		}
	} else {
		r.Report = "gradle"
		gradleDetect(t, &r)
	}
	return r, true
}

// jdk is a JDK that a distribution brings.
type jdk struct {
	version int
	image   string
}

var jdks = []jdk{{21, kit.DistroImage}, {25, kit.DistroImage}, {17, "debian:bookworm"}}

// choose takes the distribution's JDK 21 where it may be, else the first that may.
func (w javaVersion) choose() (jdk, string) {
	for _, j := range jdks {
		if j.version >= w.level && (w.most == 0 || j.version <= w.most) {
			switch {
			case j.version == 21 && w.level < minJavaLevel:
				return j, fmt.Sprintf("the oldest JDK at hand; it compiles no Java before %d, so Java %d is compiled as %[1]d",
					minJavaLevel, w.level)
			case j.version == 21:
				return j, "the distribution's; it compiles and runs Java 8 to 21"
			case w.most > 0:
				return j, "at most " + fmt.Sprint(w.most) + ": " + w.mostFrom
			}
			return j, "Java " + fmt.Sprint(w.level) + " needs it"
		}
	}
	if w.most > 0 && w.most < 17 {
		return jdks[2], fmt.Sprintf("%s asks for JDK %d or older and no distribution at hand has one: a recipe may name an "+
			"image that does", w.mostFrom, w.most)
	}
	return jdks[1], fmt.Sprintf("no distribution at hand has JDK %d: a recipe may name an image that does", w.level)
}

// Select runs the classes of hidden test files. A helper, a base class or a fixture
// selects the classes that mention it, or else those of the nearest folder, unless
// one of them is selected already.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	s := newJavaSelection(t)
	if r.Select != nil {
		chosen, err := kit.ChosenFiles(t, r.Select)
		if err != nil {
			return kit.Selection{}, err
		}
		for _, name := range chosen.Files {
			file, _, _ := strings.Cut(name, "::")
			s.pick(path.Clean(file))
		}
		return s.done(), nil
	}
	var rest []string
	for _, name := range kit.CleanPaths(hidden) {
		if why := s.file(name); why != "" {
			s.left = append(s.left, kit.Left{Path: name, Reason: why})
		} else if !s.picked[name] {
			rest = append(rest, name)
		}
	}
	for _, name := range rest {
		if !s.beside(name) {
			s.left = append(s.left, kit.Left{Path: name, Reason: "no test class stands beside it"})
		}
	}
	return s.done(), nil
}

// Plan writes the commands: Maven's or Gradle's.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Wire: append(javaHome(j.Recipe), kit.PathLines(j.Recipe)...)}
	if slices.ContainsFunc(j.Selection.Units, func(u kit.Unit) bool { return u.Runner == gradleRunner }) {
		return gradlePlan(p, j)
	}
	return mavenPlan(p, j)
}

// javaHome points at the JDK of the recipe's packages, whatever the machine's
// architecture is called.
func javaHome(r schema.Recipe) []string {
	for _, p := range r.Packages {
		if v, ok := strings.CutPrefix(p, "openjdk-"); ok {
			v, _, _ = strings.Cut(v, "-")
			return []string{`for d in /usr/lib/jvm/java-` + kit.Quote(v) +
				`-openjdk*; do if [ -x "$d/bin/javac" ]; then export JAVA_HOME="$d"; fi; done`}
		}
	}
	return nil
}
