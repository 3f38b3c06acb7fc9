package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// pytestCache is a cache whose environment is the machine's own pytest.
func pytestCache(t *testing.T) (cache string) {
	t.Helper()
	testscope.Programs(t, "python3")
	python, err := exec.Command("python3", "-c", "import pytest, sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("pytest is not installed")
	}
	cache = t.TempDir()
	if err := os.MkdirAll(filepath.Join(cache, "venv", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec '" + strings.TrimSpace(string(python)) + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(cache, "venv", "bin", "python"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return cache
}

// TestPythonCanaryRuns in a package and beside plain files, under settings that
// stop early and name tests their own way; nothing of it stays.
func TestPythonCanaryRuns(t *testing.T) {
	cache := pytestCache(t)
	tree := kit.Map{
		"pyproject.toml": "[project]\nname = \"app\"\n[tool.pytest.ini_options]\naddopts = \"-x\"\npython_files = " +
			"\"check_*.py\"\npython_functions = \"check_*\"\npython_classes = \"Check\"\n",
		"tests/__init__.py":      "",
		"tests/check_a.py":       "def check_a(): pass\ndef check_b(): assert False\ndef check_c(): pass\n",
		"plain/check_d.py":       "def check_d(): pass\n",
		"plain/sub dir/check.py": "def check_e(): pass\n",
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": tree})
	r, _ := Toolchain{}.Detect(tree)
	files := []string{"tests/check_a.py", "plain/check_d.py::check_d", "plain/sub dir/check.py"}
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: tree, Canary: "secret", Selection: kit.Selection{Files: files}}
	p := kittest.Plan(t, Toolchain{}, j)
	if len(p.Canaries) != len(files) {
		t.Fatalf("%d canaries", len(p.Canaries))
	}
	got, exit := w.Run(t, j, p, "WIDESWE_CACHE="+cache)
	ends := kittest.Outcomes(got)
	for id, want := range map[string]schema.TestOutcome{"tests/check_a.py::check_a": schema.Pass,
		"tests/check_a.py::check_b": schema.Fail,
		"tests/check_a.py::check_c": schema.Pass, "plain/check_d.py::check_d": schema.Pass,
		"plain/sub dir/check.py::check_e": schema.Pass} {
		if ends[id] != want {
			t.Errorf("%s %s, want %s", id, ends[id], want)
		}
		delete(ends, id)
	}
	seen := 0
	for id, o := range ends {
		unit, name := schema.SplitTestID(id)
		for _, c := range p.Canaries {
			if want, ours := c.Want[name]; ours {
				if seen++; o != want || strings.Contains(strings.ToLower(unit+name), "canary") {
					t.Errorf("%s %s, want %s", id, o, want)
				}
			}
		}
	}
	if exit != 1 || seen != len(files)*kit.CanarySize || len(ends) != seen {
		t.Errorf("exit %d, %d canaries ended: %v", exit, seen, ends)
	}
	after, err := kit.OpenDir(filepath.Join(w.Root, "acme/app"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(after.Files(), tree.Files()) {
		t.Errorf("the tree has now %q", after.Files())
	}
}

func TestPythonCanaryIsSecretAndLeavesPlansAlone(t *testing.T) {
	at := func(secret string, env map[string]string, files ...string) kit.Plan {
		return kittest.Plan(t, Toolchain{}, kit.Job{Recipe: schema.Recipe{Toolchain: "python", Env: env},
			Repository: "acme/m", Tree: kit.Map{"t/test_a.py": ""}, Selection: kit.Selection{Files: files}, Canary: secret})
	}
	for _, p := range []kit.Plan{at("", nil, "t/test_a.py"), at("a", map[string]string{kit.CanaryOff: "off"},
		"t/test_a.py"), at("a", nil, "t")} {
		if len(p.Canaries) > 0 || strings.Contains(p.Test, "unittest") {
			t.Errorf("a canary where there is to be none:\n%s", p.Test)
		}
	}
	seen := map[string]bool{}
	for _, secret := range strings.Fields("a b c d e f g h") {
		p := at(secret, nil, "t/test_a.py", "t/test_a.py::test_x")
		n := map[schema.TestOutcome]int{}
		for _, c := range p.Canaries {
			for name, o := range c.Want {
				n[o]++
				if seen[name] {
					t.Errorf("%s comes twice", name)
				}
				seen[name] = true
			}
			if len(c.Want) != kit.CanarySize {
				t.Errorf("canary %v", c.Want)
			}
		}
		if n[schema.Pass] < 2 || n[schema.Fail] < 2 {
			t.Errorf("ends %v", n)
		}
	}
}

// TestPythonCanaryNoticesALiar: code under test that makes every test pass makes
// those pass that can't.
func TestPythonCanaryNoticesALiar(t *testing.T) {
	cache := pytestCache(t)
	tree := kit.Map{
		"pyproject.toml": "[project]\nname = \"app\"\n",
		"app.py": `from _pytest.reports import TestReport
made = TestReport.from_item_and_call.__func__
def liar(cls, item, call):
    report = made(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
TestReport.from_item_and_call = classmethod(liar)
`,
		"test_app.py": "import app\ndef test_app(): assert False\n",
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": tree})
	r, _ := Toolchain{}.Detect(tree)
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: tree, Canary: "secret",
		Selection: kit.Selection{Files: []string{"test_app.py"}}}
	p := kittest.Plan(t, Toolchain{}, j)
	got, _ := w.RunAny(t, j, p, "WIDESWE_CACHE="+cache)
	if kittest.Outcomes(got)["test_app.py::test_app"] != schema.Pass {
		t.Fatalf("it did not lie: %v", got.Results)
	}
	lies := 0
	for id, o := range kittest.Outcomes(got) {
		_, name := schema.SplitTestID(id)
		if want, ours := p.Canaries[0].Want[name]; ours && o != want {
			lies++
		}
	}
	if lies == 0 {
		t.Error("nothing tells")
	}
}
