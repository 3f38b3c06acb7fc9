package python

import (
	_ "embed"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

//go:embed resolve.py
var resolveScript string

// runnerNames are pytest's own packages and those that it needs; its plugins' names begin
// with its own.
var runnerNames = []string{"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "exceptiongroup", "tomli", "py",
	"pygments", "attr", "xdist", "execnet", "coverage"}

var importedNames = regexp.MustCompile(`(?m)^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b|import[ ` +
	`\t]+([A-Za-z_][\w., \t]*))`)

// resolve asks Python's own finders, with the search path that pytest gives the tests, for
// the standard library, the runner's packages and the names that the tests and what stands
// beside them import.
func resolve(j kit.Job) string {
	t := j.RunnerTree()
	dirs, names := []string{}, map[string]bool{}
	for _, n := range runnerNames {
		names[n] = true
	}
	for _, file := range testSupport(t, j.Selection.Files) {
		for _, n := range imports(kit.Read(t, file)) {
			names[n] = true
		}
	}
	for _, file := range j.Selection.Files {
		file, _, _ = strings.Cut(file, "::")
		dirs = append(dirs, rootOf(t, file))
	}
	args := append(kit.Unique(dirs), "--")
	args = append(args, slices.Sorted(maps.Keys(names))...)
	return "python -c " + kit.Quote(resolveScript) + " " + kit.QuoteAll(args)
}

// testSupport are the selected files and the modules in their folders, and the conftest.py
// above them.
func testSupport(t kit.Tree, selected []string) (files []string) {
	here, above := map[string]bool{}, map[string]bool{}
	for _, file := range selected {
		file, _, _ = strings.Cut(file, "::")
		here[path.Dir(file)] = true
		for dir := path.Dir(file); ; dir = path.Dir(dir) {
			above[dir] = true
			if dir == "." {
				break
			}
		}
	}
	for _, f := range t.Files() {
		dir := path.Dir(f)
		if path.Ext(f) == ".py" && (here[dir] && dir != "." || slices.Contains(selected, f)) ||
			path.Base(f) == "conftest.py" && above[dir] {
			files = append(files, f)
		}
	}
	return files
}

// imports are the first parts of the names that a module imports.
func imports(text string) (names []string) {
	for _, m := range importedNames.FindAllStringSubmatch(text, 2000) {
		for word := range strings.SplitSeq(m[1]+m[2], ",") {
			first, _, _ := strings.Cut(strings.TrimSpace(word), " ")
			first, _, _ = strings.Cut(first, ".")
			if first != "" {
				names = append(names, first)
			}
		}
	}
	return names
}

// rootOf is the folder that pytest puts on the search path for a test file: the first at or
// above it that is no package.
func rootOf(t kit.Tree, file string) string {
	dir := path.Dir(file)
	for dir != "." && kit.Has(t, path.Join(dir, "__init__.py")) {
		dir = path.Dir(dir)
	}
	return dir
}
