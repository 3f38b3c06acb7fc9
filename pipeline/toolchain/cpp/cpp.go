package cpp

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests C and C++: CMake with ctest, Meson, autotools and plain
// makefiles, and of the tests that those run: GoogleTest, Catch2, doctest, programs
// that fail by their exit code. A test file's program is built and run.
type Toolchain struct{}

//go:embed run.py
var cppRun string

// The build tools, a unit's runner.
const (
	cmakeRunner     = "cmake"
	mesonRunner     = "meson"
	autotoolsRunner = "autotools"
	makeRunner      = "make"
)

// CppOptions is the recipe's environment variable that holds more arguments of
// cmake, meson setup or configure, as the shell splits them.
const CppOptions = "WIDESWE_CONFIGURE"

// Name is the recipe's word.
func (Toolchain) Name() string { return "cpp" }

var (
	cppSource  = map[string]bool{".c": true, ".cc": true, ".cpp": true, ".cxx": true, ".c++": true, ".C": true}
	makeTarget = regexp.MustCompile(`(?m)^(check|test|tests)\s*:(?:[^=]|$)`)
	otherCMake = regexp.MustCompile(`(?i)\bproject\s*\([^)]*\bLANGUAGES\s+(?:NONE|Fortran|CUDA|Swift|CSharp)\s*\)`)
)

// cppRoot is a folder that is built by itself.
type cppRoot struct {
	dir, runner, manifest string
	target                string // make's
}

// cppRoots are the outermost folders of a tree that a build tool knows, CMake's
// before Meson's before the makefiles' where a folder has several.
func cppRoots(t kit.Tree) (roots []cppRoot) {
	found := map[string]cppRoot{}
	prior := map[string]int{cmakeRunner: 0, mesonRunner: 1, autotoolsRunner: 2, makeRunner: 3}
	for _, name := range t.Files() {
		r := cppRoot{dir: path.Dir(name), manifest: name}
		switch path.Base(name) {
		case "CMakeLists.txt":
			if r.runner = cmakeRunner; otherCMake.MatchString(kit.Read(t, name)) {
				continue
			}
		case "meson.build":
			r.runner = mesonRunner
		case "configure.ac", "configure.in":
			r.runner, r.target = autotoolsRunner, "check"
		case "Makefile", "makefile", "GNUmakefile":
			m := makeTarget.FindStringSubmatch(kit.Read(t, name))
			if m == nil {
				continue
			}
			r.runner, r.target = makeRunner, m[1]
		default:
			continue
		}
		if old, ok := found[r.dir]; !ok || prior[r.runner] < prior[old.runner] {
			found[r.dir] = r
		}
	}
	for dir, r := range found {
		outer := true
		for up := dir; up != "."; {
			up = path.Dir(up)
			if _, ok := found[up]; ok {
				outer = false
			}
		}
		if outer && cppBelow(t, dir) {
			roots = append(roots, r)
		}
	}
	sort.Slice(roots, func(i, k int) bool {
		a, b := strings.Count(roots[i].manifest, "/"), strings.Count(roots[k].manifest, "/")
		return a < b || a == b && roots[i].dir < roots[k].dir
	})
	return roots
}

// cppBelow says that a folder holds a source of C or C++.
func cppBelow(t kit.Tree, dir string) bool {
	return slices.ContainsFunc(t.Files(), func(f string) bool {
		return cppSource[path.Ext(f)] && (dir == "." || strings.HasPrefix(f, dir+"/"))
	})
}

