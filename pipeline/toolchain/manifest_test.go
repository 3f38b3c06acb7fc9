package toolchain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestManifests(t *testing.T) {
	goTree := Map{"go.mod": "module example.org/m\n\ngo 1.21\n", "go.sum": "", "a.go": "package m\n", "a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"tools/go.mod": "module example.org/m/tools\n", "go.work": "go 1.21\n\nuse .\n", "vendor/x/go.mod": "module x\n"}
	python := Map{"pyproject.toml": "[build-system]\nrequires = [\"setuptools\"]\n[project]\nname = \"acme\"\nreadme = \"docs/README.md\"\n",
		"docs/README.md": "", "src/acme/__init__.py": "", "src/acme/core.py": "", "requirements-dev.txt": "-r deps/base.pip\npytest\n",
		"deps/base.pip": "attrs\n", "tests/test_a.py": "", "poetry.lock": "", "notes.txt": ""}
	for _, c := range []struct {
		name  string
		tc    Toolchain
		tree  Map
		setup []string // of the recipe; nil is the detected
		want  []string
	}{
		{"go", Go{}, goTree, nil, []string{"go.mod", "go.sum", "go.work", "tools/go.mod"}},
		{"go with a setup of its own", Go{}, goTree, []string{"make deps"}, nil},
		{"python", Python{}, python, nil, []string{"deps/base.pip", "docs/README.md", "poetry.lock", "pyproject.toml", "requirements-dev.txt", "src/acme/__init__.py"}},
		{"python with a setup of its own", Python{}, python, []string{"make deps"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := c.tc.Detect(c.tree)
			if !ok {
				t.Fatal("not recognised")
			}
			if c.setup != nil {
				r.Setup = c.setup
			}
			p, err := c.tc.Plan(Job{Recipe: r, Repository: "o/r", Tree: c.tree})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, p.Manifests); d != "" {
				t.Error(d)
			}
		})
	}
}

// What runs is no part of what is fetched: tasks with other tests share it.
func TestGoSetupIsTheModulesNotTheTests(t *testing.T) {
	tree := Map{"go.mod": "module example.org/m\n\ngo 1.21\n", "a/a_test.go": "package a\n", "b/b_test.go": "package b\n"}
	r, _ := Go{}.Detect(tree)
	setup := func(dir string) []string {
		p, err := Go{}.Plan(Job{Recipe: r, Repository: "o/r", Tree: tree, Selection: Selection{Units: []Unit{{Module: ".", Dir: dir, Tests: []string{"TestA"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return p.Setup
	}
	if d := cmp.Diff(setup("a"), setup("b")); d != "" {
		t.Error(d)
	}
}
