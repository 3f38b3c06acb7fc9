package python

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// The names of the extras, groups, environments and requirements files that are made
// for tests, and of those that are made for developers, which are taken where there
// are none for tests.
var (
	forTests = []string{"test", "tests", "testing", "unittest", "unittests", "unit-test", "unit-tests", "pytest",
		"test-requirements", "hatch-test"}
	forDevelopers = []string{"dev", "develop", "devel", "development", "ci"}
	// fileNames are those that name requirements files.
	fileNames = [][]string{{"test", "tests", "testing", "unittest", "pytest"}, {"dev", "develop", "development", "ci"}}
	fileForms = []string{"requirements-N.txt", "requirements_N.txt", "N-requirements.txt", "N_requirements.txt",
		"requirements/N.txt", "requirements/requirements-N.txt", "N/requirements.txt", "requirements.N.txt"}
)

// pythonSource is what a project's files offer for installing: the names of extras
// and groups, and lists of requirements by name.
type pythonSource struct {
	extras, groups []string
	lists          map[string][]string // requirements by the name of their table
	hatch          map[string]map[string]string
	fixed          []string // requirements of the tests, under no name
	defaults       []string // groups that the project's tool installs by itself
}

func pythonSources(t kit.Tree, dir string, toml, cfg map[string]map[string]string, setup string) pythonSource {
	s := pythonSource{lists: map[string][]string{}, hatch: map[string]map[string]string{}}
	s.extras = kit.SortedKeys(toml["project.optional-dependencies"], toml["tool.poetry.extras"],
		cfg["options.extras_require"])
	if strings.Contains(setup, "extras_require") {
		for _, m := range setupExtra.FindAllStringSubmatch(setup, 100) {
			s.extras = append(s.extras, m[1])
		}
	}
	s.groups = kit.SortedKeys(toml["dependency-groups"])
	s.defaults = kit.QuotedStrings(toml["tool.uv"]["default-groups"])
	s.add("dev", kit.QuotedStrings(toml["tool.uv"]["dev-dependencies"]))
	for name, value := range toml["tool.pdm.dev-dependencies"] {
		s.add(normal(name), slices.DeleteFunc(kit.QuotedStrings(value), func(r string) bool {
			return strings.HasPrefix(r,
				"-e ")
		}))
	}
	s.poetry(toml)
	s.pipenv(sections(kit.Read(t, path.Join(dir, "Pipfile"))))
	for _, f := range []struct {
		tables map[string]map[string]string
		prefix string
	}{{toml, "tool.hatch.envs."}, {sections(kit.Read(t, path.Join(dir, "hatch.toml"))), "envs."}} {
		for section, table := range f.tables {
			if name, ok := strings.CutPrefix(section, f.prefix); ok {
				s.hatch[name] = table
			}
		}
	}
	s.fixed = append(append(s.fixed, kit.QuotedStrings(kit.FirstGroup(setupTests, setup))...),
		lines(cfg["options"]["tests_require"])...)
	return s
}

func (s *pythonSource) add(name string, requirements []string) {
	if len(requirements) > 0 {
		s.lists[name] = append(s.lists[name], requirements...)
	}
}

var poetryTable = regexp.MustCompile(`^tool\.poetry\.(?:group\.([\w-]+)\.dependencies|([\w-]+)-dependencies)$`)

func (s *pythonSource) poetry(toml map[string]map[string]string) {
	for section, table := range toml {
		if m := poetryTable.FindStringSubmatch(section); m != nil {
			s.add(normal(m[1]+m[2]), requirements(table))
		}
	}
}

// pipenv: an application's own packages are needed by its tests as well.
func (s *pythonSource) pipenv(file map[string]map[string]string) {
	s.fixed = append(s.fixed, requirements(file["packages"])...)
	s.fixed = append(s.fixed, requirements(file["dev-packages"])...)
}

// requirements are the entries of a table of poetry or pipenv, sorted.
func requirements(table map[string]string) (list []string) {
	for _, name := range kit.SortedKeys(table) {
		if r := requirement(name, table[name]); r != "" && name != "python" {
			list = append(list, r)
		}
	}
	return list
}

func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

