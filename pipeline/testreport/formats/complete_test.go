package formats

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wideswe/wideswe/pipeline/testreport"
)

// TestEveryFormatIsComplete names what a format lacks: a line in All, a name, a
// version, a line of documentation, a fuzz target, a golden corpus.
func TestEveryFormatIsComplete(t *testing.T) {
	for _, lack := range lacks(t, os.DirFS(".."), All()) {
		t.Error(lack)
	}
}

// TestOmissionsAreNamed leaves out one thing after another.
func TestOmissionsAreNamed(t *testing.T) {
	const (
		registry = "package formats\nfunc All() []testreport.Format { return []testreport.Format{swift.XCTest(),} }\n"
		format   = "package swift\nfunc XCTest() testreport.Format { return testreport.Format{} }\n"
		fuzzes   = "func FuzzXCTest(f *testing.F) { reporttest.Fuzz(f, XCTest(), \"a.xml\") }\n"
		golden   = "func TestCorpus(t *testing.T) { reporttest.Corpus(t, XCTest(), \"*\", 1) }\n"
	)
	read := func(*testreport.Builder, string, []byte) {}
	whole := testreport.Format{Name: "xctest", Version: "1", Doc: "what xctest writes", Read: read}
	for _, c := range []struct {
		name, registry, tests, want string
		change                      func(*testreport.Format)
	}{
		{"nothing", registry, fuzzes + golden, "", nil},
		{"a line in All", strings.ReplaceAll(registry, "swift.XCTest(),", ""), fuzzes + golden,
			"swift.XCTest is a format that formats.All does not list", nil},
		{"a fuzz target", registry, golden,
			"swift.XCTest has no fuzz target: no Fuzz function of its package reads with XCTest()", nil},
		{"a golden corpus", registry, fuzzes,
			"swift.XCTest has no golden corpus: no test of its package calls reporttest.Corpus(t, XCTest(), …)", nil},
		{"a name", registry, fuzzes + golden, "swift.XCTest has no Name", func(f *testreport.Format) { f.Name = "" }},
		{"a version", registry, fuzzes + golden, "swift.XCTest has no Version",
			func(f *testreport.Format) { f.Version = "" }},
		{"documentation", registry, fuzzes + golden, "swift.XCTest has no Doc", func(f *testreport.Format) { f.Doc = "" }},
		{"a reader", registry, fuzzes + golden, "swift.XCTest has no Read", func(f *testreport.Format) { f.Read = nil }},
	} {
		f := whole
		if c.change != nil {
			c.change(&f)
		}
		listed := []testreport.Format{f}
		if !strings.Contains(c.registry, "XCTest") {
			listed = nil
		}
		got := lacks(t, fstest.MapFS{
			"formats/formats.go":   {Data: []byte(c.registry)},
			"swift/xctest.go":      {Data: []byte(format)},
			"swift/xctest_test.go": {Data: []byte("package swift\n" + c.tests)},
		}, listed)
		if strings.Join(got, "\n") != c.want {
			t.Errorf("without %s: %q, want %q", c.name, got, c.want)
		}
	}
}

// sources is what the files of the formats say. The keys are constructors: node.Jest.
type sources struct {
	listed                    []string // by All, in its order
	declared, fuzzed, corpora map[string]bool
}

// lacks says what is missing of the formats in the folders of a tree, where All gives listed.
func lacks(t *testing.T, tree fs.FS, listed []testreport.Format) (list []string) {
	t.Helper()
	s := readSources(t, tree)
	for _, c := range slices.Sorted(maps.Keys(s.declared)) {
		if !slices.Contains(s.listed, c) {
			list = append(list, c+" is a format that formats.All does not list")
		}
	}
	if len(listed) != len(s.listed) {
		return append(list, fmt.Sprintf("formats.All gives %d formats and names %d constructors", len(listed), len(s.listed)))
	}
	for i, f := range listed {
		c := s.listed[i]
		name := c[strings.IndexByte(c, '.')+1:]
		for _, need := range []struct {
			there bool
			what  string
		}{
			{f.Name != "", "Name"}, {f.Version != "", "Version"}, {f.Doc != "", "Doc"}, {f.Read != nil, "Read"},
			{s.fuzzed[c], "fuzz target: no Fuzz function of its package reads with " + name + "()"},
			{s.corpora[c], "golden corpus: no test of its package calls reporttest.Corpus(t, " + name + "(), …)"},
		} {
			if !need.there {
				list = append(list, c+" has no "+need.what)
			}
		}
	}
	return list
}

func readSources(t *testing.T, tree fs.FS) sources {
	t.Helper()
	s := sources{declared: map[string]bool{}, fuzzed: map[string]bool{}, corpora: map[string]bool{}}
	files, err := fs.Glob(tree, "*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				s.function(path.Dir(name), strings.HasSuffix(name, "_test.go"), f)
			}
		}
	}
	return s
}

func (s *sources) function(folder string, test bool, f *ast.FuncDecl) {
	switch {
	case folder == "formats" && f.Name.Name == "All":
		for _, c := range calls(f.Body) {
			s.listed = append(s.listed, c.name)
		}
	case test && strings.HasPrefix(f.Name.Name, "Fuzz"):
		for _, c := range calls(f.Body) {
			s.fuzzed[folder+"."+c.name] = true
		}
	case test:
		for _, c := range calls(f.Body) {
			if c.name == "reporttest.Corpus" && len(c.args) > 1 {
				s.corpora[folder+"."+strings.TrimSuffix(c.args[1], "()")] = true
			}
		}
	case isConstructor(f) && folder != "formats":
		s.declared[folder+"."+f.Name.Name] = true
	}
}

// isConstructor reports whether a function is exported, takes nothing and gives a format.
func isConstructor(f *ast.FuncDecl) bool {
	results := f.Type.Results
	return f.Name.IsExported() && f.Type.Params.NumFields() == 0 && results.NumFields() == 1 &&
		expression(results.List[0].Type) == "testreport.Format"
}

type call struct {
	name string
	args []string
}

func calls(body *ast.BlockStmt) (list []call) {
	ast.Inspect(body, func(n ast.Node) bool {
		if e, ok := n.(*ast.CallExpr); ok {
			c := call{name: expression(e.Fun)}
			for _, a := range e.Args {
				c.args = append(c.args, expression(a))
			}
			list = append(list, c)
		}
		return true
	})
	return list
}

// expression writes a name, a qualified name or a call of one.
func expression(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return strings.TrimPrefix(expression(x.X)+"."+x.Sel.Name, ".")
	case *ast.CallExpr:
		return cmp.Or(expression(x.Fun), "?") + "()"
	}
	return ""
}
