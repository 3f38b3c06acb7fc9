package java

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// mavenSibling is the artifacts of a sibling that a target uses, under the version
// that the target asks for.
type mavenSibling struct {
	repository string
	all        map[string]*pom
	root       string // the reactor's folder
	modules    []string
	version    string // the one asked for
	own        string // the tree's
}

// mavenWiring installs siblings into the local repository.
type mavenWiring struct {
	siblings []mavenSibling
	testJars bool // classes of tests are used, too
	notes    []string
}

// wireMaven finds the siblings' modules that the target's modules use: as a
// dependency, a plugin, a parent or an imported list of versions.
func wireMaven(j kit.Job, all map[string]*pom) (w mavenWiring) {
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(a, b int) bool { return siblings[a].Repository < siblings[b].Repository })
	users := []map[string]*pom{all}
	used := map[string]bool{}
	for round := 0; round < len(users) && round < 20; round++ { // a sibling may use another
		for _, s := range siblings {
			theirs := poms(s.Tree)
			if s.Repository == j.Repository || len(theirs) == 0 {
				continue
			}
			if foreign := foreignModule(theirs, poms(s.Publisher())); foreign != "" {
				w.notes = append(w.notes, fmt.Sprintf("%s is not installed: gold has no module of the group of %s", s.Repository,
					foreign))
				continue
			}
			wanted := mavenWants(users[round], theirs)
			for _, version := range slices.Sorted(maps.Keys(wanted)) {
				m := newMavenSibling(s.Repository, theirs, wanted[version], version)
				if key := s.Repository + "@" + m.version; !used[key] {
					used[key] = true
					users = append(users, theirs)
					w.siblings = append(w.siblings, m)
					w.notes = append(w.notes, m.note())
				}
			}
		}
	}
	for _, u := range users {
		w.testJars = w.testJars || usesTestJars(u)
	}
	slices.Reverse(w.siblings) // what a sibling uses comes before it
	return w
}

// foreignModule is a module of a group that the known modules don't have, "" where there
// is none: installed, it could take a library's place.
func foreignModule(all, known map[string]*pom) string {
	groups := map[string]bool{}
	for _, p := range known {
		groups[p.value(known, p.group)] = true
	}
	for _, dir := range sortedPoms(all) {
		if p := all[dir]; !groups[p.value(all, p.group)] {
			return p.value(all, p.group) + ":" + p.value(all, p.artifact)
		}
	}
	return ""
}

// usesTestJars says that a module depends on the classes of another one's tests.
func usesTestJars(all map[string]*pom) bool {
	for _, p := range all {
		for _, d := range p.root.all("dependency") {
			if d.kid("type").text == "test-jar" || d.kid("classifier").text == "tests" {
				return true
			}
		}
	}
	return false
}

// mavenWants lists the folders of their modules that ours ask for, by version; ""
// is a version that no POM of the tree says.
func mavenWants(ours, theirs map[string]*pom) map[string][]string {
	made := map[string]string{} // group:artifact → folder
	for _, dir := range sortedPoms(theirs) {
		p := theirs[dir]
		made[p.value(theirs, p.group)+":"+p.value(theirs, p.artifact)] = dir
	}
	versions := map[string]string{} // of what is used, where it is said
	uses := map[string]bool{}
	for _, dir := range sortedPoms(ours) {
		p := ours[dir]
		for _, kind := range []string{"dependency", "plugin", "parent", "extension", "annotationProcessorPath", "path"} {
			for _, n := range p.root.all(kind) {
				group := p.value(ours, n.kid("groupId").text)
				key := group + ":" + p.value(ours, n.kid("artifactId").text)
				if _, theirs := made[key]; !theirs {
					continue
				}
				uses[key] = true
				if v := p.value(ours, n.kid("version").text); v != "" && versions[key] == "" && !strings.Contains(v, "${") {
					versions[key] = v
				}
			}
		}
	}
	wanted := map[string][]string{}
	for key := range uses {
		v := versions[key]
		wanted[v] = append(wanted[v], made[key])
	}
	for v := range wanted {
		sort.Strings(wanted[v])
	}
	return wanted
}

func newMavenSibling(repository string, theirs map[string]*pom, modules []string, version string) mavenSibling {
	first := theirs[modules[0]]
	own := first.value(theirs, first.version)
	if version == "" || strings.HasPrefix(version, "[") || strings.HasPrefix(version, "(") {
		version = own
	}
	return mavenSibling{repository: repository, all: theirs, root: reactor(theirs, modules[0]), modules: modules,
		version: version, own: own}
}

func (m mavenSibling) note() string {
	if m.version == m.own {
		return fmt.Sprintf("%s is installed from its tree as %s", m.repository, m.version)
	}
	return fmt.Sprintf("%s is installed from its tree, %s, as %s, the version asked for", m.repository, m.own, m.version)
}

// place is the copy of the sibling's tree that is built: its own stays untouched.
func (m mavenSibling) place() string {
	return kit.Under("WIDESWE_TMP", path.Join("siblings", m.repository+"@"+m.version))
}