// chooseExtras takes what is made for tests, or else for developers, and what tox
// installs to run them.
func (p *pythonInfo) chooseExtras(s pythonSource) {
	tables := map[string]bool{}
	for i, names := range [][]string{forTests, forDevelopers} {
		for _, name := range names {
			p.choose(s, name, tables)
		}
		if i == 0 {
			p.chooseTox(s)
		}
		if len(p.extras)+len(p.groups)+len(p.names)+len(p.tox.deps) > 0 {
			break
		}
	}
	if len(p.extras)+len(p.groups)+len(p.names)+len(p.tox.deps) == 0 {
		p.groups = slices.DeleteFunc(s.defaults, func(g string) bool { return !slices.Contains(s.groups, g) })
		p.chooseHatch(s.hatch["default"], s)
	}
	if len(s.fixed) > 0 && !p.hasFiles() {
		p.names = append(p.names, s.fixed...)
	}
	sort.Strings(p.names)
	p.names = slices.Compact(p.names)
	p.note("extras", p.extras)
	p.note("dependency groups", p.groups)
	p.note("of the tool's own tables", p.names)
	p.note(p.tox.file, p.tox.deps)
	if len(p.lock.versions) > 0 {
		p.note("versions as locked, where they can be had", []string{p.lock.file})
	}
}

// hasFiles says that a requirements file made for tests is installed already.
func (p *pythonInfo) hasFiles() bool {
	return slices.ContainsFunc(p.files, func(f string) bool { return f != "requirements.txt" })
}

// choose takes all that goes by one name, as its file spells it.
func (p *pythonInfo) choose(s pythonSource, name string, seen map[string]bool) {
	for _, extra := range s.extras {
		if normal(extra) == name && !slices.Contains(p.extras, extra) {
			p.extras = append(p.extras, extra)
		}
	}
	for _, group := range s.groups {
		if normal(group) == name && !slices.Contains(p.groups, group) {
			p.groups = append(p.groups, group)
		}
	}
	p.names = append(p.names, s.lists[name]...)
	if !seen[name] {
		seen[name] = true
		p.chooseHatch(s.hatch[name], s)
	}
}

// chooseHatch takes what an environment of hatch installs. What only hatch can
// finish is left out.
func (p *pythonInfo) chooseHatch(table map[string]string, s pythonSource) {
	for _, key := range []string{"dependencies", "extra-dependencies"} {
		for _, r := range kit.QuotedStrings(table[key]) {
			if !strings.Contains(r, "{") {
				p.names = append(p.names, r)
			}
		}
	}
	p.extras = union(p.extras, kit.QuotedStrings(table["features"]), s.extras)
	p.groups = union(p.groups, kit.QuotedStrings(table["dependency-groups"]), s.groups)
}

// chooseTox takes the extras and groups that tox names and the project has.
func (p *pythonInfo) chooseTox(s pythonSource) {
	p.extras = union(p.extras, p.tox.extras, s.extras)
	p.groups = union(p.groups, p.tox.groups, s.groups)
	var deps []string
	for i := 0; i < len(p.tox.deps); i++ {
		if p.tox.deps[i] == "-r" && slices.Contains(p.files, p.tox.deps[i+1]) {
			i++
			continue
		}
		deps = append(deps, p.tox.deps[i])
	}
	p.tox.deps = deps
}

// union adds those names that there are.
func union(have, names, there []string) []string {
	for _, n := range names {
		if slices.Contains(there, n) && !slices.Contains(have, n) {
			have = append(have, n)
		}
	}
	return have
}

// chooseFiles takes the requirements files made for tests, or else for developers.
func (p *pythonInfo) chooseFiles(t kit.Tree) {
	if !p.installs && kit.Has(t, path.Join(p.dir, "requirements.txt")) {
		p.files = append(p.files, "requirements.txt")
	}
	found := len(p.files)
	for _, names := range fileNames {
		for _, n := range names {
			for _, form := range fileForms {
				if f := strings.ReplaceAll(form, "N", n); kit.Has(t, path.Join(p.dir, f)) {
					p.files = append(p.files, f)
				}
			}
		}
		if len(p.files) > found {
			break
		}
	}
	p.note("requirements", p.files)
}

// setEnv lays what tox says of its environment under a recipe's variables.
func (p pythonInfo) setEnv(env map[string]string) {
	for name, value := range p.tox.env {
		if _, ours := env[name]; !ours {
			env[name] = value
		}
	}
	if len(p.tox.pytest) > 0 {
		env["PYTEST_ADDOPTS"] = kit.QuoteAll(p.tox.pytest)
	}
}
