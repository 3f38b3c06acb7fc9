package kittest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Setup executes a plan's setup, as an image's build does.
func (w Workspace) Setup(t *testing.T, j kit.Job, p kit.Plan, env ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", strings.Join(append(append([]string{"set -e"}, p.Wire...),
		p.Setup...), "\n"))
	cmd.Dir = filepath.Join(w.Root, j.Repository)
	cmd.Env = append(os.Environ(), "WIDESWE_WORKSPACE="+w.Root, "WIDESWE_REPO="+cmd.Dir, "WIDESWE_TMP="+w.Tmp)
	for k, v := range p.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Env = append(cmd.Env, env...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return string(said)
}

// Same fails where a file of a tree was changed or a new one is there, but below
// folders that the toolchain lays.
func (w Workspace) Same(t *testing.T, repository string, tree kit.Map, laid ...string) {
	t.Helper()
	now, err := kit.OpenDir(filepath.Join(w.Root, repository))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range now.Files() {
		ours := false
		for _, l := range laid {
			ours = ours || strings.HasPrefix(name, l)
		}
		if text, known := tree[name]; !ours && (!known || kit.Read(now, name) != text) {
			t.Errorf("%s: %s was written", repository, name)
		}
	}
}

// Workspace lays trees out as a run sees them.
type Workspace struct{ Root, Tmp string }

// Layout writes trees, by repository, into a workspace of the test's.
func Layout(t *testing.T, trees map[string]kit.Map) Workspace {
	t.Helper()
	w := Workspace{t.TempDir(), t.TempDir()}
	for repository, tree := range trees {
		for name, text := range tree {
			file := filepath.Join(w.Root, repository, name)
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

// Run executes a plan's build and test, whose report and exit code must agree.
func (w Workspace) Run(t *testing.T, j kit.Job, p kit.Plan, env ...string) (testreport.Report, int) {
	t.Helper()
	r, exit := w.RunAny(t, j, p, env...)
	if ok, why := formats.Consistent(r, exit); !ok {
		t.Errorf("inconsistent: %s", why)
	}
	return r, exit
}

// RunAny executes a plan's build and test by the machine's own sh.
func (w Workspace) RunAny(t *testing.T, j kit.Job, p kit.Plan, env ...string) (testreport.Report, int) {
	t.Helper()
	out := t.TempDir()
	lines := append(append(append([]string{"set -e"}, p.Wire...), p.Build...), p.Test)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", strings.Join(lines, "\n"))
	cmd.Dir = filepath.Join(w.Root, j.Repository)
	cmd.Env = append(os.Environ(), "WIDESWE_WORKSPACE="+w.Root, "WIDESWE_REPO="+cmd.Dir, "WIDESWE_TMP="+w.Tmp,
		"WIDESWE_OUT="+out)
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

// Outcomes maps a report's tests to their outcomes.
func Outcomes(r testreport.Report) map[string]schema.TestOutcome {
	m := map[string]schema.TestOutcome{}
	for _, x := range r.Results {
		m[x.ID] = x.Outcome
	}
	return m
}

// Plan plans a job. It fails the test where that fails, where no format reads the plan's
// report, and where the recipe names another toolchain.
func Plan(t *testing.T, tc kit.Toolchain, j kit.Job) kit.Plan {
	t.Helper()
	p, err := tc.Plan(j)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := formats.ByName(p.Report); !ok {
		t.Errorf("the plan's report %q is no format: list it in pipeline/testreport/formats", p.Report)
	}
	if name := j.Recipe.Toolchain; name != "" && name != tc.Name() {
		t.Errorf("the recipe's toolchain is %q, the language's name %q", name, tc.Name())
	}
	checkShuffles(t, tc, j, p)
	return p
}

// checkShuffles holds the fact Shuffles against the plans of a job in two orders.
func checkShuffles(t *testing.T, tc kit.Toolchain, j kit.Job, p kit.Plan) {
	t.Helper()
	if j.Recipe.Test != "" || len(j.Only) > 0 || len(j.Selection.AllFiles()) < 2 {
		return
	}
	j.Shuffle += 7
	other, err := tc.Plan(j)
	if err != nil {
		t.Fatal(err)
	}
	if known, differ := tc.Facts().Shuffles.Known(), other.Test != p.Test; known != differ {
		t.Errorf("%s: the fact Shuffles is known: %v; the plan heeds a job's Shuffle: %v", tc.Name(), known, differ)
	}
}
