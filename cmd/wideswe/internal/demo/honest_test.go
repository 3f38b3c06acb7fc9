package demo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	evaluatecmd "github.com/wideswe/wideswe/cmd/wideswe/internal/evaluate"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// honest is a solution of one of the demo's tasks, written from its prompt and its
// repositories alone: testdata/honest/NAME.txtar. Files are whole, and named
// NAME/PATH for lanternworks/NAME.
type honest struct {
	Name       string   `yaml:"-"`
	What       string   `yaml:"what"` // what sets it apart from gold
	Task       string   `yaml:"task"`
	Mode       string   `yaml:"mode"` // joint, if empty
	Executable []string `yaml:"executable"`
	CRLF       []string `yaml:"crlf"` // files whose lines end as on Windows
	Delete     []string `yaml:"delete"`
	files      []txtar.File
}

func honestSolutions(t *testing.T) (list []honest) {
	t.Helper()
	names, err := filepath.Glob("testdata/honest/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		h := honest{Name: strings.TrimSuffix(filepath.Base(name), ".txtar"), files: a.Files}
		if err := yaml.UnmarshalWithOptions(a.Comment, &h, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, h)
	}
	return list
}

// patches does the work in a workspace, as an agent gets it, and gives git's diff of
// each repository that it changed.
func (h honest) patches(t *testing.T, rel *release.Release) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "workspace")
	if err := rel.Workspace(t.Context(), h.Task, schema.Joint, "", dir); err != nil {
		t.Fatalf("%s: %v", h.Name, err)
	}
	h.work(t, filepath.Join(dir, "lanternworks"))
	out := map[string]string{}
	repositories, err := os.ReadDir(filepath.Join(dir, "lanternworks"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range repositories {
		at := filepath.Join(dir, "lanternworks", r.Name())
		gitIn(t, at, "add", "--all")
		if diff := gitIn(t, at, "diff", "--cached", "--binary"); diff != "" {
			out["lanternworks/"+r.Name()] = diff
		}
	}
	return out
}

// work lays the files, and changes modes and line ends.
func (h honest) work(t *testing.T, dir string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", h.Name, err)
		}
	}
	for _, p := range h.Delete {
		check(root.Remove(p))
	}
	for _, f := range h.files {
		check(root.MkdirAll(filepath.Dir(f.Name), 0o755))
		check(root.WriteFile(f.Name, f.Data, 0o644)) // a file that is there keeps its mode
	}
	for _, p := range h.CRLF {
		text, err := root.ReadFile(p)
		check(err)
		check(root.WriteFile(p, []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), 0o644))
	}
	for _, p := range h.Executable {
		check(root.Chmod(p, 0o755))
	}
}

// predictions are one a repository in independent mode, else one.
func (h honest) predictions(t *testing.T, rel *release.Release) (list []schema.Prediction) {
	t.Helper()
	patches := h.patches(t, rel)
	task, err := rel.Task(h.Task)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range task.Targets {
		if patches[x.Repository] == "" {
			t.Errorf("%s has no patch for %s", h.Name, x.Repository)
		}
	}
	if h.Mode != schema.Independent {
		return []schema.Prediction{{Task: h.Task, Model: h.Name, Mode: schema.Joint, Attempt: 1, Patches: patches}}
	}
	for repository, patch := range patches {
		list = append(list, schema.Prediction{Task: h.Task, Model: h.Name, Mode: h.Mode, Attempt: 1, Target: repository,
			Patches: map[string]string{repository: patch}})
	}
	return list
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// TestHonestSolutionsOfTheDemo evaluates every solution of testdata/honest at once.
// All are resolved: what people do beside the change, or otherwise than gold does,
// costs nobody a task.
func TestHonestSolutionsOfTheDemo(t *testing.T) {
	list, perTask := honestSolutions(t), map[string]int{}
	for _, h := range list {
		perTask[h.Task]++
	}
	if len(list) < 20 || len(perTask) < 4 {
		t.Errorf("%d solutions of %d tasks; some are lost", len(list), len(perTask))
	}
	rep := evaluateHonest(t, walkDemo(t, "export"), list)
	for _, h := range list {
		t.Run(h.Name, func(t *testing.T) {
			if r := rep.Verdict(h.Name, h.Task); !r.Resolved || r.Status != schema.StatusResolved {
				t.Errorf("%s: %s (%s)\n%s\n%+v", h.What, r.Status, r.Reason, strings.Join(r.Flags, "\n"), r.Targets)
			}
		})
	}
}

// evaluateHonest evaluates solutions on the release of the demo that was walked.
func evaluateHonest(t *testing.T, e *env.Env, list []honest) schema.Report {
	t.Helper()
	cur, err := e.Curator()
	if err != nil {
		t.Fatal(err)
	}
	o := evaluatecmd.Options{Release: cur.Release(), Out: filepath.Join(t.TempDir(), "evaluation"), Sandbox: "process",
		Workers: 2, TrustPatches: true}
	rel, err := e.OpenRelease(o.Release)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		o.Given = append(o.Given, h.predictions(t, rel)...)
	}
	if err := evaluatecmd.Run(t.Context(), e, o); err != nil {
		t.Fatal(err)
	}
	rep, err := results.ReadReport(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}
