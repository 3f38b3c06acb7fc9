package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"golang.org/x/mod/modfile"
)

// goguard knows what takes over a package's tests, a workspace, modules put in the place
// of others, and the vendored libraries that tests decide with.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case base == "go.work", base == "go.work.sum", assertions.MatchString(c.Path):
		return kit.Whole
	case strings.HasSuffix(base, "_test.go"):
		return kit.Guard{Touched: takesOver(c.After) || takesOver(c.Before)}
	case base == "go.mod":
		return guardGoMod(c)
	}
	return kit.Guard{}
}

// guardGoMod puts the folders of its own repository that a go.mod has in the place of
// modules back as they were, and leaves requirements alone.
func guardGoMod(c kit.Change) kit.Guard {
	dir, known := path.Dir(c.Path), knownModules(c.Before)
	before := replaced(dir, known, c.Before)
	if maps.Equal(before, replaced(dir, known, c.After)) {
		return kit.Guard{}
	}
	f, err := modfile.Parse("go.mod", c.After, nil)
	if err != nil {
		return kit.Whole
	}
	for _, r := range guardedReplaces(dir, known, f) {
		if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return kit.Whole
		}
	}
	if old, err := modfile.Parse("go.mod", c.Before, nil); err == nil {
		for _, r := range guardedReplaces(dir, known, old) {
			if err := f.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version); err != nil {
				return kit.Whole
			}
		}
	}
	f.Cleanup()
	text, err := f.Format()
	if err != nil || !maps.Equal(before, replaced(dir, known, text)) {
		return kit.Whole
	}
	return kit.Guard{Touched: true, Restored: text}
}

// replaced are the modules that a go.mod in a folder puts folders of its own repository
// in the place of. Other repositories' folders are the workspace's: an agent may well
// work with those.
func replaced(dir string, known map[string]bool, b []byte) map[string]string {
	out := map[string]string{}
	f, err := modfile.Parse("go.mod", b, nil)
	if err != nil { // nothing builds with it
		return out
	}
	for _, r := range guardedReplaces(dir, known, f) {
		out[r.Old.String()] = path.Clean(r.New.Path) + " " + r.New.Version
	}
	return out
}

func guardedReplaces(dir string, known map[string]bool, f *modfile.File) (list []*modfile.Replace) {
	for _, r := range f.Replace {
		// Of a library that tests decide with, anything at all.
		if assertions.MatchString("vendor/"+r.Old.Path+"/") || ownFolder(dir, f, r) && (known[r.Old.Path] ||
			!submodule(f, r)) {
			list = append(list, r)
		}
	}
	return list
}

// knownModules are the modules that a go.mod requires or replaces: names that may not
// come to mean something else.
func knownModules(b []byte) map[string]bool {
	known := map[string]bool{}
	f, err := modfile.Parse("go.mod", b, nil)
	if err != nil {
		return known
	}
	for _, r := range f.Require {
		known[r.Mod.Path] = true
	}
	for _, r := range f.Replace {
		known[r.Old.Path] = true
	}
	return known
}

// submodule says whether a replacement is the folder below the module that the replaced
// path names anyway.
func submodule(f *modfile.File, r *modfile.Replace) bool {
	return f.Module != nil && r.Old.Path == f.Module.Mod.Path+"/"+path.Clean(r.New.Path)
}

// ownFolder says whether a replacement is a folder of the repository. One of the
// repository's modules that takes another from beside it is as usual.
func ownFolder(dir string, f *modfile.File, r *modfile.Replace) bool {
	p := path.Clean(r.New.Path)
	if !modfile.IsDirectoryPath(r.New.Path) || path.IsAbs(p) {
		return false
	}
	if p != ".." && !strings.HasPrefix(p, "../") {
		return true
	}
	return kit.StaysInside(dir, p) && (f.Module == nil || project(f.Module.Mod.Path) != project(r.Old.Path))
}

// project is the part of a module's path that its repository's modules share.
func project(module string) string {
	parts := strings.SplitN(module, "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/")
}

// assertions are vendored libraries that tests decide with.
var assertions = regexp.MustCompile(`(^|/)vendor/(github\.com/(stretchr/(testify|objx)|onsi/(gomega|ginkgo)|` +
	`google/go-cmp|frankban/quicktest|smarty(streets)?|matryer/is|alecthomas/(assert|repr)|rogpeppe/go-internal|` +
	`carlmjohnson/be|shoenig/test|maxatome/go-testdeep|jackc/testify|pmezard/go-difflib|davecgh/go-spew|golang/mock|` +
	`sebdah/goldie|bradleyjkemp/cupaloy|gkampitakis/go-snaps)|go\.uber\.org/(mock|goleak)|gotest\.tools|` +
	`gopkg\.in/check\.v1)(\.v?\d+)?/`)

// takesOver finds what runs before, or instead of, the tests of a Go package:
// TestMain, init, calls that give a package's variables their values, and imports
// made for what they do.
func takesOver(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), "x_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.FuncDecl:
			return d.Recv == nil && (d.Name.Name == "TestMain" || d.Name.Name == "init")
		case *ast.GenDecl:
			return d.Tok == token.VAR && calls(d) || d.Tok == token.IMPORT && slices.ContainsFunc(d.Specs, forEffect)
		}
		return false
	})
}

// forEffect knows an import of nothing but what the package does as it loads.
func forEffect(spec ast.Spec) bool {
	i, ok := spec.(*ast.ImportSpec)
	return ok && i.Name != nil && i.Name.Name == "_" && i.Path.Value != `"embed"`
}

func calls(d *ast.GenDecl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && !plainCall(c) {
			found = true
		}
		_, body := n.(*ast.FuncLit) // runs only where it is called
		return !found && !body
	})
	return found
}

// plainCall knows calls that can do no harm: conversions, built-ins, and what
// tests make their tables with.
func plainCall(c *ast.CallExpr) bool {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return slices.Contains(strings.Fields("string byte rune int int32 int64 uint uint32 uint64 float64 make new len "+
			"append any error"), f.Name)
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		return ok && slices.Contains(strings.Fields(
			"errors.New fmt.Errorf fmt.Sprintf regexp.MustCompile flag.Bool flag.String flag.Int time.Duration strings.Repeat "+
				"filepath.Join"), x.Name+"."+f.Sel.Name)
	case *ast.ArrayType, *ast.MapType, *ast.StarExpr, *ast.ParenExpr, *ast.InterfaceType:
		_, lit := c.Fun.(*ast.ParenExpr)
		return !lit
	}
	return false
}
