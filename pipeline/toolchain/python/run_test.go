package python

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// TestPythonRun runs the machine's own pytest in place of the environment's.
func TestPythonRun(t *testing.T) {
	tree := kit.Map{
		"pyproject.toml": "[project]\nname = \"app\"\n", "app.py": "",
		"tests/test_a.py": `import pytest, unittest
@pytest.mark.parametrize("v", ["a b", "c::d", "e[f]", "é", "\x1b[0m"])
def test_p(v): pass
@pytest.mark.xfail
def test_xfail(): assert False
@pytest.mark.xfail(strict=True)
def test_xpass(): pass
@pytest.fixture
def broken():
    yield
    raise RuntimeError("teardown")
def test_teardown(broken): pass
class TestC(unittest.TestCase):
    def test_in_class(self): self.skipTest("no")
`,
		"tests/test_bad.py": "import nothing_of_this_name\n",
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": tree})
	cache := pytestCache(t)
	r, _ := Toolchain{}.Detect(tree)
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: tree, Selection: kit.Selection{Files: []string{"tests/test_a.py",
		"tests/test_bad.py"}}}
	got, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	want := map[string]schema.TestOutcome{
		"tests/test_a.py::test_p[a b]": schema.Pass, "tests/test_a.py::test_p[c::d]": schema.Pass,
		"tests/test_a.py::test_p[e[f]]": schema.Pass,
		`tests/test_a.py::test_p[\xe9]`: schema.Pass, `tests/test_a.py::test_p[\x1b[0m]`: schema.Pass,
		"tests/test_a.py::test_xfail": schema.Skip, "tests/test_a.py::test_xpass": schema.Fail,
		"tests/test_a.py::test_teardown": schema.Error, "tests/test_a.py::TestC::test_in_class": schema.Skip,
	}
	if diff := cmp.Diff(want, kittest.Outcomes(got)); diff != "" || exit == 0 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	if len(got.Problems) != 1 || got.Problems[0].Kind != testreport.CollectionError ||
		got.Problems[0].Unit != "tests/test_bad.py" {
		t.Errorf("problems: %+v", got.Problems)
	}
	dies(t, w, &j, cache)
	j.Skip = []string{"tests/test_a.py::test_p[e[f]]", "tests/test_a.py::test_teardown"}
	got, _ = w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	if o := kittest.Outcomes(got); len(o) != len(want)-2 || o[j.Skip[0]] != schema.Missing {
		t.Errorf("skipped tests ran: %v", o)
	}
}

// dies runs a file whose one test ends the interpreter, and then without it.
func dies(t *testing.T, w kittest.Workspace, j *kit.Job, cache string) {
	t.Helper()
	files := j.Selection.Files
	defer func() { j.Selection.Files, j.Skip = files, nil }()
	const name = "tests/test_dies.py"
	text := "import os\ndef test_one(): pass\ndef test_dies(): os._exit(3)\ndef test_two(): pass\n"
	j.Tree.(kit.Map)[name] = text
	if err := os.WriteFile(filepath.Join(w.Root, j.Repository, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	j.Selection.Files = []string{name}
	first, _ := w.Run(t, *j, kittest.Plan(t, Toolchain{}, *j), "WIDESWE_CACHE="+cache)
	if diff := cmp.Diff([]string{name + "::test_dies"}, first.Crashed); diff != "" {
		t.Fatalf("crashed: -want +got\n%s", diff)
	}
	j.Skip = first.Crashed
	again, _ := w.Run(t, *j, kittest.Plan(t, Toolchain{}, *j), "WIDESWE_CACHE="+cache)
	want := map[string]schema.TestOutcome{name + "::test_one": schema.Pass, name + "::test_two": schema.Pass}
	if diff := cmp.Diff(want, kittest.Outcomes(again)); diff != "" {
		t.Errorf("without the crashed test: -want +got\n%s", diff)
	}
}
