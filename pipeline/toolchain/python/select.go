package python

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

var pythonFilesOption = regexp.MustCompile(`(?m)^\s*python_files\s*=\s*(\[[^\]]*\]|.*(?:\n[ \t]+\S.*)*)`)

// pythonTests lists the files that pytest would collect by their names, and those
// hidden ones that another runner would: pytest reads any file that it is given.
func pythonTests(t kit.Tree, hidden []string) []string {
	patterns := []string{"test_*.py", "*_test.py"}
	for _, name := range []string{"pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
		if m := pythonFilesOption.FindStringSubmatch(kit.Read(t, name)); m != nil {
			patterns = strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune("[]\"', \t\r\n", r) })
			break
		}
	}
	var tests []string
	for _, name := range t.Files() {
		if path.Ext(name) != ".py" {
			continue
		}
		byName := slices.ContainsFunc(patterns, func(p string) bool {
			whole, _ := path.Match(p, name)
			base, _ := path.Match(p, path.Base(name))
			return whole || base
		})
		if byName || slices.Contains(hidden, name) && unittestFile(t, name) {
			tests = append(tests, name)
		}
	}
	return tests
}

var unittestClass = regexp.MustCompile(`(?m)^class[ \t]+\w+\([^)\n]*TestCase\b`)

// unittestFile says that unittest or Django would run a file of this name.
func unittestFile(t kit.Tree, name string) bool {
	base := path.Base(name)
	named, _ := path.Match("test*.py", base)
	ends, _ := path.Match("*tests.py", base)
	return (named || ends) && unittestClass.MatchString(kit.Read(t, name))
}
