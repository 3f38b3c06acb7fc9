package evaluate

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// runnerConfig says whether a change to a file may change how tests are found, run
// or reported, rather than what the code does. before and after are the file's
// bytes, nil where it does not exist.
func runnerConfig(file string, before, after []byte) bool {
	base := path.Base(file)
	switch strings.ToLower(base) {
	case "conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "noxfile.py", ".coveragerc",
		"sitecustomize.py", "usercustomize.py", "pytest.toml", ".pytest.toml",
		"makefile", "gnumakefile", "justfile", "taskfile.yml", "taskfile.yaml", "rakefile",
		"go.work", "go.work.sum", "build.rs", "nextest.toml",
		".rspec", "spec_helper.rb", "rails_helper.rb", "test_helper.rb",
		"phpunit.xml", "phpunit.xml.dist", ".env", ".npmrc", ".mocharc.js", ".mocharc.json", ".mocharc.yml", ".mocharc.cjs":
		return true
	case "pyproject.toml":
		return !bytes.Equal(toolSections(before), toolSections(after))
	case "package.json":
		return !slices.Equal(testScripts(before), testScripts(after))
	}
	switch {
	case strings.HasSuffix(base, ".pth"),
		strings.HasSuffix(file, ".cargo/config"), strings.HasSuffix(file, ".cargo/config.toml"),
		jsConfig.MatchString(base), supportFile.MatchString(file), assertions.MatchString(file):
		return true
	case strings.HasSuffix(base, "_test.go"):
		return takesOver(after) || takesOver(before)
	case base == "go.mod":
		return !maps.Equal(replaced(before), replaced(after))
	}
	return len(before) == 0 && shadows(file)
}

// decidedByContent says whether what a file holds makes it runner configuration,
// so that one that can't be read, a symbolic link say, has to be taken for it.
func decidedByContent(file string) bool {
	base := path.Base(file)
	return strings.HasSuffix(base, "_test.go") || base == "go.mod" || base == "pyproject.toml" || base == "package.json"
}

// shadows says whether a new file at a repository's root, which Python's module
// search sees first where pytest is started there, stands in the way of a module
// that the runner itself imports.
func shadows(file string) bool {
	first, rest, folder := strings.Cut(file, "/")
	last := first
	if folder {
		last = rest
	}
	stem, kind, _ := strings.Cut(last, ".") // name.cpython-313-x86_64-linux-gnu.so
	if ext := path.Ext("." + kind); ext != ".py" && ext != ".pyc" && ext != ".so" || folder && stem != "__init__" {
		return false
	}
	if !folder {
		first = stem
	}
	return slices.Contains(runnerModules, first)
}

// runnerModules are pytest, what it is made of, and what of the standard library
// it imports late, when it writes its report or meets a failure.
var runnerModules = strings.Fields(`pytest _pytest py pluggy iniconfig packaging pygments exceptiongroup tomli
	unittest doctest pdb bdb cmd code codeop faulthandler xml platform importlib argparse ast dis tokenize traceback warnings
	logging tempfile shutil subprocess inspect functools contextlib dataclasses collections enum typing re json abc io os
	pathlib glob fnmatch getpass socket struct hashlib pickle difflib pprint textwrap string locale gettext copy operator
	reprlib weakref types time datetime calendar random math numbers decimal queue threading signal select atexit linecache
	uuid zipimport zipfile site pkgutil runpy`)

// replaced are the modules that a go.mod puts folders of its own repository in
// the place of. Other repositories' folders are the workspace's: an agent may
// well work with those.
func replaced(b []byte) map[string]string {
	out := map[string]string{}
	f, err := modfile.Parse("go.mod", b, nil)
	if err != nil { // nothing builds with it
		return out
	}
	for _, r := range f.Replace {
		if p := path.Clean(r.New.Path); modfile.IsDirectoryPath(r.New.Path) && !path.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../") {
			out[r.Old.String()] = p
		}
	}
	return out
}

var (
	jsConfig = regexp.MustCompile(`^(jest|vitest|karma|cypress|playwright|ava|babel|wdio)\.(config|conf|setup)\.[a-z.]+$|^setupTests\.[jt]sx?$`)
	// supportFile knows what test scripts are built on: helpers in test folders.
	supportFile = regexp.MustCompile(`(^|/)(tests?|t|spec|__tests__)/(.*/)?(lib|helpers?|common|utils?|support|bootstrap|harness|setup|runner|run)([-_.][^/]*)?$|(^|/)(tests?|t)/(lib|helpers?|support)/|(^|/)(tests?|t)/(.*/)?__init__\.py$`)
	// assertions are vendored libraries that tests decide with.
	assertions = regexp.MustCompile(`(^|/)vendor/(github\.com/(stretchr/testify|onsi/(gomega|ginkgo)|google/go-cmp|frankban/quicktest|smartystreets|matryer/is)|gotest\.tools|gopkg\.in/check\.v1)/`)
)

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
		return slices.Contains(strings.Fields("string byte rune int int32 int64 uint uint32 uint64 float64 make new len append any error"), f.Name)
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		return ok && slices.Contains(strings.Fields("errors.New fmt.Errorf fmt.Sprintf regexp.MustCompile flag.Bool flag.String flag.Int time.Duration strings.Repeat filepath.Join"), x.Name+"."+f.Sel.Name)
	case *ast.ArrayType, *ast.MapType, *ast.StarExpr, *ast.ParenExpr, *ast.InterfaceType:
		_, lit := c.Fun.(*ast.ParenExpr)
		return !lit
	}
	return false
}

// toolSections gives the parts of pyproject.toml that test runners read.
func toolSections(b []byte) []byte {
	var out []byte
	inside := true // dotted keys ahead of the first section may be anyone's
	for line := range bytes.Lines(b) {
		if t := bytes.TrimSpace(line); bytes.HasPrefix(t, []byte("[")) {
			name := strings.Map(func(r rune) rune { // [ tool . "pytest" ] is one way to write it
				if strings.ContainsRune("[]\"' \t", r) {
					return -1
				}
				return r
			}, string(t))
			inside = name == "tool" || strings.HasPrefix(name, "tool.pytest") || strings.HasPrefix(name, "tool.tox") || strings.HasPrefix(name, "tool.coverage") || strings.HasPrefix(name, "tool.nox") ||
				strings.HasPrefix(name, "build-system") || strings.Contains(name, "entry-points") // a pytest plugin is an entry point
		}
		if inside {
			out = append(out, line...)
		}
	}
	return out
}

// testScripts gives what package.json says of running: scripts and the runners'
// own keys.
func testScripts(b []byte) []string {
	var p map[string]json.RawMessage
	if json.Unmarshal(b, &p) != nil {
		return []string{string(b)}
	}
	var out []string
	for _, k := range []string{"scripts", "jest", "mocha", "ava", "vitest", "c8", "nyc", "type"} {
		var plain bytes.Buffer
		if v, ok := p[k]; ok && json.Compact(&plain, v) == nil {
			out = append(out, k+"="+plain.String())
		}
	}
	return out
}
