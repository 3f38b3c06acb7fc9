package registry

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// TestReference: the runner's command comes from gold's tree, and only what gold's tree
// of a sibling publishes takes a published package's place.
func TestReference(t *testing.T) {
	scripts := func(more string) kit.Map {
		return kit.Map{"package.json": `{"name": "sum", "scripts": {"test": "run-s cover"` + more + `},
			"devDependencies": {"jest": "^29", "equal": "1"}}`, "test/sum.test.js": "test('adds', () => {})"}
	}
	module := func(path, more string) string { return "module " + path + "\n\ngo 1.21\n" + more }
	tool := kit.Map{"go.mod": module("ex.org/tool", "require (\n\tex.org/lib v1.0.0\n\tex.org/is v1.0.0\n)\n"),
		"x_test.go": "package tool\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"}
	lib := kit.Map{"go.mod": module("ex.org/lib", "")}
	project := func(name, needs string) string {
		return "[build-system]\nrequires = []\n[project]\nname = \"" + name + "\"\ndependencies = [" + needs + "]\n"
	}
	crate := func(name, more string) string {
		return "[package]\nname = \"" + name + "\"\nversion = \"1.0.0\"\n" + more
	}
	tests := map[string]struct {
		toolchain       string
		tree, reference kit.Map
		sibling, gold   kit.Map
		files           []string
		has, hasNot     string
	}{
		"node: a script that gold lacks": {toolchain: "node", tree: scripts(`, "unit": "jest --setupFiles ./equal.js"`),
			reference: scripts(""), files: []string{"test/sum.test.js"}, has: "sum.test.js", hasNot: "equal.js"},
		"node: a package that gold lacks": {toolchain: "node", tree: scripts(""), files: []string{"test/sum.test.js"},
			sibling: kit.Map{"package.json": `{"name": "lib"}`, "equal/package.json": `{"name": "equal"}`},
			gold:    kit.Map{"package.json": `{"name": "lib"}`}, hasNot: "equal="},
		"go: a module that gold lacks": {toolchain: "go", tree: tool, files: []string{"x_test.go"}, gold: lib,
			sibling: kit.Map{"sub/go.mod": lib["go.mod"], "is/go.mod": module("ex.org/is", "")},
			has:     `-replace=ex.org/lib="$WIDESWE_WORKSPACE"/o/lib/sub`, hasNot: "-replace=ex.org/is"},
		"python: a project that gold lacks": {toolchain: "python", files: []string{"test_x.py"},
			tree:    kit.Map{"pyproject.toml": project("tool", `"lib", "attrs"`), "test_x.py": "def test_x(): pass\n"},
			sibling: kit.Map{"pyproject.toml": project("lib", ""), "attrs/pyproject.toml": project("attrs", "")},
			gold:    kit.Map{"pyproject.toml": project("lib", "")}, has: "o/lib", hasNot: "lib/attrs"},
		"rust: a crate that gold lacks": {toolchain: "rust", files: []string{"tests/x.rs"},
			tree: kit.Map{"Cargo.toml": crate("tool", "[dependencies]\nlib = \"1\"\nserde = \"1\"\n"),
				"src/lib.rs": "", "tests/x.rs": "#[test]\nfn x() {}\n"},
			sibling: kit.Map{"Cargo.toml": crate("lib", ""), "src/lib.rs": "", "serde/Cargo.toml": crate("serde", ""),
				"serde/src/lib.rs": ""},
			gold: kit.Map{"Cargo.toml": crate("lib", ""), "src/lib.rs": ""}, has: "lib = { path", hasNot: "serde = { path"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tool, _ := ByName(tc.toolchain)
			recipe, ok := tool.Detect(tc.tree)
			if !ok {
				t.Fatal("not detected")
			}
			j := kit.Job{Recipe: recipe, Repository: "o/tool", Tree: tc.tree}
			if tc.reference != nil {
				j.Reference = tc.reference
			}
			if tc.sibling != nil {
				j.Siblings = []kit.Sibling{{Repository: "o/lib", Tree: tc.sibling, Reference: tc.gold}}
			}
			var err error
			if j.Selection, err = tool.Select(tc.tree, schema.Recipe{}, tc.files); err != nil {
				t.Fatal(err)
			}
			p, err := tool.Plan(j)
			if err != nil {
				t.Fatal(err)
			}
			plan := strings.Join(append(append(append(p.Wire, p.Setup...), p.Build...), p.Test), "\n")
			if !strings.Contains(plan, tc.has) || strings.Contains(plan, tc.hasNot) {
				t.Errorf("want %q and not %q in:\n%s", tc.has, tc.hasNot, plan)
			}
		})
	}
}

// TestSourcesAreAskedFor: without being asked, no plan lists what it reads.
func TestSourcesAreAskedFor(t *testing.T) {
	trees := map[string]kit.Map{
		"go": {"go.mod": "module ex.org/tool\n\ngo 1.21\n",
			"x_test.go": "package tool\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"},
		"rust": {"Cargo.toml": "[package]\nname = \"tool\"\nversion = \"1.0.0\"\n", "src/lib.rs": "",
			"tests/x.rs": "#[test]\nfn x() {}\n"},
	}
	for name, file := range map[string]string{"go": "x_test.go", "rust": "tests/x.rs"} {
		tool, _ := ByName(name)
		j := kit.Job{Repository: "o/tool", Tree: trees[name], Canary: "c"}
		j.Recipe, _ = tool.Detect(j.Tree)
		var err error
		if j.Selection, err = tool.Select(j.Tree, j.Recipe, []string{file}); err != nil {
			t.Fatal(err)
		}
		for _, asked := range []bool{false, true} {
			j.Sources = asked
			p, err := tool.Plan(j)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(p.Test, ".sources"); got != asked || len(p.Sources) > 0 != asked {
				t.Errorf("%s, asked %v: %v in\n%s", name, asked, p.Sources, p.Test)
			}
		}
	}
}
