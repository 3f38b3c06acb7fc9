package java

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

var (
	testClassName = regexp.MustCompile(`(?:^Test|Tests?$|TestCase$|Spec$)`)
	integration   = regexp.MustCompile(`^IT|IT$|ITCase$`)
)

// javaSelection picks test classes of a tree.
type javaSelection struct {
	tree   kit.Tree
	poms   map[string]*pom
	picked map[string]bool
	left   []kit.Left
	cache  map[string][]javaType
	tests  []string // the test folders' sources, made when asked for
}

func newJavaSelection(t kit.Tree) *javaSelection {
	return &javaSelection{tree: t, poms: poms(t), picked: map[string]bool{}, cache: map[string][]javaType{}}
}

func (s *javaSelection) types(name string) []javaType {
	types, known := s.cache[name]
	if !known && javaExts[path.Ext(name)] {
		types = javaTypes(kit.Read(s.tree, name))
		s.cache[name] = types
	}
	return types
}

// runnable are the classes of a file that a runner can be told to run.
func runnable(types []javaType) (names []string) {
	for _, t := range types {
		simple := t.name[strings.LastIndexByte(t.name, '.')+1:]
		if !t.nested && !t.abstract && (t.tests || testClassName.MatchString(simple) && t.extends != "") {
			names = append(names, t.name)
		}
	}
	return names
}

// inTests says that a file is of a module's tests.
func inTests(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(part string) bool {
		return strings.EqualFold(part, "test") || strings.EqualFold(part, "tests") || strings.HasSuffix(part, "Test") ||
			part == "testFixtures"
	})
}

// file picks a hidden file where it holds tests; why says that nothing can run for
// it, and a file neither picked nor refused is one for [javaSelection.beside].
func (s *javaSelection) file(name string) (why string) {
	switch {
	case !kit.Has(s.tree, name):
		return "the tree does not have it"
	case !javaExts[path.Ext(name)] || len(runnable(s.types(name))) == 0 || !inTests(name):
		return ""
	case integration.MatchString(strings.TrimSuffix(path.Base(name), path.Ext(name))) && len(s.poms) > 0:
		return "an integration test: failsafe runs it on the packaged module, after the tests that run here"
	case s.module(name) == "":
		return "no module's folder holds it"
	}
	s.pick(name)
	return ""
}

func (s *javaSelection) pick(name string) { s.picked[name] = true }

// module is the folder of the module a file belongs to, "" where there is none.
func (s *javaSelection) module(name string) string {
	if p := moduleOf(s.poms, name); p != nil && gradleFirst(s.tree, s.poms) == "" {
		return p.dir
	}
	return gradleModule(s.tree, name)
}

// sources are the files of tests.
func (s *javaSelection) sources() []string {
	if s.tests == nil {
		s.tests = []string{}
		for _, name := range s.tree.Files() {
			simple := strings.TrimSuffix(path.Base(name), path.Ext(name))
			if javaExts[path.Ext(name)] && inTests(name) && !integration.MatchString(simple) && s.module(name) != "" {
				s.tests = append(s.tests, name)
			}
		}
	}
	return s.tests
}

// maxBeside bounds the classes that one helper may select.
const maxBeside = 40

// beside picks the test classes for a hidden file that holds no tests itself: those
// that mention it by name, or else those of the nearest folder. A file that is
// neither code nor lies in a test folder says nothing about tests.
func (s *javaSelection) beside(name string) bool {
	module := s.module(name)
	if module == "" || !inTests(name) {
		return false
	}
	words := []string{path.Base(name)}
	if javaExts[path.Ext(name)] {
		words = []string{strings.TrimSuffix(path.Base(name), path.Ext(name))}
	}
	var users, all []string
	for _, file := range s.sources() {
		if s.module(file) != module || len(runnable(s.types(file))) == 0 {
			continue
		}
		all = append(all, file)
		if mentionsWord(kit.Read(s.tree, file), words[0]) {
			users = append(users, file)
		}
	}
	if len(users) > 0 && len(users) <= maxBeside {
		if !slices.ContainsFunc(users, func(f string) bool { return s.picked[f] }) {
			for _, f := range users {
				s.pick(f)
			}
		}
		return true
	}
	some := len(s.picked) > 0
	if some { // the hidden tests of the module are what the helper is for
		if slices.ContainsFunc(all, func(f string) bool { return s.picked[f] }) {
			return true
		}
	}
	// Resources lie in a tree of their own, by the same packages.
	place := strings.Replace(name, "/resources/", "/java/", 1)
	return kit.PickBeside(all, place, s.picked, some)
}

func mentionsWord(text, word string) bool {
	for i := strings.Index(text, word); i >= 0; {
		before, after := i == 0 || !wordByte(text[i-1]), i+len(word) == len(text) || !wordByte(text[i+len(word)])
		if before && after {
			return true
		}
		next := strings.Index(text[i+1:], word)
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// done makes one unit a module.
func (s *javaSelection) done() kit.Selection {
	units := map[string]*kit.Unit{}
	runner := mavenRunner
	if gradleFirst(s.tree, s.poms) != "" {
		runner = gradleRunner
	}
	files := make([]string, 0, len(s.picked))
	for name := range s.picked {
		files = append(files, name)
	}
	sort.Strings(files)
	for _, name := range files {
		dir := s.module(name)
		u := units[dir]
		if u == nil {
			u = &kit.Unit{Dir: dir, Runner: runner}
			units[dir] = u
		}
		u.Files = append(u.Files, name)
		u.Tests = append(u.Tests, runnable(s.types(name))...)
	}
	sel := kit.Selection{Left: s.left}
	for _, u := range units {
		sel.Units = append(sel.Units, *u)
	}
	sort.Slice(sel.Units, func(i, j int) bool { return sel.Units[i].Dir < sel.Units[j].Dir })
	return sel
}
