package golang

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// goTests is what one _test.go file declares.
type goTests struct {
	names  []string // top-level tests, fuzz targets, examples with output
	suites []string // types with Test methods, which a runner elsewhere may run
	tags   []string
	left   string // why nothing of it runs
}

// goSelection collects tests by package folder and tags.
type goSelection struct {
	tree  kit.Tree
	mods  []goModule
	picks map[string]*kit.Unit
	names map[string]map[string]bool
	left  []kit.Left
	// hidden are the test files that were asked for, by folder.
	hidden map[string][]string
}

// Select names the top-level tests of the hidden files, per package: tests, fuzz
// targets, whose seeds run as tests, and examples with output; no benchmarks. A
// file that declares none (helpers, fixtures, golden files) selects the tests
// that stand beside or above it, unless its package has tests selected already.
// The methods of a suite select the tests that name the suite's type.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	s := goSelection{tree: t, mods: goModules(t), picks: map[string]*kit.Unit{}, names: map[string]map[string]bool{},
		hidden: map[string][]string{}}
	if r.Select != nil {
		return s.chosen(r.Select)
	}
	var rest []string
	for _, name := range kit.CleanPaths(hidden) {
		if strings.HasSuffix(name, "_test.go") {
			s.hidden[path.Dir(name)] = append(s.hidden[path.Dir(name)], name)
		}
		switch {
		case !kit.Has(t, name):
			s.leave(name, "the tree does not have it")
		case strings.HasSuffix(name, "_test.go") && goSees(path.Dir(name)):
			if !s.file(name) {
				rest = append(rest, name)
			}
		default:
			rest = append(rest, name)
		}
	}
	for _, name := range rest {
		s.beside(name)
	}
	return s.result(), nil
}

func (s *goSelection) leave(name, reason string) {
	s.left = append(s.left, kit.Left{Path: name, Reason: reason})
}

func (s *goSelection) add(dir string, tags, names []string) bool {
	m, ok := goModuleOf(s.mods, dir)
	if !ok || len(names) == 0 {
		return false
	}
	key := dir + "\x00" + strings.Join(tags, ",")
	if s.picks[key] == nil {
		s.picks[key] = &kit.Unit{Runner: "go test", Module: m.dir, Dir: dir, Tags: tags}
		s.names[key] = map[string]bool{}
	}
	for _, name := range names {
		s.names[key][name] = true
	}
	return true
}

func (s *goSelection) result() kit.Selection {
	out := kit.Selection{Left: s.left}
	for _, key := range slices.Sorted(maps.Keys(s.picks)) {
		g := *s.picks[key]
		g.Tests = slices.Sorted(maps.Keys(s.names[key]))
		g.First, g.Last = s.canaryPackages(g)
		g.Files = s.hidden[g.Dir]
		out.Units = append(out.Units, g)
	}
	sort.SliceStable(out.Left, func(i, j int) bool { return out.Left[i].Path < out.Left[j].Path })
	return out
}

// file selects what one hidden test file declares; false: it declares nothing.
func (s *goSelection) file(name string) bool {
	dir := path.Dir(name)
	g := s.parse(name)
	if g.left != "" {
		s.leave(name, g.left)
		return true
	}
	found := s.add(dir, g.tags, g.names)
	for _, suite := range g.suites {
		for _, other := range s.testFiles(dir) {
			o := s.parse(other)
			if o.left == "" && s.add(dir, o.tags, s.naming(other, suite)) {
				found = true
			}
		}
	}
	return found
}

// beside selects the tests of the nearest package above a file that is no test.
// The root's package counts only for what lies in a folder of test material.
func (s *goSelection) beside(name string) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if files := s.testFiles(dir); len(files) > 0 && (dir != "." || testMaterial(name)) {
			if s.has(dir) || s.all(dir) {
				return
			}
		}
		if dir == "." {
			s.leave(name, "no Go test stands beside it")
			return
		}
	}
}

func testMaterial(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return first == "testdata" || first == "fixtures" || strings.HasSuffix(name, "_test.go")
}

func (s *goSelection) has(dir string) bool {
	for _, g := range s.picks {
		if g.Dir == dir {
			return true
		}
	}
	return false
}

// all selects every test of a package.
func (s *goSelection) all(dir string) bool {
	found := false
	for _, name := range s.testFiles(dir) {
		if g := s.parse(name); g.left == "" && s.add(dir, g.tags, g.names) {
			found = true
		}
	}
	return found
}

// testFiles lists the test files directly in a folder.
func (s *goSelection) testFiles(dir string) []string {
	if !goSees(dir) {
		return nil
	}
	var files []string
	for _, name := range s.tree.Files() {
		if path.Dir(name) == dir && strings.HasSuffix(name, "_test.go") && goSees(path.Base(name)) {
			files = append(files, name)
		}
	}
	return files
}

// chosen reads a recipe's own selection: "./dir" or "./dir TestA TestB".
func (s *goSelection) chosen(entries []string) (kit.Selection, error) {
	for _, entry := range entries {
		words := strings.Fields(entry)
		if len(words) == 0 {
			continue
		}
		dir := path.Clean(words[0])
		if len(words) == 1 {
			if !s.all(dir) {
				return kit.Selection{}, fmt.Errorf("the recipe selects %q: no Go test is there", entry)
			}
			continue
		}
		if !s.add(dir, nil, words[1:]) {
			return kit.Selection{}, fmt.Errorf("the recipe selects %q: no module holds it", entry)
		}
	}
	return s.result(), nil
}

func (s *goSelection) parse(name string) goTests {
	text := kit.Read(s.tree, name)
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return goTests{left: "it does not parse as Go"}
	}
	var g goTests
	if g.tags, g.left = goTags(name, file); g.left != "" {
		return g
	}
	suites := map[string]bool{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
		case f.Recv != nil:
			if goTestName(f.Name.Name, "Test") {
				suites[receiver(f)] = true
			}
		case goTestName(f.Name.Name, "Test") && takes(f, "T") || goTestName(f.Name.Name, "Fuzz") && takes(f, "F"):
			g.names = append(g.names, f.Name.Name)
		}
	}
	for _, e := range doc.Examples(file) {
		if e.Output != "" || e.EmptyOutput {
			g.names = append(g.names, "Example"+e.Name)
		}
	}
	g.suites = slices.Sorted(maps.Keys(suites))
	return g
}

// naming lists a file's top-level tests whose body names an identifier.
func (s *goSelection) naming(name, ident string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), name, kit.Read(s.tree, name), parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var names []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Body == nil || !goTestName(f.Name.Name, "Test") || !takes(f, "T") {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == ident {
				names = append(names, f.Name.Name)
				return false
			}
			return true
		})
	}
	return kit.Unique(names)
}

// goTestName: the letter after the prefix is not lower case.
func goTestName(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	first, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(first)
}

// takes says that a function's one parameter is a pointer to testing's type.
func takes(f *ast.FuncDecl, typ string) bool {
	params := f.Type.Params.List
	if f.Type.TypeParams != nil || len(params) != 1 || len(params[0].Names) > 1 {
		return false
	}
	star, ok := params[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := star.X.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == typ
	case *ast.Ident:
		return x.Name == typ
	}
	return false
}

func receiver(f *ast.FuncDecl) string {
	typ := f.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
