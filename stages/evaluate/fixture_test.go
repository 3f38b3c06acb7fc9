package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// The task: the library o/lib adds wrongly, the program o/tool prints a sum with
// it, and both have a test that shows it. o/notes is context.
const (
	libMod   = "module example.com/lib\n\ngo 1.21\n"
	libGo    = "package lib\n\nfunc Add(a, b int) int { return a - b }\n"
	libGold  = "package lib\n\nfunc Add(a, b int) int { return a + b }\n"
	libTest  = "package lib\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Error(\"zero\")\n\t}\n}\n"
	libNew   = libTest + "\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Error(\"sum\")\n\t}\n}\n"
	tool     = "echo sum of nothing\n"
	toolGold = "if [ $# -gt 0 ]; then echo \"sum of $*\"; else echo sum of nothing; fi\n"
	toolTest = "#!/bin/sh\n. tests/lib.sh\nplan 1\ncheck \"says nothing\" \"sum of nothing\" \"$(sh tool.sh)\"\n"
	toolNew  = "#!/bin/sh\n. tests/lib.sh\nplan 2\ncheck \"says nothing\" \"sum of nothing\" \"$(sh tool.sh)\"\ncheck \"says what\" \"sum of 2 3\" \"$(sh tool.sh 2 3)\"\n"
	tapLib   = "n=0\nbad=0\nplan() { echo \"1..$1\"; }\ncheck() { n=$((n+1)); if [ \"$2\" = \"$3\" ]; then echo \"ok $n - $1\"; else echo \"not ok $n - $1\"; bad=1; fi; }\ntrap 'exit $bad' EXIT\n"
)

var trees = map[string]map[string]string{
	"o/lib":   {"go.mod": libMod, "lib.go": libGo, "lib_test.go": libTest, "testdata/wanted.txt": "5\n"},
	"o/tool":  {"tool.sh": tool, "tests/tool.sh": toolTest, "tests/lib.sh": tapLib},
	"o/notes": {"notes.txt": "one\n"},
}

