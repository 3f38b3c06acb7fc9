package golang

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// What runs is no part of what is fetched: tasks with other tests share it.
func TestGoSetupIsTheModulesNotTheTests(t *testing.T) {
	tree := kit.Map{"go.mod": "module example.org/m\n\ngo 1.21\n", "a/a_test.go": "package a\n",
		"b/b_test.go": "package b\n"}
	r, _ := Toolchain{}.Detect(tree)
	setup := func(dir string) []string {
		p, err := Toolchain{}.Plan(kit.Job{Recipe: r, Repository: "o/r", Tree: tree,
			Selection: kit.Selection{Units: []kit.Unit{{Module: ".", Dir: dir, Tests: []string{"TestA"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return p.Setup
	}
	if d := cmp.Diff(setup("a"), setup("b")); d != "" {
		t.Error(d)
	}
}
