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

// mavenRepo is the local repository: the image keeps it, a run's own copy takes
// what is installed of siblings.
const mavenRepo = `m2="${WIDESWE_CACHE:-$HOME/.cache/wideswe}/m2"`

// mavenFlags leave out what checks a project rather than runs its tests, and what
// only a terminal needs.
var mavenFlags = strings.Join([]string{
	"-B", "-ntp", "-fae", `-Dmaven.repo.local="$m2"`, "-Dstyle.color=never",
	"-DskipTests=false", "-Dmaven.test.skip=false", "-Dmaven.test.failure.ignore=false", "-DtrimStackTrace=true",
	"-Denforcer.skip=true", "-Drat.skip=true", "-Dcheckstyle.skip=true", "-Dspotbugs.skip=true", "-Dfindbugs.skip=true",
	"-Dpmd.skip=true",
	"-Dcpd.skip=true", "-Djacoco.skip=true", "-Dcobertura.skip=true", "-Danimal.sniffer.skip=true", "-Dlicense.skip=true",
	"-Dspotless.check.skip=true",
	"-Dspotless.apply.skip=true", "-Dspotless.skip=true", "-Dfmt.skip=true", "-Dformatter.skip=true",
	"-Dimpsort.skip=true", "-Dmaven.javadoc.skip=true", "-Dgpg.skip=true",
	"-Dcyclonedx.skip=true", "-Dspdx.skip=true", "-Djapicmp.skip=true", "-Drevapi.skip=true",
	"-Dmaven.gitcommitid.skip=true", "-Ddependency-check.skip=true",
	// A JVM of its own for each class: one that dies takes no other with it.
	"-DforkCount=1", "-DreuseForks=false", "-Dsurefire.rerunFailingTestsCount=0",
	"-Dmaven.test.redirectTestOutputToFile=true",
	"-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false",
}, " ")

// mavenLoud has Maven tell each class's end, though the repository's .mvn/maven.config asks
// for quiet.
const mavenLoud = " -Dorg.slf4j.simpleLogger.log.org.apache.maven=info -Dsurefire.printSummary=true"

// mavenOffline calls Maven without the network. The errors that it ends with are
// told at its end again, less what it says of itself every time.
const mavenOffline = `offline() { code=0; mvn -o -q "$@" </dev/null >"$WIDESWE_TMP"/mvn.log 2>&1 || code=$?; cat "$WIDESWE_TMP"/mvn.log
  if [ "$code" -ne 0 ]; then grep '^\[ERROR\] .' "$WIDESWE_TMP"/mvn.log | grep -vE '\[Help 1\]|Re-run Maven|To see the full|For more information|After correcting|-rf :' | head -n 3 >&2; fi; return "$code"; }`

func mavenPlan(p kit.Plan, j kit.Job) (kit.Plan, error) {
	all := poms(j.Tree)
	p.Report = "surefire"
	p.Manifests = mavenManifests(j)
	p.Wire = append(p.Wire, mavenRepo, "unset MAVEN_ARGS MAVEN_OPTS",
		`mvn() { command mvn `+mavenFlags+mavenLevel(j.Tree, all)+` "$@"; }`)
	wiring := wireMaven(j, all)
	p.Notes = append(p.Notes, wiring.notes...)
	p.Setup = append(p.Setup, `fetch() { code=0; mvn "$@" </dev/null >"$WIDESWE_TMP"/mvn.log 2>&1 || code=$?; cat `+
		`"$WIDESWE_TMP"/mvn.log`,
		// What does not compile or fails is the run's affair; what could not be fetched is this one's.
		`  if grep -qE '^\[(ERROR|FATAL)\].*(Could not (resolve|transfer|find artifact)|Non-resolvable|could not be `+
			`resolved|Unknown host|No plugin found)' "$WIDESWE_TMP"/mvn.log; then return 1; fi; }`)
	p.Setup = append(p.Setup, j.Recipe.Setup...)
	p.Setup = append(p.Setup, wiring.install("fetch")...)
	var fetches []string
	for _, u := range j.Selection.Units {
		// A method that there is not: the provider of the tests is fetched when they run.
		tests := make([]string, len(u.Tests))
		for i, class := range u.Tests {
			tests[i] = class + "#wideswe_none"
		}
		fetches = append(fetches, "fetch "+mavenModule(all, u.Dir)+" test -Dsurefire.skipAfterFailureCount=0 -Dtest="+
			kit.Quote(strings.Join(tests, ",")))
	}
	p.Setup = append(p.Setup, fetches...)
	// Where an artifact came from does not matter offline; what was not found is asked for again.
	p.Setup = append(p.Setup, `find "$m2" \( -name _remote.repositories -o -name '*.lastUpdated' \) -delete`)
	p.Setup = append(p.Setup, wiring.forget()...)
	p.Warm = slices.Clone(j.Recipe.Warm)
	if len(wiring.siblings) > 0 {
		p.Build = append(p.Build, mavenOffline)
	}
	p.Build = append(append(p.Build, wiring.install("offline")...), j.Recipe.Build...)
	return mavenTest(p, j)
}

// mavenLevel compiles what is older than the JDK's oldest as that.
func mavenLevel(t kit.Tree, all map[string]*pom) string {
	if w := javaWanted(t, all); w.level < minJavaLevel {
		return fmt.Sprintf(" -Dmaven.compiler.source=%d -Dmaven.compiler.target=%[1]d", minJavaLevel)
	}
	return ""
}