// diff replaces a file's whole content, or makes it where it was empty.
func diff(path, old, new string) string {
	lines := func(s string) []string {
		return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%[1]s b/%[1]s\n", path)
	if old == "" {
		fmt.Fprintf(&b, "new file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", path, len(lines(new)))
	} else {
		fmt.Fprintf(&b, "--- a/%[1]s\n+++ b/%[1]s\n@@ -1,%d +1,%d @@\n", path, len(lines(old)), len(lines(new)))
		b.WriteString("-" + strings.Join(lines(old), "\n-") + "\n")
	}
	b.WriteString("+" + strings.Join(lines(new), "\n+") + "\n")
	return b.String()
}

var (
	goldLib  = diff("lib.go", libGo, libGold)
	goldTool = diff("tool.sh", tool, toolGold)
)

func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for p, body := range files {
		p = filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// makeRelease writes a release of task t1, and t2 which is the same.
func makeRelease(t *testing.T) *release.Release { return makeReleaseFor(t, "") }

func makeReleaseFor(t *testing.T, platform string) *release.Release {
	return makeReleaseWith(t, platform, func(*schema.Recipe, *schema.TestsFile) {})
}

// makeReleaseWith lets the caller change o/lib's recipe and lists.
func makeReleaseWith(t *testing.T, platform string, change func(*schema.Recipe, *schema.TestsFile)) *release.Release {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "release")
	w, err := release.Create(out, release.Guard{})
	must(err)
	defer w.Abort()
	rel := schema.Release{Name: "small", Version: "1", Rules: map[string]string{}}
	dirs := map[string]string{}
	for i, r := range []string{"o/lib", "o/notes", "o/tool"} {
		dirs[r] = lay(t, trees[r])
		id, err := workspace.TreeHash(t.Context(), dirs[r])
		must(err)
		s := schema.Source{Repository: r, Commit: strings.Repeat(fmt.Sprint(i), 40), Tree: id}
		rel.Sources = append(rel.Sources, s)
		must(w.Source(t.Context(), s, func(o io.Writer) error { return workspace.Tar(t.Context(), dirs[r], o) }))
	}
	hidden := map[string]struct {
		gold, tests string
		f2p, p2p    []string
		goldFiles   []string
		hiddenFiles []string
	}{
		"o/lib":  {goldLib, diff("lib_test.go", libTest, libNew), []string{"example.com/lib::TestAdd"}, []string{"example.com/lib::TestZero"}, []string{"lib.go"}, []string{"lib_test.go"}},
		"o/tool": {goldTool, diff("tests/tool.sh", toolTest, toolNew), []string{"tests/tool.sh::says what"}, []string{"tests/tool.sh::says nothing"}, []string{"tool.sh"}, []string{"tests/tool.sh"}},
	}
	for _, id := range []string{"t1", "t2"} {
		task := schema.TaskFile{Format: 1, Task: id, Ecosystem: "o", Kind: schema.Bugfix, Languages: []string{"Go"}}
		ws := schema.WorkspaceFile{Format: 1, Task: id}
		for _, s := range rel.Sources {
			ws.Repositories = append(ws.Repositories, schema.WorkspaceRepository{Repository: s.Repository, Commit: s.Commit, Tree: s.Tree})
			h, ok := hidden[s.Repository]
			if !ok {
				continue
			}
			task.Targets = append(task.Targets, schema.TaskTarget{Repository: s.Repository, BaseCommit: s.Commit, BaseTree: s.Tree,
				GoldFiles: h.goldFiles, HiddenFiles: h.hiddenFiles, Platform: platform, Limits: schema.RunLimits{Seconds: 60}})
			dir := "tasks/" + id + "/hidden/" + schema.FileName(s.Repository) + "/"
			tree, err := testrun.DirTree(dirs[s.Repository])
			must(err)
			recipe, _, ok := registry.Detect(tree)
			if !ok {
				t.Fatalf("no toolchain for %s", s.Repository)
			}
			tests := schema.TestsFile{Format: 1, Repository: s.Repository, F2P: h.f2p, P2P: h.p2p}
			if s.Repository == "o/lib" {
				change(&recipe, &tests)
			}
			must(w.Bytes(dir+"gold.patch", []byte(h.gold)))
			must(w.Bytes(dir+"tests/01-upstream.patch", []byte(h.tests)))
			must(w.JSON(dir+"tests.json", tests))
			must(w.YAML(dir+"recipe.yaml", "r", recipe))
			must(w.YAML(dir+"image.yaml", "i", schema.ImageFile{Format: 1}))
		}
		must(w.Bytes("tasks/"+id+"/prompt.md", []byte("Fix the sum.\n")))
		must(w.YAML("tasks/"+id+"/task.yaml", "t", task))
		must(w.JSON("tasks/"+id+"/workspace.json", ws))
		rel.Tasks = append(rel.Tasks, schema.ReleaseTask{ID: id, Ecosystem: "o", Kind: schema.Bugfix, Targets: []string{"o/lib", "o/tool"}})
	}
	_, err = w.Finish(rel)
	must(err)
	r, err := release.Open(out)
	must(err)
	t.Cleanup(func() { r.Close() })
	return r
}

type rig struct {
	*Stage
	db *store.DB
}

func newRig(t *testing.T, rel *release.Release, predictions ...schema.Prediction) rig {
	t.Helper()
	db := storetest.Open(t)
	backend := process.Open(registry.HostCaches(t.Context()))
	for i := range predictions {
		predictions[i].Model, predictions[i].Attempt = "m", 1
		if predictions[i].Mode == "" {
			predictions[i].Mode = schema.Joint
		}
		if predictions[i].Task == "" {
			predictions[i].Task = "t1"
		}
	}
	return rig{&Stage{DB: db, Release: rel, Predictions: predictions, Out: t.TempDir(), Images: backend, TrustPatches: true, Retries: 1, Wait: time.Millisecond,
		Runner: &testrun.Runner{Backend: backend}}, db}
}

func (r rig) run(t *testing.T) (pipeline.Counts, error) {
	t.Helper()
	run := &pipeline.Run{Ledger: r.db, Workers: 1}
	err := pipeline.Execute(t.Context(), r.Stage, run)
	return run.Counts, err
}

func (r rig) report(t *testing.T) schema.Report {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.Out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rep schema.Report
	if err := json.Unmarshal(b, &rep); err != nil {
		t.Fatal(err)
	}
	return rep
}

func patches(kv ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

// states gives a task's state and its targets'.
func states(r schema.TaskReport) map[string]string {
	out := map[string]string{"": r.Status}
	for k, t := range r.Targets {
		out[k] = t.Status
	}
	return out
}

// fake is a runner that says what it is told.
type fake struct {
	run    func(q testrun.Request) (*testrun.Report, error)
	images *int
}

func (f fake) Run(_ context.Context, q testrun.Request) (*testrun.Report, error) { return f.run(q) }
func (f fake) Workspace(q testrun.Request) *testrun.Workspace {
	return (&testrun.Runner{}).Workspace(q)
}
func (f fake) LockedPin(string) (string, error) { return "", nil }
func (f fake) Base(_ context.Context, name string) (testrun.BaseImage, error) {
	return testrun.BaseImage{LockedImage: testrun.LockedImage{Pin: "pin of " + name}}, nil
}
func (f fake) Select(testrun.Request) (kit.Selection, error) {
	return kit.Selection{Files: []string{"x"}}, nil
}
func (f fake) EnsureImage(context.Context, testrun.ImageRequest) (testrun.Image, error) {
	*f.images++
	return testrun.Image{ID: "made"}, nil
}

func allPass(q testrun.Request) (*testrun.Report, error) {
	rep := &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.OK}}}
	for _, id := range slices.Sorted(slices.Values(q.Expected)) {
		rep.Results = append(rep.Results, schema.TestResult{ID: id, Outcome: schema.Pass})
	}
	return rep, nil
}

// withoutImages is a sandbox that has no image yet.
type withoutImages struct{}

func (withoutImages) Name() string { return "docker" }
func (withoutImages) Host(context.Context) (sandbox.Host, error) {
	return sandbox.Host{Platform: "linux/amd64"}, nil
}
func (withoutImages) ImageID(context.Context, string) (string, error) {
	return "", &sandbox.MissingImageError{Name: "any"}
}

func fakeRig(t *testing.T, rel *release.Release, run func(testrun.Request) (*testrun.Report, error), p ...schema.Prediction) (rig, *int) {
	r := newRig(t, rel, p...)
	images := 0
	r.Images = withoutImages{}
	r.Runner = fake{run, &images}
	return r, &images
}

// column gives a query's one column.
func (r rig) column(t *testing.T, q string) []string {
	t.Helper()
	rows, err := r.db.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
