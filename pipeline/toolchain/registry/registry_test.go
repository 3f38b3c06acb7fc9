package registry

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/cpp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/rust"
)

// A switch that nobody can read of is none.
func TestSwitchesAreInTheReadme(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{rust.RustFeatures, cpp.CppOptions, kit.CanaryOff} {
		if !strings.Contains(string(text), "`"+name) {
			t.Errorf("README.md does not say what %s does", name)
		}
	}
}

// A repository of two languages is tested by the one its hidden tests are written in.
func TestDetectByHidden(t *testing.T) {
	tree := kit.Map{
		"go.mod": "module example.org/two\n\ngo 1.24\n", "two.go": "package two\n",
		"two_test.go":    "package two\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {}\n",
		"pyproject.toml": "[project]\nname = \"two\"\n", "two.py": "", "tests/test_two.py": "def test_two(): pass\n",
		"tests/data.json": "{}",
	}
	for _, c := range []struct {
		hidden []string
		want   string
	}{
		{nil, "go"},
		{[]string{"two_test.go"}, "go"},
		{[]string{"tests/test_two.py"}, "python"},
		{[]string{"tests/data.json"}, "go"},
		{[]string{"two_test.go", "tests/test_two.py", "tests/data.json"}, "go"},
	} {
		_, tc, ok := Detect(tree, c.hidden...)
		if !ok || tc.Name() != c.want {
			t.Errorf("Detect with hidden %q: %v, want %s", c.hidden, tc, c.want)
		}
	}
}

// A manifest that lies among test data does not make a repository one of its
// language, nor does the one of a tool that has no tests.
func TestDetectByTheTreesOwnTests(t *testing.T) {
	for name, c := range map[string]struct {
		tree   kit.Map
		hidden []string
		want   string
	}{
		"package.json in test data": {kit.Map{"CMakeLists.txt": "project(x C)\n", "x.c": "", "tests/a_test.c": "",
			"tests/b_test.c":             "",
			"tests/patches/package.json": `{"scripts":{"test":"mocha"}}`, "tests/patches/spec.json": "[]"}, nil, "cpp"},
		"a fixture of its own speaks for none": {kit.Map{"CMakeLists.txt": "project(x C)\n", "x.c": "", "tests/a_test.c": "",
			"tests/data.txt":             "",
			"tests/patches/package.json": `{"scripts":{"test":"mocha"}}`}, []string{"tests/data.txt"}, "cpp"},
		"a tool's manifest": {kit.Map{"Cargo.toml": "[package]\nname = \"x\"\n", "src/lib.rs": "",
			"tests/it.rs":           "#[test] fn a() {}\n",
			"docs/requirements.txt": "sphinx\n", "setup.py": ""}, nil, "rust"},
		"the hidden ones first": {kit.Map{"Cargo.toml": "[package]\nname = \"x\"\n", "src/lib.rs": "",
			"tests/it.rs": "#[test] fn a() {}\n", "tests/more.rs": "#[test] fn a() {}\n",
			"pyproject.toml": "[project]\nname = \"x\"\n", "tests/test_x.py": "def test_x(): pass\n"},
			[]string{"tests/test_x.py"}, "python"},
	} {
		_, tc, ok := Detect(c.tree, c.hidden...)
		if !ok || tc.Name() != c.want {
			t.Errorf("%s: %v, want %s", name, tc, c.want)
		}
	}
}

func TestVotesAreTakenEvenly(t *testing.T) {
	tree := kit.Map{}
	for i := range 1000 {
		tree[fmt.Sprintf("tests/test_%03d.py", i)] = ""
	}
	if f := testFiles(tree); len(f) != maxVotes || f[0] != "tests/test_000.py" || f[maxVotes/2] != "tests/test_500.py" {
		t.Errorf("%d votes from %v", len(f), f[:3])
	}
}
