package java

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// gradleRoot is the topmost build file of Gradle, "" where there is none.
func gradleRoot(t kit.Tree) string {
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
func gradleFirst(t kit.Tree, all map[string]*pom) string {
	build := gradleRoot(t)
	if dirs := sortedPoms(all); build == "" || len(dirs) > 0 && (path.Dir(build) != "." || dirs[0] == ".") {
		return ""
	}
	return build
}

// gradleModule is the project's folder that a file belongs to: the nearest with a
// build file, which may be named after it, or else one that has src.
func gradleModule(t kit.Tree, name string) string {
	root := path.Dir(gradleRoot(t))
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		for _, build := range []string{"build.gradle", "build.gradle.kts", path.Base(dir) + ".gradle", path.Base(dir) +
			".gradle.kts"} {
			if kit.Has(t, path.Join(dir, build)) {
				return dir
			}
		}
		if dir == root || dir == "." {
			return ""
		}
	}
}

var gradleURL = regexp.MustCompile(`(?m)^distributionUrl\s*=\s*(\S+)`)

// gradleWrapper is the folder of the wrapper that fetches the Gradle release asked
// for, and that release's file; none where the tree lacks a part of it.
func gradleWrapper(t kit.Tree) (dir, release string) {
	dir = path.Dir(gradleRoot(t))
	props := kit.Read(t, path.Join(dir, "gradle/wrapper/gradle-wrapper.properties"))
	if m := gradleURL.FindStringSubmatch(props); m != nil && kit.Has(t, path.Join(dir, "gradlew")) &&
		kit.Has(t, path.Join(dir, "gradle/wrapper/gradle-wrapper.jar")) {
		return dir, path.Base(m[1])
	}
	return "", ""
}

// gradleDetect says where Gradle comes from: the wrapper fetches the release that
// the build asks for; the distribution's is too old for most builds.
func gradleDetect(t kit.Tree, r *schema.Recipe) {
	if _, release := gradleWrapper(t); release != "" {
		r.Why = append(r.Why, "Gradle: setup fetches "+release+
			", which the wrapper asks for, unless the image has a gradle of its own (recipe: image, or setup)")
		return
	}
	r.Packages = append(r.Packages, "gradle")
	r.Why = append(r.Why, "package gradle: the tree has no wrapper; the distribution's Gradle is 4.4, which few builds "+
		"take (recipe: image)")
}

// gradleInit configures every test task, whatever the build says: where the
// reports go, a JVM a class, no class that runs twice, and a line for each end. It
// speaks to Gradle 4 to 9.
const gradleInit = `gradle.projectsEvaluated { gradle.rootProject.allprojects { p -> p.tasks.withType(Test) { t ->
  def to = new File(System.getenv('WIDESWE_RESULTS'), t.path.replace(':', '/'))
  t.outputs.upToDateWhen { false }
  if (t.reports.junitXml.hasProperty('outputLocation')) t.reports.junitXml.outputLocation.set(to) else t.reports.junitXml.destination = to
  if (t.reports.junitXml.hasProperty('required')) { t.reports.junitXml.required.set(true); t.reports.html.required.set(false) } else { t.reports.junitXml.enabled = true; t.reports.html.enabled = false }
  t.ignoreFailures = false
  if (t.hasProperty('failFast')) t.failFast = false
  t.forkEvery = 1
  t.maxParallelForks = 1
  t.filter.failOnNoMatchingTests = false
  t.testLogging { events = []; showStandardStreams = false }
  t.beforeTest { d -> println "wideswe: Running ${d.className} ${d.name}" }
  t.afterTest { d, r -> println "wideswe: Ended ${d.className} ${d.name}" }
} } }
`

