package guard

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
)

func TestRunnerConfig(t *testing.T) {
	tests := map[string]struct {
		file, before, after string
		want                bool
	}{
		"conftest": {"a/conftest.py", "", "x", true},
		"pytest section": {"pyproject.toml", "[project]\nname='x'\n",
			"[project]\nname='x'\n[tool.pytest.ini_options]\naddopts='-k no'\n", true},
		"dependency in pyproject": {"pyproject.toml", "[project]\ndependencies=[]\n",
			"[project]\ndependencies=['y']\n", false},
		"scripts": {"package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"true"}}`,
			true},
		"dependency of package": {"package.json", `{"scripts":{"test":"jest"},"dependencies":{}}`,
			`{"dependencies":{"a":"1"},"scripts": {"test":"jest"}}`, false},
		"package.json broken":    {"package.json", `{}`, `{`, true},
		"TestMain":               {"p/x_test.go", "", "package p\n\nfunc TestMain(m *testing.M) {}\n", true},
		"init in a test":         {"p/x_test.go", "", "package p\n\nfunc init() {}\n", true},
		"plain test":             {"p/x_test.go", "", "package p\n\nfunc TestX(t *testing.T) {}\n", false},
		"init in the code":       {"p/x.go", "", "package p\n\nfunc init() {}\n", false},
		"pth":                    {"src/evil.pth", "", "import os", true},
		"jest":                   {"web/jest.config.js", "", "x", true},
		"helper of tests":        {"tests/helpers.sh", "", "x", true},
		"folder of helpers":      {"t/lib/tap.sh", "", "x", true},
		"library called tests":   {"pkg/tests.go", "", "x", false},
		"source":                 {"src/helpers/main.py", "", "x", false},
		"workspace of Go":        {"go.work", "", "x", true},
		"init written otherwise": {"p/x_test.go", "", "package p\n\n\tfunc /**/ init( ) {}\n", true},
		"a variable's call":      {"p/x_test.go", "", "package p\n\nvar _ = func() int { return 1 }()\n", true},
		"a variable's table": {"p/x_test.go", "",
			"package p\n\nvar table = []struct{ f func() int }{{func() int { return g() }}}\nvar re = " +
				"regexp.MustCompile(`x`)\nvar b = []byte(`x`)\n", false},
		"an import for its effect": {"p/x_test.go", "", "package p\n\nimport _ \"example.com/p/mend\"\n", true},
		"test that does not parse": {"p/x_test.go", "", "package", true},
		"method called init":       {"p/x_test.go", "", "package p\n\nfunc (t T) init() {}\n", false},
		"vendored assertions":      {"vendor/github.com/stretchr/testify/assert/assertions.go", "x", "y", true},
		"vendored library":         {"vendor/github.com/ipfs/boxo/x.go", "x", "y", false},
		"pytest itself":            {"pytest.py", "", "x", true},
		"pytest as a folder":       {"_pytest/__init__.py", "", "x", true},
		"standard library":         {"xml/__init__.py", "", "x", true},
		"compiled":                 {"json.cpython-313-x86_64-linux-gnu.so", "", "x", true},
		"deeper module":            {"src/json.py", "", "x", false},
		"known module":             {"types.py", "x", "y", false},
		"file in such a folder":    {"platform/x.py", "", "x", false},
		"own pytest settings":      {"pytest.toml", "", "x", true},
		"dotted keys":              {"pyproject.toml", "", "tool.pytest.ini_options.addopts = '-p evil'\n", true},
		"section written oddly": {"pyproject.toml", "", "[ tool . \"pytest\" . ini_options ]\naddopts='-p evil'\n",
			true},
		"package of tests":    {"tests/unit/__init__.py", "", "x", true},
		"module put in place": {"go.mod", "module m\n", "module m\n\nreplace a.org/assert => ./assert\n", true},
		"sibling's module": {"go.mod", "module m\n",
			"module m\n\nrequire a.org/b v1.2.0\n\nreplace a.org/b => ../b\n", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := kit.Change{Path: tc.file, Before: []byte(tc.before), After: []byte(tc.after)}
			if got := registry.RunnerConfig(c).Touched; got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
