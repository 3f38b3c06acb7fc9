package registry_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/python"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

func TestChooseWiderAndNarrower(t *testing.T) {
	tree := kit.Map{"setup.py": "", "a/tests/test_one.py": "def test_x(): pass\n",
		"a/tests/test_two.py":   "def test_x(): pass\n",
		"b/tests/test_three.py": "def test_x(): pass\n", "b/three.py": ""}
	hidden := []string{"a/tests/test_one.py"}
	for _, c := range []struct {
		name   string
		recipe schema.Recipe
		want   []string
		left   []string
	}{
		{"as hidden", schema.Recipe{}, []string{"a/tests/test_one.py"}, nil},
		{"a folder more", schema.Recipe{Wider: []string{"b"}}, []string{"a/tests/test_one.py", "b/tests/test_three.py"}, nil},
		{"all but one", schema.Recipe{Wider: []string{"."}, Narrower: []string{"a/tests/test_two.py"}},
			[]string{"a/tests/test_one.py", "b/tests/test_three.py"}, nil},
		{"none", schema.Recipe{Narrower: []string{"a/**"}}, nil, []string{"a/tests/test_one.py"}},
		{"another in its place", schema.Recipe{Narrower: []string{"**/test_one.py"}, Wider: []string{"a/tests"}},
			[]string{"a/tests/test_two.py"}, []string{"a/tests/test_one.py"}},
		{"named ones, whatever is hidden", schema.Recipe{Select: []string{"a/tests/test_two.py"}},
			[]string{"a/tests/test_two.py"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := kit.Choose(python.Toolchain{}, tree, c.recipe, hidden)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, l := range s.Left {
				left = append(left, l.Path)
			}
			if d := cmp.Diff(c.want, s.Files) + cmp.Diff(c.left, left); d != "" {
				t.Error(d)
			}
		})
	}
	if d := cmp.Diff([]string{"a/tests/test_one.py"}, hidden); d != "" {
		t.Error("the caller's list was changed:", d)
	}
}

// Every toolchain takes a recipe's own selection, whatever is hidden, and refuses
// one that the tree does not have.
func TestSelectOfEveryToolchain(t *testing.T) {
	trees := map[string]struct {
		tree  kit.Map
		entry string
	}{
		"go": {kit.Map{"go.mod": "module m\n\ngo 1.22\n", "p/p.go": "package p\n",
			"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) {}\n"}, "./p"},
		"python": {kit.Map{"setup.py": "", "p/test_p.py": "def test_p(): pass\n"}, "p/test_p.py"},
		"node": {kit.Map{"package.json": `{"name":"m","scripts":{"test":"node --test"}}`,
			"p/p.test.js": "require('node:test')('p', () => {})\n"}, "p/p.test.js"},
		"shell": {kit.Map{"p/test_p.sh": "#!/bin/sh\necho ok\n"}, "p/test_p.sh"},
	}
	for _, tc := range registry.All() {
		c, known := trees[tc.Name()]
		if !known {
			continue // its own tests hold it: entries are in the toolchain's own words
		}
		t.Run(tc.Name(), func(t *testing.T) {
			s, err := kit.Choose(tc, c.tree, schema.Recipe{Toolchain: tc.Name(), Select: []string{c.entry}}, nil)
			if err != nil || s.Empty() {
				t.Errorf("%v, %v", s, err)
			}
			if s, err := kit.Choose(tc, c.tree, schema.Recipe{Toolchain: tc.Name(), Select: []string{"./nowhere.x"}},
				nil); err == nil {
				t.Errorf("what is not there was selected: %v", s)
			}
		})
	}
}

func TestMatches(t *testing.T) {
	files := []string{"a.go", "p/a.go", "p/q/a.go", "pq/a.go"}
	for pattern, want := range map[string][]string{
		".": files, "**": files, "p": {"p/a.go", "p/q/a.go"}, "./p/": {"p/a.go", "p/q/a.go"}, "*.go": {"a.go"},
		"**/*.go": files,
		"p/**":    {"p/a.go", "p/q/a.go"}, "p/**/a.go": {"p/a.go", "p/q/a.go"}, "**/q/**": {"p/q/a.go"},
		"p?/a.go": {"pq/a.go"},
		"[":       nil, "": nil, "**/**/**/**/**/**/**/**/**/b.go": nil,
	} {
		var got []string
		for _, f := range files {
			if kit.Matches(pattern, f) {
				got = append(got, f)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, not %v", pattern, got, want)
		}
	}
}
