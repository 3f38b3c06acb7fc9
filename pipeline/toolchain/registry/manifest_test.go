package registry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/golang"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/python"
)

func TestManifests(t *testing.T) {
	goTree := kit.Map{"go.mod": "module example.org/m\n\ngo 1.21\n", "go.sum": "", "a.go": "package m\n",
		"a_test.go":    "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"tools/go.mod": "module example.org/m/tools\n", "go.work": "go 1.21\n\nuse .\n", "vendor/x/go.mod": "module x\n"}
	pythonTree := kit.Map{"pyproject.toml": "[build-system]\nrequires = [\"setuptools\"]\n[project]\nname = " +
		"\"acme\"\nreadme = \"docs/README.md\"\n",
		"docs/README.md": "", "src/acme/__init__.py": "", "src/acme/core.py": "",
		"requirements-dev.txt": "-r deps/base.pip\npytest\n",
		"deps/base.pip":        "attrs\n", "tests/test_a.py": "", "poetry.lock": "", "notes.txt": ""}
	for _, c := range []struct {
		name  string
		tc    kit.Toolchain
		tree  kit.Map
		setup []string // of the recipe; nil is the detected
		want  []string
	}{
		{"go", golang.Toolchain{}, goTree, nil, []string{"go.mod", "go.sum", "go.work", "tools/go.mod"}},
		{"go with a setup of its own", golang.Toolchain{}, goTree, []string{"make deps"}, nil},
		{"python", python.Toolchain{}, pythonTree, nil, []string{"deps/base.pip", "docs/README.md", "poetry.lock",
			"pyproject.toml", "requirements-dev.txt", "src/acme/__init__.py"}},
		{"python with a setup of its own", python.Toolchain{}, pythonTree, []string{"make deps"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := c.tc.Detect(c.tree)
			if !ok {
				t.Fatal("not recognised")
			}
			if c.setup != nil {
				r.Setup = c.setup
			}
			p, err := c.tc.Plan(kit.Job{Recipe: r, Repository: "o/r", Tree: c.tree})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, p.Manifests); d != "" {
				t.Error(d)
			}
		})
	}
}