// mavenModule names a module to Maven, and what of the tree it needs.
func mavenModule(all map[string]*pom, dir string) string {
	root := reactor(all, dir)
	args := "-f " + kit.Under("WIDESWE_REPO", path.Join(root, "pom.xml"))
	switch {
	case root != dir:
		rel := strings.TrimPrefix(strings.TrimPrefix(dir, strings.TrimSuffix(root, ".")), "/")
		args += " -pl " + kit.Quote(rel) + " -am"
	case all[dir] != nil && len(all[dir].modules()) > 0:
		args += " -N"
	}
	return args
}

// mavenManifests are the POMs and Maven's own configuration: they decide what is
// fetched. A recipe with a setup of its own may read any file.
func mavenManifests(j kit.Job) (files []string) {
	if len(j.Recipe.Setup) > 0 {
		return nil
	}
	for _, name := range j.Tree.Files() {
		if path.Base(name) == "pom.xml" || strings.HasPrefix(name, ".mvn/") || strings.Contains(name, "/.mvn/") {
			files = append(files, name)
		}
	}
	sort.Strings(files)
	return files
}

// mavenTest writes the test script: one Maven a module, which tells each class's
// end in its log; the reports are taken from wherever the module writes them.
func mavenTest(p kit.Plan, j kit.Job) (kit.Plan, error) {
	tree := j.RunnerTree()
	all := poms(tree)
	if j.Recipe.Test != "" {
		return kit.OwnPlan(p, j, j.Selection.AllFiles())
	}
	seconds := j.Recipe.Timeout
	if seconds <= 0 {
		seconds = 1500
	}
	lines := []string{
		kit.ScriptBegin,
		`reports() { below=$1; shift; find "$below" -name src -prune -o -type f -name 'TEST-*.xml' "$@"; }`,
		`run() { dir=$1; place=$2; names=$3; shift 3; code=0; mkdir -p "$out/$dir"; log="$out/$dir/maven.log"`,
		`  reports "$place" -exec rm -f {} +`,
		// The function is no program that timeout could run.
		fmt.Sprintf(`  timeout -k 10 %d mvn %s -o "$@" </dev/null >"$log" 2>&1 || code=$?`, seconds, mavenFlags+mavenLoud+
			mavenLevel(tree, all)),
		`  cat "$log"`,
		// A project may tell Maven to end well all the same.
		`  if [ "$code" -eq 0 ] && grep -qE '^\[[A-Z]+\] Tests run: .*(Failures|Errors|Flakes): [1-9]' "$log"; then ` +
			`code=1; fi`,
		`  reports "$place" -print | while IFS= read -r f; do case " $names " in *" ${f##*/} "*) cp "$f" "$out/$dir/";; ` +
			`esac; done`,
		`  worse; }`,
	}
	for _, u := range j.Selection.Units {
		tests, notes := mavenTests(j, u)
		p.Notes = append(p.Notes, notes...)
		if len(tests) == 0 {
			continue
		}
		names := reportNames(tree, u)
		lines = append(lines, "run "+kit.Quote(u.Dir)+" "+kit.Under("WIDESWE_REPO", u.Dir)+" "+kit.Quote(strings.Join(names,
			" "))+" "+
			mavenModule(all, u.Dir)+" test -Dtest="+kit.Quote(strings.Join(tests, ",")))
		p.Files = append(p.Files, path.Join(u.Dir, "maven.log"))
		for _, name := range names {
			p.Files = append(p.Files, path.Join(u.Dir, name))
		}
	}
	p.Notes = kit.Unique(p.Notes)
	p.Test = kit.Script(lines)
	return p, nil
}

// reportNames are the files that surefire writes for a unit's classes, those nested
// in them too, and the one name that TestNG gives to several.
func reportNames(t kit.Tree, u kit.Unit) []string {
	names := []string{"TEST-TestSuite.xml"}
	for _, file := range u.Files {
		for _, x := range javaTypes(kit.Read(t, file)) {
			names = append(names, "TEST-"+x.name+".xml")
		}
	}
	return kit.Unique(names)
}

var javaMethod = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*`)

// mavenTests are the words of -Dtest for a unit: its classes, or the methods of
// Only, less those of Skip. A test that has no method's name can't be told apart.
func mavenTests(j kit.Job, u kit.Unit) (tests, notes []string) {
	method := func(id string) (class, name string, ours bool) {
		unit, test := schema.SplitTestID(id)
		class = strings.TrimPrefix(unit, strings.TrimSuffix(u.Dir, ".")+"/")
		if u.Dir == "." {
			class = unit
		}
		outer, _, _ := strings.Cut(class, "$")
		name = javaMethod.FindString(test)
		if rest := test[len(name):]; rest != "" && !strings.ContainsAny(rest[:1], "([{ #") || strings.HasPrefix(rest, " ") &&
			!strings.HasPrefix(rest, " #") {
			name = "" // a sentence
		}
		return class, name, slices.Contains(u.Tests, outer) && path.Join(u.Dir, class) == unit
	}
	if len(j.Only) == 0 {
		tests = slices.Clone(u.Tests)
	}
	for _, id := range j.Only {
		switch class, name, ours := method(id); {
		case !ours:
		case name == "":
			tests = append(tests, class)
			notes = append(notes, "a test that is named by a sentence runs with its whole class")
		default:
			tests = append(tests, class+"#"+name)
		}
	}
	if len(tests) == 0 {
		return nil, nil
	}
	sort.Strings(tests)
	for _, id := range j.Skip {
		switch class, name, ours := method(id); {
		case ours && name != "":
			tests = append(tests, "!"+class+"#"+name)
		case ours:
			notes = append(notes, "a test that is named by a sentence can't be left out: "+id)
		}
	}
	return kit.Unique(tests), notes
}
