package unbuilt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestNamed(t *testing.T) {
	dir := writeTree(t, map[string]string{"p/a_test.go": "", "p/a.go": "", "q/a.go": "", "q/p/a.go": "", "main.c": "",
		"tests/x.py": ""})
	for text, want := range map[string][]string{
		"# m/p\np/a_test.go:3:5: undefined: x\np/a.go:1: y": {"p/a_test.go", "p/a.go"},
		"./a_test.go:1:1: too few":                          {"p/a_test.go"},
		"a.go: which of them?":                              nil,
		"/workspace/o/r/q/p/a.go:1:1: error":                {"q/p/a.go"},
		"../main.c: In function 'f'":                        {"main.c"},
		"q/p/a.go and p/a.go":                               {"q/p/a.go", "p/a.go"},
		`File "/workspace/o/r/tests/x.py", line 3`:          {"tests/x.py"},
		"other.go:1": nil,
	} {
		if d := cmp.Diff(want, Named(dir, text), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestRemovable(t *testing.T) {
	plain := "package p\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {}\n"
	for name, tc := range map[string]struct {
		text, hidden string
		listed       []string
		want         bool
	}{
		"nothing needs it":           {plain, "package p\n\nfunc TestNew(t *testing.T) {}\n", []string{"m/p::TestNew"}, true},
		"a name that is only longer": {plain, "package p\n", []string{"m/p::TestOl"}, true},
		"holds a listed test":        {plain, "package p\n", []string{"m/p::TestOld/sub"}, false},
		"a hidden file uses it":      {plain + "func must() {}\n", "package p\n\nvar _ = must\n", nil, false},
		"a hidden file imports it":   {plain, "// see old_test\n", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{"p/old_test.go": tc.text, "p/new_test.go": tc.hidden, "p/p.go": "package p\n"})
			got := Removable(dir, "p/old_test.go:1:1: error; p/p.go:1:1: error; p/new_test.go:1: error",
				[]string{"p/new_test.go"}, tc.listed)
			var want []string
			if tc.want {
				want = []string{"p/old_test.go"}
			}
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
	dir := writeTree(t, map[string]string{"tests/test_a.py": "def test_x(): pass\n", "tests/test_b.py": ""})
	if got := Removable(dir, "tests/test_a.py", nil, []string{"tests/test_a.py::test_y"}); len(got) > 0 {
		t.Errorf("an id names its file: %q", got)
	}
	if got := Removable(dir, "tests/test_b.py", []string{"gone.py"}, nil); len(got) > 0 {
		t.Errorf("a hidden file that can't be read: %q", got)
	}
}