// gradlePlan runs one Gradle a project.
func gradlePlan(p kit.Plan, j kit.Job) (kit.Plan, error) {
	p.Report = "gradle"
	dir, release := gradleWrapper(j.RunnerTree())
	root := path.Dir(gradleRoot(j.RunnerTree()))
	flags := `--no-daemon --console=plain --continue --no-build-cache -Dorg.gradle.configuration-cache=false -I ` +
		`"$WIDESWE_TMP"/wideswe.gradle -p ` + kit.Under("WIDESWE_REPO", root)
	p.Wire = append(p.Wire,
		`export GRADLE_USER_HOME="${WIDESWE_CACHE:-$HOME/.cache/wideswe}/gradle"; unset GRADLE_OPTS`,
		"printf '%s' "+kit.Quote(gradleInit)+` >"$WIDESWE_TMP"/wideswe.gradle`,
		`if command -v gradle >/dev/null; then gradle=gradle; else gradle=`+kit.Under("WIDESWE_REPO", path.Join(dir,
			"gradlew"))+`; fi`,
		`gradle() { if [ "$gradle" = gradle ]; then command gradle `+flags+` "$@"; else sh "$gradle" `+flags+` "$@"; fi; }`,
		`export WIDESWE_RESULTS="$WIDESWE_TMP"/results`)
	missing := "Gradle is not in the image and the tree has no wrapper: a recipe may name an image that has it"
	if release != "" {
		missing = "the wrapper could not fetch " + release + ": a recipe may name an image that has Gradle"
	}
	p.Setup = append(p.Setup, `if ! gradle --version </dev/null; then echo `+kit.Quote(missing)+` >&2; exit 1; fi`)
	p.Setup = append(p.Setup, j.Recipe.Setup...)
	for _, s := range j.Siblings {
		if gradleRoot(s.Tree) != "" {
			p.Wire = append(p.Wire, `gradle_siblings="$gradle_siblings --include-build $WIDESWE_WORKSPACE/"`+
				kit.Quote(path.Join(s.Repository, path.Dir(gradleRoot(s.Tree)))))
			p.Notes = append(p.Notes, s.Repository+" is an included build: it takes the place of its artifacts")
		} else if len(poms(s.Tree)) > 0 {
			p.Notes = append(p.Notes, s.Repository+" is built by Maven: a build of Gradle does not use its tree")
		}
	}
	for _, u := range j.Selection.Units {
		p.Setup = append(p.Setup, `gradle $gradle_siblings `+gradleTask(root, u)+gradleTests(u.Tests, ".wideswe_none")+
			` </dev/null || true`)
	}
	p.Warm, p.Build = append(p.Warm, j.Recipe.Warm...), append(p.Build, j.Recipe.Build...)
	if j.Recipe.Test != "" {
		return kit.OwnPlan(p, j, j.Selection.AllFiles())
	}
	lines := []string{
		kit.ScriptBegin,
		`run() { dir=$1; names=$2; shift 2; code=0; mkdir -p "$out/$dir"; log="$out/$dir/gradle.log"; rm -rf ` +
			`"$WIDESWE_RESULTS"`,
		`  gradle $gradle_siblings --offline "$@" </dev/null >"$log" 2>&1 || code=$?`,
		`  cat "$log"`,
		`  find "$WIDESWE_RESULTS" -type f -name 'TEST-*.xml' 2>/dev/null | while IFS= read -r f; do case " $names " in *" ` +
			`${f##*/} "*) cp "$f" "$out/$dir/";; esac; done`,
		`  worse; }`,
	}
	for _, u := range j.Selection.Units {
		tests, notes := gradleNames(j, u)
		p.Notes = append(p.Notes, notes...)
		if len(tests) == 0 {
			continue
		}
		names := reportNames(j.RunnerTree(), u)[1:]
		lines = append(lines, "run "+kit.Quote(u.Dir)+" "+kit.Quote(strings.Join(names, " "))+" "+gradleTask(root, u)+
			gradleTests(tests, ""))
		p.Files = append(p.Files, path.Join(u.Dir, "gradle.log"))
		for _, name := range names {
			p.Files = append(p.Files, path.Join(u.Dir, name))
		}
	}
	p.Notes = kit.Unique(p.Notes)
	p.Test = kit.Script(lines)
	return p, nil
}

// gradleTask is the test task of a project: that of its folder's name, by the
// source set that its files lie in.
func gradleTask(root string, u kit.Unit) string {
	rel := strings.Trim(strings.TrimPrefix(u.Dir, strings.TrimSuffix(root, ".")), "/")
	if u.Dir == root {
		rel = ""
	}
	task := "test"
	if len(u.Files) > 0 {
		if _, rest, ok := strings.Cut("/"+strings.TrimPrefix(u.Files[0], strings.TrimSuffix(u.Dir, ".")), "/src/"); ok {
			if set, _, _ := strings.Cut(rest, "/"); set != "" && strings.HasSuffix(set, "Test") {
				task = set // jvmTest, integrationTest
			}
		}
	}
	return kit.Quote(strings.TrimSuffix(":"+strings.ReplaceAll(rel, "/", ":"), ":") + ":" + task)
}

func gradleTests(tests []string, suffix string) string {
	var b strings.Builder
	for _, t := range tests {
		fmt.Fprintf(&b, " --tests %s", kit.Quote(t+suffix))
	}
	return b.String()
}

// gradleNames are the filters of a unit: its classes, or the methods of Only.
// Gradle's command line leaves none out.
func gradleNames(j kit.Job, u kit.Unit) (tests, notes []string) {
	if len(j.Skip) > 0 {
		notes = append(notes, "Gradle's filters leave out no single test: the others are named one by one")
	}
	if len(j.Only) == 0 {
		return u.Tests, notes
	}
	for _, id := range j.Only {
		unit, name := schema.SplitTestID(id)
		class := unit
		if u.Dir != "." {
			class = strings.TrimPrefix(unit, u.Dir+"/")
		}
		outer, _, _ := strings.Cut(class, "$")
		if !slices.Contains(u.Tests, outer) || path.Join(u.Dir, class) != unit {
			continue
		}
		if method := javaMethod.FindString(name); method != "" {
			class += "." + method
		}
		tests = append(tests, class)
	}
	sort.Strings(tests)
	return kit.Unique(tests), notes
}
