package registry_test

import (
	"errors"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

func TestResolve(t *testing.T) {
	set := func(name string) []schema.RecipePart {
		return []schema.RecipePart{{Recipe: schema.Recipe{Toolchain: "python"}}, {Recipe: schema.Recipe{Toolchain: name}}}
	}
	both := kit.Map{"go.mod": "module m\n\ngo 1.22\n", "m.go": "package m\n",
		"m_test.go":      "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) {}\n",
		"pyproject.toml": "[project]\nname='m'\nversion='1'\n", "tests/test_m.py": "def test_m(): pass\n"}
	for _, c := range []struct {
		name   string
		tree   kit.Map
		over   []schema.RecipePart
		hidden []string
		want   string // the toolchain, or the error's
	}{
		{"by the hidden files", both, nil, []string{"tests/test_m.py"}, "python"},
		{"by the person, against the hidden files", both, set("go"), []string{"tests/test_m.py"}, "go"},
		{"by the person, where nothing is recognised", kit.Map{"x": ""}, set("shell"), nil, "shell"},
		{"nothing", kit.Map{"x": ""}, nil, nil, "no toolchain recognised"},
		{"no such toolchain", both, set("golang"), nil, `the recipe names the toolchain "golang", which there is not`},
	} {
		t.Run(c.name, func(t *testing.T) {
			recipe, tc, err := registry.Resolve(c.tree, c.over, c.hidden...)
			var unknown *registry.UnknownError
			if errors.As(err, &unknown) {
				if err.Error() != c.want {
					t.Errorf("%v, not %s", err, c.want)
				}
				return
			}
			if err != nil || tc.Name() != c.want || recipe.Toolchain != c.want {
				t.Errorf("%v, %v, not %s", recipe, err, c.want)
			}
		})
	}
}

// TestResolveReport: a report format of a person's is that of the person's test command.
func TestResolveReport(t *testing.T) {
	tree := kit.Map{"go.mod": "module m\n\ngo 1.22\n", "m.go": "package m\n"}
	for want, over := range map[string]schema.Recipe{"gotest": {Report: "junit"}, "junit": {Report: "junit",
		Test: "make test"}} {
		recipe, _, err := registry.Resolve(tree, []schema.RecipePart{{Recipe: over}})
		if err != nil || recipe.Report != want {
			t.Errorf("%+v: %q, %v, want %q", over, recipe.Report, err, want)
		}
	}
}
