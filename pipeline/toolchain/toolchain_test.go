package toolchain

import "testing"

// A repository of two languages is tested by the one its hidden tests are written in.
func TestDetectByHidden(t *testing.T) {
	tree := Map{
		"go.mod": "module example.org/two\n\ngo 1.24\n", "two.go": "package two\n", "two_test.go": "package two\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {}\n",
		"pyproject.toml": "[project]\nname = \"two\"\n", "two.py": "", "tests/test_two.py": "def test_two(): pass\n", "tests/data.json": "{}",
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
