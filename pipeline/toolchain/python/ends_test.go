package python

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// TestPythonRunNamesWhatADeathHid: a pytest that dies, or is ended from inside, leaves its
// tests not run and not missing, however little it was asked to print.
func TestPythonRunNamesWhatADeathHid(t *testing.T) {
	cache := pytestCache(t)
	const file = "tests/test_a.py"
	const end = "import os, pytest\n@pytest.fixture(scope='module', autouse=True)\ndef m():\n    yield\n    os._exit(1)\n"
	const tests = "def test_one(): pass\ndef test_two(): pass\n"
	for _, c := range []struct {
		name, addopts, text string
		ended               bool // so that a test that is not named does not exist
		want                map[string]schema.TestOutcome
		crashed             []string
	}{
		{"dies in a test, quietly", "-q", "import os\n" + tests + "def test_dies(): os._exit(3)\ndef test_last(): pass\n",
			true, map[string]schema.TestOutcome{
				"test_one": schema.NotRun, "test_two": schema.NotRun, "test_dies": schema.Error, "test_last": schema.NotRun},
			[]string{file + "::test_dies"}},
		{"dies in what follows the last test", "-qq", end + tests, true,
			map[string]schema.TestOutcome{"test_one": schema.NotRun, "test_two": schema.NotRun}, []string{file + "::test_two"}},
		{"is ended by a test", "", "import pytest\n" + tests + "def test_ends(): pytest.exit('no')\ndef test_last(): pass\n",
			true, map[string]schema.TestOutcome{
				"test_one": schema.Pass, "test_two": schema.Pass, "test_ends": schema.Error, "test_last": schema.NotRun},
			[]string{file + "::test_ends"}},
		{"dies as the file is imported", "-q", "import os\nos._exit(1)\n" + tests, false, map[string]schema.TestOutcome{},
			nil},
		{"options of a plugin that is off", "--ff --lf --nf --lfnf=all --sw --sw-skip", "def test_fails(): assert False\n" +
			tests, true,
			map[string]schema.TestOutcome{"test_fails": schema.Fail, "test_one": schema.Pass, "test_two": schema.Pass}, nil},
		{"a prefix of class names", "--junit-prefix=ours --tb=no", tests, true,
			map[string]schema.TestOutcome{"test_one": schema.Pass, "test_two": schema.Pass}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := kit.Map{"pyproject.toml": "[project]\nname = \"app\"\n[tool.pytest.ini_options]\naddopts = \"" + c.addopts +
				"\"\n", file: c.text}
			w := kittest.Layout(t, map[string]kit.Map{"acme/app": tree})
			r, _ := Toolchain{}.Detect(tree)
			j := kit.Job{Recipe: r, Repository: "acme/app", Tree: tree, Selection: kit.Selection{Files: []string{file}}}
			got, exit := w.RunAny(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
			want := map[string]schema.TestOutcome{}
			for name, o := range c.want {
				want[file+"::"+name] = o
			}
			if d := cmp.Diff(want, kittest.Outcomes(got)); d != "" {
				t.Errorf("exit %d, %+v\n%s", exit, got.Problems, d)
			}
			if d := cmp.Diff(c.crashed, got.Crashed); d != "" {
				t.Error(d)
			}
			if ended := formats.Ended(got, file+"::test_new"); ended != c.ended {
				t.Errorf("ended %v, %+v", ended, got.Ends)
			}
		})
	}
}

// TestPythonRunsOnlyWhatIsThere: a test that is asked for and not there takes no other with it.
func TestPythonRunsOnlyWhatIsThere(t *testing.T) {
	cache := pytestCache(t)
	tree := kit.Map{"pyproject.toml": "[project]\nname = \"app\"\n",
		"test_a.py": "def test_one(): pass\ndef test_two(): pass\n"}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": tree})
	r, _ := Toolchain{}.Detect(tree)
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: tree, Canary: "secret",
		Selection: kit.Selection{Files: []string{"test_a.py"}},
		Only:      []string{"test_a.py::test_two", "test_a.py::test_new"}}
	p := kittest.Plan(t, Toolchain{}, j)
	got, exit := w.Run(t, j, p, "WIDESWE_CACHE="+cache)
	o := kittest.Outcomes(got)
	if exit != 1 || len(o) != 1+kit.CanarySize || o["test_a.py::test_two"] != schema.Pass || !formats.Ended(got,
		"test_a.py::test_new") {
		t.Errorf("exit %d: %v %+v", exit, o, got.Ends)
	}
}