// mavenSiblingInstall builds a sibling and installs it, by its build's own steps up
// to the package: what comes after judges it. $1 is what Maven is called as. Where a
// step wants the very artifact that is being built (a plugin that depends on it),
// there is none: nothing of a sibling is kept. Its compiled classes then lie in the
// artifact's place, and the steps go once more.
const mavenSiblingInstall = `sibling() { how=$1; shift
  if "$how" "$@" package install:install; then return 0; fi
  echo "wideswe: its own steps ended badly: once more, with its compiled classes in its place"
  "$how" "$@" resources:resources compiler:compile || return 1
  stage
  "$how" "$@" package install:install || echo "wideswe: its own steps ended badly again: the compiled classes stay"; }
stage_one() { mkdir -p "$m2/$1" && cp "$2/pom.xml" "$m2/$1/$3.pom"
  if [ -d "$2/target/classes" ]; then "${JAVA_HOME:+$JAVA_HOME/bin/}jar" cf "$m2/$1/$3.jar" -C "$2/target/classes" .; fi; }`

// stage puts a sibling's modules as they are compiled into the local repository.
func (m mavenSibling) stage(copyTo string) string {
	lines := []string{"stage() { :"}
	for _, dir := range sortedPoms(m.all) {
		p := m.all[dir]
		group, artifact := p.value(m.all, p.group), p.value(m.all, p.artifact)
		if p.file == path.Join(dir, "pom.xml") && mavenWord(group) && mavenWord(artifact) && mavenWord(m.version) {
			place := path.Join(strings.ReplaceAll(group, ".", "/"), artifact, m.version)
			lines = append(lines, "  stage_one "+kit.Quote(place)+" "+copyTo+"/"+kit.Quote(dir)+" "+kit.Quote(artifact+"-"+
				m.version))
		}
	}
	return strings.Join(append(lines, "}"), "\n")
}

// install are the lines that build the siblings and put them into the local
// repository; run is what Maven is called as.
func (w mavenWiring) install(run string) (lines []string) {
	if len(w.siblings) > 0 {
		lines = append(lines, mavenSiblingInstall)
	}
	for _, m := range w.siblings {
		copyTo := m.place()
		lines = append(lines, "rm -rf "+copyTo+" && mkdir -p "+copyTo+" && cp -R "+kit.Under("WIDESWE_WORKSPACE",
			m.repository)+"/. "+copyTo)
		lines = append(lines, m.rename(copyTo)...)
		var pl []string
		for _, dir := range m.modules {
			if dir != m.root {
				pl = append(pl, strings.TrimPrefix(strings.TrimPrefix(dir, strings.TrimSuffix(m.root, ".")), "/"))
			}
		}
		args := " -f " + copyTo + "/" + kit.Quote(path.Join(m.root, "pom.xml"))
		if len(pl) > 0 {
			args += " -pl " + kit.Quote(strings.Join(pl, ",")) + " -am"
		}
		tests := "-Dmaven.test.skip=true" // tests are compiled where their classes are used
		if w.testJars {
			tests = "-DskipTests=true"
		}
		lines = append(lines, m.stage(copyTo), "sibling "+run+args+" "+tests+
			" -Dmaven.source.skip=true -Dmaven.install.skip=false -Drevision="+kit.Quote(m.version))
	}
	return lines
}

// rename gives the copy's modules the version asked for, line by line: each
// module's own, its parent's, and what modules of one tree say of each other.
func (m mavenSibling) rename(copyTo string) (lines []string) {
	if m.version == m.own {
		return nil
	}
	made := map[string]bool{}
	for _, p := range m.all {
		made[p.value(m.all, p.artifact)] = true
	}
	for _, dir := range sortedPoms(m.all) {
		p := m.all[dir]
		var at []string
		for _, n := range versionsOf(p, m.own, made) {
			at = append(at, fmt.Sprintf("%ds|%s|%s|", n.line, sedWord(n.text), sedWord(m.version)))
		}
		if len(at) > 0 {
			lines = append(lines, "sed -i "+kit.Quote(strings.Join(at, ";"))+" "+copyTo+"/"+kit.Quote(p.file))
		}
	}
	return lines
}

// versionsOf are the elements of a POM that hold its tree's version.
func versionsOf(p *pom, own string, made map[string]bool) (found []*pomNode) {
	add := func(n *pomNode) {
		if n.text == own && n.line > 0 {
			found = append(found, n)
		}
	}
	add(p.root.kid("version"))
	if made[p.root.kid("parent", "artifactId").text] {
		add(p.root.kid("parent", "version"))
	}
	for _, kind := range []string{"dependency", "plugin"} {
		for _, n := range p.root.all(kind) {
			if made[n.kid("artifactId").text] {
				add(n.kid("version"))
			}
		}
	}
	return found
}

// sedWord keeps a stranger's text from meaning anything to sed.
func sedWord(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.*[]^$|&`, r) {
			b.WriteByte('\\')
		}
		if r != '\n' {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// forget takes the siblings out of the local repository: no image holds what a
// sibling's tree was, at gold or at base.
func (w mavenWiring) forget() (lines []string) {
	for _, m := range w.siblings {
		for _, dir := range sortedPoms(m.all) {
			p := m.all[dir]
			group, artifact := p.value(m.all, p.group), p.value(m.all, p.artifact)
			for _, version := range []string{m.version, m.own} {
				if mavenWord(group) && mavenWord(artifact) && mavenWord(version) {
					lines = append(lines, `rm -rf "$m2"/`+kit.Quote(path.Join(strings.ReplaceAll(group, ".", "/"), artifact, version)))
				}
			}
		}
	}
	return kit.Unique(lines)
}

// mavenWord says that a coordinate is one that Maven takes; a path is none.
func mavenWord(s string) bool {
	return s != "" && !strings.Contains(s, "..") && strings.Trim(kit.Quote(s), "'") == s && !strings.ContainsAny(s, "/:")
}
