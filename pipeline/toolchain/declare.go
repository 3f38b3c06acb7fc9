package toolchain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Declarer is a toolchain whose compiler refuses two files that declare the same name.
type Declarer interface {
	// Declares gives the names that a file declares for all of its package, each with
	// the package, so that files of different packages never share one. What is no
	// source of the language declares nothing.
	Declares(file string, text []byte) []string
}

// Declares asks the toolchain that a file belongs to.
func Declares(file string, text []byte) []string {
	for _, t := range All() {
		if d, ok := t.(Declarer); ok {
			if names := d.Declares(file, text); len(names) > 0 {
				return names
			}
		}
	}
	return nil
}

// Declares lists a Go file's top-level names and methods.
func (Go) Declares(file string, text []byte) (names []string) {
	if path.Ext(file) != ".go" {
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	scope := path.Dir(file) + " " + f.Name.Name + " "
	add := func(name string) {
		if name != "_" && name != "init" {
			names = append(names, scope+name)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(methodOf(d) + d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						add(n.Name)
					}
				}
			}
		}
	}
	return names
}

// methodOf gives the type a method belongs to, with a dot.
func methodOf(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if i, ok := t.(*ast.IndexExpr); ok {
		t = i.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "."
	}
	return "?."
}

var (
	typePackage   = regexp.MustCompile(`(?m)^\s*(?:package|namespace)\s+([\w.]+)`)
	typeDeclared  = regexp.MustCompile(`\b(?:class|interface|enum|record|object|struct|@interface)\s+(\w+)`)
	typePartial   = regexp.MustCompile(`\bpartial\s+(?:class|interface|record|struct)\s+\w+`)
	typeLiterals  = regexp.MustCompile(`(?s)"""(?:.*?)"""|/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`)
	typeNamespace = regexp.MustCompile(`(?m)^\s*namespace\s+[\w.]+\s*\{`)
)

// Declares lists the top-level types of a Java or Kotlin file.
func (Java) Declares(file string, text []byte) []string {
	if !slices.Contains([]string{".java", ".kt"}, path.Ext(file)) {
		return nil
	}
	return typesOf(string(text), 0)
}

// Declares lists the top-level types of a C# file, but for those that may be in parts.
func (Dotnet) Declares(file string, text []byte) []string {
	if path.Ext(file) != ".cs" {
		return nil
	}
	plain := typePartial.ReplaceAllString(string(text), "")
	depth := 0
	if typeNamespace.MatchString(plain) {
		depth = 1
	}
	return typesOf(plain, depth)
}

// typesOf lists the types that begin at a depth of braces.
func typesOf(text string, depth int) (names []string) {
	plain := typeLiterals.ReplaceAllString(text, " ")
	scope := ""
	if m := typePackage.FindStringSubmatch(plain); m != nil {
		scope = m[1]
	}
	for _, m := range typeDeclared.FindAllStringSubmatchIndex(plain, -1) {
		before := plain[:m[0]]
		if strings.Count(before, "{")-strings.Count(before, "}") == depth {
			names = append(names, scope+"."+plain[m[2]:m[3]])
		}
	}
	return names
}