// Detect recognises what builds C or C++.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	roots := cppRoots(t)
	if len(roots) == 0 {
		return schema.Recipe{}, false
	}
	r := schema.Recipe{
		Toolchain: "cpp", Report: "cpp", Image: kit.DistroImage,
		Packages: []string{"build-essential", "ca-certificates", "ccache", "git", "pkg-config", "python3"},
		Env: map[string]string{
			"CI": "1", "TERM": "dumb", "NO_COLOR": "1", "CTEST_OUTPUT_ON_FAILURE": "1",
			// Old projects are built all the same by a CMake that dropped their rules.
			"CMAKE_POLICY_VERSION_MINIMUM": "3.5",
		},
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain cpp: %s", roots[0].manifest)
	for _, root := range roots {
		for _, p := range map[string][]string{cmakeRunner: {"cmake", "ninja-build"}, mesonRunner: {"meson", "ninja-build"},
			autotoolsRunner: {"autoconf", "automake", "libtool", "gettext"}}[root.runner] {
			if !slices.Contains(r.Packages, p) {
				r.Packages = append(r.Packages, p)
				because("package %s: %s", p, root.manifest)
			}
		}
	}
	for _, p := range cppPackages(t) {
		if !slices.Contains(r.Packages, p.Name) {
			r.Packages = append(r.Packages, p.Name)
			because("package %s: %s", p.Name, p.Why)
		}
	}
	sort.Strings(r.Packages)
	if options := cppOptions(t, roots[0]); len(options) > 0 {
		var words []string
		for _, o := range options {
			words = append(words, o.Name)
			because("%s: %s", o.Name, o.Why)
		}
		r.Env[CppOptions] = strings.Join(words, " ")
	}
	because("warnings are no errors, and the build type is Debug, so that assertions hold")
	return r, true
}

// Select runs the programs of hidden test files. A header or a fixture, kept as the
// unit's Tests, selects the programs of the nearest folder, unless one of them is
// selected already. Which program a file belongs to the build tool knows, once the
// build is configured.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	if r.Select != nil {
		chosen, err := kit.ChosenFiles(t, r.Select)
		if err != nil {
			return kit.Selection{}, err
		}
		hidden = chosen.Files
	}
	var s kit.Selection
	roots := cppRoots(t)
	units := map[string]*kit.Unit{}
	for _, f := range kit.CleanPaths(hidden) {
		root, ok := cppRootOf(roots, f)
		switch {
		case !kit.Has(t, f):
			s.Left = append(s.Left, kit.Left{Path: f, Reason: "the tree does not have it"})
			continue
		case !ok:
			s.Left = append(s.Left, kit.Left{Path: f, Reason: "it lies below nothing that is built"})
			continue
		case !cppSource[path.Ext(f)] && !cppBeside(t, f):
			s.Left = append(s.Left, kit.Left{Path: f, Reason: "no test source stands beside it"})
			continue
		}
		u := units[root.dir]
		if u == nil {
			u = &kit.Unit{Dir: root.dir, Runner: root.runner, Target: root.target}
			units[root.dir] = u
		}
		if cppSource[path.Ext(f)] {
			u.Files = append(u.Files, f)
		} else {
			u.Tests = append(u.Tests, f)
		}
	}
	for _, root := range roots {
		if u := units[root.dir]; u != nil {
			s.Units = append(s.Units, *u)
		}
	}
	return s, nil
}

var otherSource = map[string]bool{".py": true, ".js": true, ".ts": true, ".go": true, ".rs": true, ".java": true,
	".kt": true, ".rb": true, ".php": true, ".cs": true, ".swift": true, ".m": true, ".lua": true, ".pl": true,
	".bats": true}

// cppBeside says that a file is a header or a fixture of tests of C or C++: a test
// source lies in its folder or above.
func cppBeside(t kit.Tree, file string) bool {
	if otherSource[path.Ext(file)] {
		return false
	}
	var tests []string
	for _, f := range t.Files() {
		if cppSource[path.Ext(f)] && filerole.Of(f) == filerole.Test {
			tests = append(tests, f)
		}
	}
	return kit.PickBeside(tests, file, map[string]bool{}, false)
}

func cppRootOf(roots []cppRoot, file string) (cppRoot, bool) {
	for _, r := range slices.Backward(roots) { // the deepest
		if r.dir == "." || strings.HasPrefix(file, r.dir+"/") {
			return r, true
		}
	}
	return cppRoot{}, false
}
