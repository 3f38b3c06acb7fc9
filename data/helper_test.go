package data_test

import "go/ast"

// nameOf is the name of a top-level function, "" for anything else.
func nameOf(d ast.Decl) string {
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
		return f.Name.Name
	}
	return ""
}
