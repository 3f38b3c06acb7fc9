package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
)

// godeclares lists a Go file's top-level names and methods.
func declares(file string, text []byte) (names []string) {
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
