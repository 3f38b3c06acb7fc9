package toolchain

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/schema"
)

// workspace lays trees out as a run sees them.
type workspace struct{ root, tmp string }

func lay(t *testing.T, trees map[string]Map) workspace {
	t.Helper()
	w := workspace{t.TempDir(), t.TempDir()}
	for repository, tree := range trees {
		for name, text := range tree {
			file := filepath.Join(w.root, repository, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

// run executes a plan's build and test, which must tell one story.
func (w workspace) run(t *testing.T, j Job, p Plan, env ...string) (testreport.Report, int) {
	t.Helper()
	r, exit := w.runAny(t, j, p, env...)
	if ok, why := formats.Consistent(r, exit); !ok {
		t.Errorf("inconsistent: %s", why)
	}
	return r, exit
}

// runAny executes a plan's build and test by the machine's own sh.
func (w workspace) runAny(t *testing.T, j Job, p Plan, env ...string) (testreport.Report, int) {
	t.Helper()
	out := t.TempDir()
	lines := append(append(append([]string{"set -e"}, p.Wire...), p.Build...), p.Test)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", strings.Join(lines, "\n"))
	cmd.Dir = filepath.Join(w.root, j.Repository)
	cmd.Env = append(os.Environ(), "WIDESWE_WORKSPACE="+w.root, "WIDESWE_REPO="+cmd.Dir, "WIDESWE_TMP="+w.tmp, "WIDESWE_OUT="+out)
	for k, v := range p.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Env = append(cmd.Env, env...)
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range p.Files {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err == nil {
			files[name] = data
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	r, err := formats.Parse(p.Report, files)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", said)
	return r, cmd.ProcessState.ExitCode()
}

func outcomes(r testreport.Report) map[string]schema.TestOutcome {
	m := map[string]schema.TestOutcome{}
	for _, x := range r.Results {
		m[x.ID] = x.Outcome
	}
	return m
}

func plan(t *testing.T, j Job) Plan {
	t.Helper()
	tc, ok := ByName(j.Recipe.Toolchain)
	if !ok {
		t.Fatalf("no toolchain %q", j.Recipe.Toolchain)
	}
	p, err := tc.Plan(j)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGoRun wires a service to a sibling that was never published, and repeats a
// run whose one subtest brings the others down.
func TestGoRun(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	service := Map{
		"go.mod": "module ex.org/service\n\ngo 1.21\n\nrequire ex.org/lib v0.0.0-20990101000000-abcdefabcdef\n",
		"s/s_test.go": `package s
import ("testing"; "ex.org/lib")
func TestName(t *testing.T) { if lib.Name() != "lib" { t.Fatal(lib.Name()) } }
func TestMany(t *testing.T) {
	for _, n := range []string{"good one", "bad", "other"} {
		n := n
		t.Run(n, func(t *testing.T) { t.Parallel(); if n == "bad" { panic("boom") } })
	}
}
func TestLater(t *testing.T) {}
`,
		"unbuilt/u_test.go": testFile + "func TestU(t *testing.T) { undefined() }\n",
	}
	lib := Map{"go.mod": "module ex.org/lib\n\ngo 1.21\n", "lib.go": "package lib\n\nfunc Name() string { return \"lib\" }\n"}
	w := lay(t, map[string]Map{"acme/service": service, "acme/lib": lib})
	r, tc, _ := Detect(service)
	sel, err := tc.Select(service, r, []string{"s/s_test.go", "unbuilt/u_test.go"})
	if err != nil {
		t.Fatal(err)
	}
	j := Job{Recipe: r, Repository: "acme/service", Tree: service, Selection: sel, Siblings: []Sibling{{"acme/lib", lib}}}
	first, exit := w.run(t, j, plan(t, j), "GOFLAGS=-buildvcs=false")
	if exit == 0 || outcomes(first)["ex.org/service/s::TestName"] != schema.Pass {
		t.Errorf("exit %d, %v, %v", exit, outcomes(first), first.Problems)
	}
	if diff := cmp.Diff([]string{"ex.org/service/s::TestMany/bad"}, first.Crashed); diff != "" {
		t.Errorf("crashed: -want +got\n%s", diff)
	}
	j.Skip = first.Crashed
	again, _ := w.run(t, j, plan(t, j))
	want := map[string]schema.TestOutcome{
		"ex.org/service/s::TestName": schema.Pass, "ex.org/service/s::TestMany": schema.Pass, "ex.org/service/s::TestLater": schema.Pass,
		"ex.org/service/s::TestMany/good_one": schema.Pass, "ex.org/service/s::TestMany/other": schema.Pass,
	}
	if diff := cmp.Diff(want, outcomes(again)); diff != "" {
		t.Errorf("without the crashed test: -want +got\n%s", diff)
	}
	if len(again.Problems) != 1 || again.Problems[0].Kind != testreport.BuildFailed || !strings.Contains(again.Problems[0].Message, "undefined") {
		t.Errorf("problems: %+v", again.Problems)
	}
	if _, err := os.Stat(filepath.Join(w.root, "acme/service/go.sum")); err == nil {
		t.Error("the wiring wrote into the tree")
	}
}

func TestShellRun(t *testing.T) {
	tree := Map{
		"tests/tap.sh": "ok() { n=$((n+1)); echo \"ok $n - $1\"; }\n",
		"tests/a.sh":   ". ./tests/tap.sh\nok first\n[ -z \"$WIDESWE_OUT\" ] && ok hidden\n[ -f \"$WIDESWE_WORKSPACE/acme/lib/x\" ] && ok sibling\necho 1..$n\n",
		"tests/b'c.sh": "echo 1..2\necho ok 1 - one\nexit 3\n",
	}
	w := lay(t, map[string]Map{"acme/tool": tree, "acme/lib": {"x": ""}})
	r, _ := Shell{}.Detect(tree)
	j := Job{Recipe: r, Repository: "acme/tool", Tree: tree, Selection: Selection{Files: []string{"tests/a.sh", "tests/b'c.sh"}}}
	got, exit := w.run(t, j, plan(t, j))
	want := map[string]schema.TestOutcome{"tests/a.sh::first": schema.Pass, "tests/a.sh::hidden": schema.Pass, "tests/a.sh::sibling": schema.Pass, "tests/b'c.sh::one": schema.Pass}
	if diff := cmp.Diff(want, outcomes(got)); diff != "" || exit != 3 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	if len(got.Problems) != 1 || got.Problems[0].Kind != testreport.PlanMismatch {
		t.Errorf("problems: %+v", got.Problems)
	}
}

// TestPythonRun runs the machine's own pytest in place of the environment's.
func TestPythonRun(t *testing.T) {
	tree := Map{
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
	w := lay(t, map[string]Map{"acme/app": tree})
	cache := pytestCache(t)
	r, _ := Python{}.Detect(tree)
	j := Job{Recipe: r, Repository: "acme/app", Tree: tree, Selection: Selection{Files: []string{"tests/test_a.py", "tests/test_bad.py"}}}
	got, exit := w.run(t, j, plan(t, j), "WIDESWE_CACHE="+cache)
	want := map[string]schema.TestOutcome{
		"tests/test_a.py::test_p[a b]": schema.Pass, "tests/test_a.py::test_p[c::d]": schema.Pass, "tests/test_a.py::test_p[e[f]]": schema.Pass,
		`tests/test_a.py::test_p[\xe9]`: schema.Pass, `tests/test_a.py::test_p[\x1b[0m]`: schema.Pass,
		"tests/test_a.py::test_xfail": schema.Skip, "tests/test_a.py::test_xpass": schema.Fail,
		"tests/test_a.py::test_teardown": schema.Error, "tests/test_a.py::TestC::test_in_class": schema.Skip,
	}
	if diff := cmp.Diff(want, outcomes(got)); diff != "" || exit == 0 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	if len(got.Problems) != 1 || got.Problems[0].Kind != testreport.CollectionError || got.Problems[0].Unit != "tests/test_bad.py" {
		t.Errorf("problems: %+v", got.Problems)
	}
	w.dies(t, &j, cache)
	j.Skip = []string{"tests/test_a.py::test_p[e[f]]", "tests/test_a.py::test_teardown"}
	got, _ = w.run(t, j, plan(t, j), "WIDESWE_CACHE="+cache)
	if o := outcomes(got); len(o) != len(want)-2 || o[j.Skip[0]] != schema.Missing {
		t.Errorf("skipped tests ran: %v", o)
	}
}

// dies runs a file whose one test ends the interpreter, and then without it.
func (w workspace) dies(t *testing.T, j *Job, cache string) {
	t.Helper()
	files := j.Selection.Files
	defer func() { j.Selection.Files, j.Skip = files, nil }()
	const name = "tests/test_dies.py"
	text := "import os\ndef test_one(): pass\ndef test_dies(): os._exit(3)\ndef test_two(): pass\n"
	j.Tree.(Map)[name] = text
	if err := os.WriteFile(filepath.Join(w.root, j.Repository, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	j.Selection.Files = []string{name}
	first, _ := w.run(t, *j, plan(t, *j), "WIDESWE_CACHE="+cache)
	if diff := cmp.Diff([]string{name + "::test_dies"}, first.Crashed); diff != "" {
		t.Fatalf("crashed: -want +got\n%s", diff)
	}
	j.Skip = first.Crashed
	again, _ := w.run(t, *j, plan(t, *j), "WIDESWE_CACHE="+cache)
	want := map[string]schema.TestOutcome{name + "::test_one": schema.Pass, name + "::test_two": schema.Pass}
	if diff := cmp.Diff(want, outcomes(again)); diff != "" {
		t.Errorf("without the crashed test: -want +got\n%s", diff)
	}
}
