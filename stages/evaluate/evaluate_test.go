package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain"
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
	"o/lib":   {"go.mod": libMod, "lib.go": libGo, "lib_test.go": libTest},
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
func makeRelease(t *testing.T) *release.Release {
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
				GoldFiles: h.goldFiles, HiddenFiles: h.hiddenFiles, Limits: schema.RunLimits{Seconds: 60}})
			dir := "tasks/" + id + "/hidden/" + schema.FileName(s.Repository) + "/"
			tree, err := testrun.DirTree(dirs[s.Repository])
			must(err)
			recipe, _, ok := toolchain.Detect(tree)
			if !ok {
				t.Fatalf("no toolchain for %s", s.Repository)
			}
			must(w.Bytes(dir+"gold.patch", []byte(h.gold)))
			must(w.Bytes(dir+"tests/01-upstream.patch", []byte(h.tests)))
			must(w.JSON(dir+"tests.json", schema.TestsFile{Format: 1, Repository: s.Repository, F2P: h.f2p, P2P: h.p2p}))
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
	db, err := store.Open(t.Context(), "", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	backend := sandbox.OpenProcess(t.Context())
	for i := range predictions {
		predictions[i].Model, predictions[i].Attempt = "m", 1
		if predictions[i].Mode == "" {
			predictions[i].Mode = schema.Joint
		}
		if predictions[i].Task == "" {
			predictions[i].Task = "t1"
		}
	}
	return rig{&Stage{DB: db, Release: rel, Predictions: predictions, Out: t.TempDir(), Images: backend, TrustPatches: true, Wait: time.Millisecond,
		Runner: func(l sandbox.Limits) Runner { return &testrun.Runner{Backend: backend, Limits: l} }}, db}
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

func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test and sh a dozen times")
	}
	rel := makeRelease(t)
	breaks := diff("lib.go", libGo, "package lib\n\nfunc Add(a, b int) int {\n\tif a == 0 {\n\t\treturn 1\n\t}\n\treturn a + b\n}\n")
	tests := map[string]struct {
		p      schema.Prediction
		want   map[string]string
		check  func(*testing.T, schema.TaskReport)
		reason string
	}{
		"gold":      {p: schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool", goldTool)}, want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved")},
		"empty":     {p: schema.Prediction{Patches: patches()}, want: patches("", "empty", "o/lib", "empty", "o/tool", "empty")},
		"blank":     {p: schema.Prediction{Patches: patches("o/lib", "\n")}, want: patches("", "empty", "o/lib", "empty", "o/tool", "empty")},
		"one alone": {p: schema.Prediction{Patches: patches("o/lib", goldLib)}, want: patches("", "unresolved", "o/lib", "resolved", "o/tool", "unresolved")},
		"context patched too": {p: schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool", goldTool, "o/notes", diff("notes.txt", "one\n", "two\n"))},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved")},
		"breaks an old test": {p: schema.Prediction{Patches: patches("o/lib", breaks, "o/tool", goldTool)},
			want: patches("", "unresolved", "o/lib", "unresolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				x := r.Targets["o/lib"]
				if x.F2P != (schema.Tally{Passed: 1, Total: 1}) || x.P2P != (schema.Tally{Total: 1}) || x.Failing[0].ID != "example.com/lib::TestZero" {
					t.Errorf("%+v", x)
				}
			}},
		"does not compile": {p: schema.Prediction{Patches: patches("o/lib", diff("lib.go", libGo, "package lib\n\nfunc Add("), "o/tool", goldTool)},
			want: patches("", "unresolved", "o/lib", "unresolved", "o/tool", "resolved"), reason: "build failed"},
		"does not apply": {p: schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool", diff("tool.sh", "something else\n", "x\n"))},
			want: patches("", "patch_failed", "o/lib", "patch_failed", "o/tool", "patch_failed"), reason: "tool.sh"},
		"upwards": {p: schema.Prediction{Patches: patches("o/lib", diff("../evil", "", "x\n"))},
			want: patches("", "patch_unsafe", "o/lib", "patch_unsafe", "o/tool", "patch_unsafe"), reason: "../evil"},
		"a hook": {p: schema.Prediction{Patches: patches("o/notes", diff(".git/hooks/x", "", "x\n"))},
			want: patches("", "patch_unsafe", "o/lib", "patch_unsafe", "o/tool", "patch_unsafe"), reason: ".git/hooks/x"},
		"newline lost": {p: schema.Prediction{Patches: patches("o/lib", strings.TrimSuffix(goldLib, "\n"), "o/tool", goldTool)},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				if d := cmp.Diff([]string{"normalised: o/lib: " + workspace.NormNewline}, r.Flags); d != "" {
					t.Error(d)
				}
			}},
		"rewrote the test": {p: schema.Prediction{Patches: patches("o/lib", diff("lib_test.go", libTest, "package lib\n"), "o/tool", goldTool)},
			want: patches("", "unresolved", "o/lib", "unresolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				if d := cmp.Diff([]string{"lib_test.go"}, r.Targets["o/lib"].Replaced); d != "" {
					t.Error(d)
				}
			}},
		"TestMain says all is well": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib", diff("main_test.go", "",
			"package lib\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n"))},
			want: patches("", "unresolved", "o/lib", "unresolved", "o/tool", "resolved")},
		"TestMain mends what is broken": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			diff("lib.go", libGo, "package lib\n\nvar add = func(a, b int) int { return a - b }\n\nfunc Add(a, b int) int { return add(a, b) }\n")+
				diff("main_test.go", "", "package lib\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tadd = func(a, b int) int { return a + b }\n\tos.Exit(m.Run())\n}\n"))},
			want: patches("", "disputed", "o/lib", "disputed", "o/tool", "resolved"), reason: "main_test.go"},
		"the test helper says ok": {p: schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool",
			diff("tests/lib.sh", tapLib, "n=0\nplan() { echo \"1..$1\"; }\ncheck() { n=$((n+1)); echo \"ok $n - $1\"; }\n"))},
			want: patches("", "disputed", "o/lib", "resolved", "o/tool", "disputed"), reason: "tests/lib.sh"},
		"an honest change of configuration": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib", goldLib+diff("Makefile", "", "all:\n"))},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				if d := cmp.Diff([]string{"runner configuration: o/lib: Makefile"}, r.Flags); d != "" {
					t.Error(d)
				}
			}},
		"independent, good": {p: schema.Prediction{Mode: schema.Independent, Target: "o/lib", Patches: patches("o/lib", goldLib)},
			want: patches("", "missing", "o/lib", "resolved", "o/tool", "missing")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rel, tc.p)
			if _, err := r.run(t); err != nil {
				t.Fatal(err)
			}
			rep := r.report(t)
			got := rep.Tasks["t1"]
			if d := cmp.Diff(tc.want, states(got)); d != "" {
				t.Errorf("%s\n%+v", d, got)
			}
			if all := got.Reason + got.Targets["o/lib"].Reason; !strings.Contains(all, tc.reason) {
				t.Errorf("the reason %q does not name %q", all, tc.reason)
			}
			if rep.Tasks["t2"].Status != schema.StatusMissing || rep.Summary.Tasks != 2 || rep.Summary.Targets != 4 || !rep.Summary.Incomplete {
				t.Errorf("a task without prediction: %+v, %+v", rep.Tasks["t2"], rep.Summary)
			}
			if tc.check != nil {
				tc.check(t, got)
			}
		})
	}
}

// fake is a runner that says what it is told.
type fake struct {
	run    func(q testrun.Request) (*testrun.Report, error)
	images *int
}

func (f fake) Run(_ context.Context, q testrun.Request) (*testrun.Report, error) { return f.run(q) }
func (f fake) Select(testrun.Request) (toolchain.Selection, error) {
	return toolchain.Selection{Files: []string{"x"}}, nil
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

// docker is a sandbox that has no image yet.
type docker struct{}

func (docker) Name() string { return "docker" }
func (docker) ImageID(context.Context, string) (string, error) {
	return "", pipeline.Need("no such image")
}

func fakeRig(t *testing.T, rel *release.Release, run func(testrun.Request) (*testrun.Report, error), p ...schema.Prediction) (rig, *int) {
	r := newRig(t, rel, p...)
	images := 0
	r.Images = docker{}
	r.Runner = func(sandbox.Limits) Runner { return fake{run, &images} }
	return r, &images
}

func TestTroubleOfOursIsInfraAndARerunCompletes(t *testing.T) {
	rel := makeRelease(t)
	down := true
	calls := 0
	r, _ := fakeRig(t, rel, func(q testrun.Request) (*testrun.Report, error) {
		calls++
		if down && calls > 1 {
			return nil, &sandbox.InfraError{Op: "running", Err: errors.New("gone"), Need: "Docker does not answer"}
		}
		return allPass(q)
	}, schema.Prediction{Task: "t1", Patches: patches()}, schema.Prediction{Task: "t2", Patches: patches()})
	_, err := r.run(t)
	var failed *pipeline.FailedItems
	if !errors.As(err, &failed) || failed.Count != 2 {
		t.Fatalf("got %v, want two failed items", err)
	}
	rep := r.report(t)
	if rep.Tasks["t1"].Status != schema.StatusInfra || rep.Tasks["t2"].Status != schema.StatusInfra || !rep.Summary.Incomplete {
		t.Errorf("%+v", rep.Summary)
	}
	if !strings.Contains(rep.Tasks["t1"].Reason, "Docker does not answer") {
		t.Errorf("reason %q", rep.Tasks["t1"].Reason)
	}
	// The second task did not try again what the first had found out.
	if calls != 2 {
		t.Errorf("%d runs, want 2", calls)
	}
	down = false
	if c, err := r.run(t); err != nil || c.Done != 2 {
		t.Fatal(c, err)
	}
	if rep := r.report(t); rep.Summary.TasksResolved != 2 || rep.Summary.Incomplete {
		t.Errorf("%+v", rep.Summary)
	}
	if c, err := r.run(t); err != nil || c.Unchanged != 2 {
		t.Errorf("a third run did something: %v %v", c, err)
	}
}

func TestPassingTroubleIsTriedAgain(t *testing.T) {
	calls := 0
	r, images := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
		if calls++; calls == 1 {
			return nil, &sandbox.InfraError{Op: "copying", Err: errors.New("reset")}
		}
		return allPass(q)
	}, schema.Prediction{Patches: patches()})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if rep := r.report(t); rep.Tasks["t1"].Status != schema.StatusResolved || *images != 2 {
		t.Errorf("%+v, %d images made", rep.Tasks["t1"], *images)
	}
}

func TestChangedPredictionIsJudgedAnew(t *testing.T) {
	rel := makeRelease(t)
	calls := 0
	r, _ := fakeRig(t, rel, func(q testrun.Request) (*testrun.Report, error) { calls++; return allPass(q) },
		schema.Prediction{Task: "t1", Patches: patches()}, schema.Prediction{Task: "t2", Patches: patches()})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	calls = 0
	r.Predictions[1].Patches = patches("o/lib", goldLib)
	if c, err := r.run(t); err != nil || c.Done != 1 || c.Unchanged != 1 || calls != 2 {
		t.Errorf("%+v, %v, %d runs", c, err, calls)
	}
	// A prediction that is gone takes its rows with it.
	r.Predictions = r.Predictions[:1]
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if rep := r.report(t); rep.Tasks["t2"].Status != schema.StatusMissing {
		t.Errorf("%+v", rep.Tasks["t2"])
	}
	rows, err := r.db.Query(t.Context(), "SELECT DISTINCT task_id FROM evaluation_verdicts ORDER BY task_id")
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pipeline.Scan[string](rows, nil)
	if d := cmp.Diff([]string{"t1"}, ids); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestTimeoutIsThePatchsOnlyIfGoldEnds(t *testing.T) {
	hang := &testrun.Report{Attempts: []testrun.Attempt{{Status: testrun.Timeout, Detail: "no end", TimedOut: true}}}
	for name, tc := range map[string]struct {
		goldHangs bool
		want      string
	}{"gold ends": {false, schema.StatusTimeout}, "gold hangs too": {true, schema.StatusInfra}} {
		t.Run(name, func(t *testing.T) {
			r, _ := fakeRig(t, makeRelease(t), func(q testrun.Request) (*testrun.Report, error) {
				if !strings.HasSuffix(q.Workspace, "/gold") || tc.goldHangs {
					return hang, nil
				}
				return allPass(q)
			}, schema.Prediction{Patches: patches("o/lib", goldLib)})
			_, _ = r.run(t)
			if got := r.report(t).Tasks["t1"]; got.Status != tc.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestStatusOfARun(t *testing.T) {
	x := release.Target{Tests: schema.TestsFile{F2P: []string{"u::a"}, P2P: []string{"u::b"}}}
	pass := []schema.TestResult{{ID: "u::a", Outcome: schema.Pass}, {ID: "u::b", Outcome: schema.Pass}}
	tests := map[string]struct {
		attempt testrun.Attempt
		results []schema.TestResult
		want    string
		f2p     int
	}{
		"all pass":              {testrun.Attempt{Status: testrun.OK}, pass, schema.StatusResolved, 1},
		"one missing":           {testrun.Attempt{Status: testrun.OK}, pass[:1], schema.StatusUnresolved, 1},
		"one skipped":           {testrun.Attempt{Status: testrun.OK}, []schema.TestResult{pass[0], {ID: "u::b", Outcome: schema.Skip}}, schema.StatusUnresolved, 1},
		"passes in a bad run":   {testrun.Attempt{Status: testrun.Inconsistent}, pass, schema.StatusInconsistent, 0},
		"passes, then hangs":    {testrun.Attempt{Status: testrun.Timeout}, pass, schema.StatusTimeout, 0},
		"quits with success":    {testrun.Attempt{Status: testrun.NoReport}, nil, schema.StatusInconsistent, 0},
		"quits with an error":   {testrun.Attempt{Status: testrun.NoReport, ExitCode: 1}, nil, schema.StatusUnresolved, 0},
		"crash, all else there": {testrun.Attempt{Status: testrun.Crashed, ExitCode: 2}, pass, schema.StatusResolved, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, _ := judge(&testrun.Report{Attempts: []testrun.Attempt{tc.attempt}, Results: tc.results}, x)
			if r.Status != tc.want || r.F2P.Passed != tc.f2p || r.Resolved != (tc.want == schema.StatusResolved) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestProcessSandboxRefusesStrangers(t *testing.T) {
	rel := makeRelease(t)
	tests := map[string]struct {
		p      schema.Prediction
		trust  bool
		demo   bool
		refuse bool
	}{
		"gold":        {p: schema.Prediction{Patches: patches("o/lib", goldLib)}},
		"empty":       {p: schema.Prediction{Patches: patches("o/lib", " \n")}},
		"stranger":    {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, refuse: true},
		"swapped":     {p: schema.Prediction{Patches: patches("o/tool", goldLib)}, refuse: true},
		"trusted":     {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, trust: true},
		"of the demo": {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, demo: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rel, tc.p)
			images := 0
			r.Runner = func(sandbox.Limits) Runner { return fake{allPass, &images} }
			r.TrustPatches = tc.trust
			r.Trusted = func(schema.Prediction) bool { return tc.demo }
			_, err := r.run(t)
			var usage *pipeline.UsageError
			if errors.As(err, &usage) != tc.refuse {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestReadPredictions(t *testing.T) {
	rel := makeRelease(t)
	ok := `{"task_id":"t1","model_name_or_path":"m","patches":{"o/lib":"d"}}`
	tests := map[string]struct{ text, want string }{
		"not JSON":           {ok + "\n{", "line 2: not a prediction"},
		"unknown task":       {strings.Replace(ok, "t1", "t9", 1), `line 1: unknown task "t9"`},
		"unknown repository": {"\n\n" + strings.Replace(ok, "o/lib", "o/other", 1), `line 3: unknown repository "o/other"`},
		"twice":              {ok + "\n" + strings.Replace(ok, "t1", "t2", 1) + "\n" + ok, "line 3: repeats line 1"},
		"unknown field":      {strings.Replace(ok, `"patches"`, `"x":1,"patches"`, 1), `unknown field "x"`},
		"no patches":         {`{"task_id":"t1","model_name_or_path":"m"}`, "no patches"},
		"no model":           {`{"task_id":"t1","patches":{}}`, "model_name_or_path"},
		"bad mode":           {strings.Replace(ok, `"patches"`, `"mode":"odd","patches"`, 1), `mode "odd"`},
		"no target":          {strings.Replace(ok, `"patches"`, `"mode":"independent","patches"`, 1), "names its target"},
		"context as target":  {strings.Replace(ok, `"patches"`, `"mode":"independent","target":"o/notes","patches"`, 1), "is none of t1"},
		"target of joint":    {strings.Replace(ok, `"patches"`, `"target":"o/lib","patches"`, 1), "mode independent only"},
		"another repository": {strings.Replace(ok, `"patches"`, `"mode":"independent","target":"o/tool","patches"`, 1), `unknown repository "o/lib"`},
		"two values":         {ok + ok, "more than one JSON value"},
		"nothing":            {"\n", "holds no prediction"},
		"bad attempt":        {strings.Replace(ok, `"patches"`, `"attempt":-1,"patches"`, 1), "attempt -1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ReadPredictions(rel, "p.jsonl", strings.NewReader(tc.text))
			var usage *pipeline.UsageError
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
	got, err := ReadPredictions(rel, "p", strings.NewReader(ok+"\r\n"+strings.Replace(ok, `"patches"`, `"attempt":2,"patches"`, 1)))
	want := []schema.Prediction{{Task: "t1", Model: "m", Mode: "joint", Attempt: 1, Patches: patches("o/lib", "d")},
		{Task: "t1", Model: "m", Mode: "joint", Attempt: 2, Patches: patches("o/lib", "d")}}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestRunsOfSeveralModelsAreReportedEach(t *testing.T) {
	rel := makeRelease(t)
	r, _ := fakeRig(t, rel, allPass)
	r.Predictions = []schema.Prediction{
		{Task: "t1", Model: "a/b", Mode: "joint", Attempt: 1, Patches: patches("o/lib", goldLib)},
		{Task: "t1", Model: "a/b", Mode: "joint", Attempt: 2, Patches: patches("o/lib", goldLib)},
		{Task: "t2", Model: "a/b", Mode: "independent", Target: "o/lib", Attempt: 1, Patches: patches("o/lib", goldLib)},
		{Task: "t2", Model: "a/b", Mode: "independent", Target: "o/tool", Attempt: 1, Patches: patches()},
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	rep := r.report(t)
	var got []string
	for _, x := range rep.Runs {
		got = append(got, fmt.Sprintf("%s %d: t1 %s, t2 %s", x.Mode, x.Attempt, x.Tasks["t1"].Status, x.Tasks["t2"].Status))
	}
	want := []string{"joint 1: t1 resolved, t2 missing", "joint 2: t1 resolved, t2 missing", "independent 1: t1 missing, t2 resolved"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(rep.Runs[0].Tasks, rep.Tasks); d != "" {
		t.Error(d)
	}
}

func TestRunnerConfig(t *testing.T) {
	tests := map[string]struct {
		file, before, after string
		want                bool
	}{
		"conftest":                {"a/conftest.py", "", "x", true},
		"pytest section":          {"pyproject.toml", "[project]\nname='x'\n", "[project]\nname='x'\n[tool.pytest.ini_options]\naddopts='-k no'\n", true},
		"dependency in pyproject": {"pyproject.toml", "[project]\ndependencies=[]\n", "[project]\ndependencies=['y']\n", false},
		"scripts":                 {"package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"true"}}`, true},
		"dependency of package":   {"package.json", `{"scripts":{"test":"jest"},"dependencies":{}}`, `{"dependencies":{"a":"1"},"scripts": {"test":"jest"}}`, false},
		"package.json broken":     {"package.json", `{}`, `{`, true},
		"TestMain":                {"p/x_test.go", "", "package p\n\nfunc TestMain(m *testing.M) {}\n", true},
		"init in a test":          {"p/x_test.go", "", "package p\n\nfunc init() {}\n", true},
		"plain test":              {"p/x_test.go", "", "package p\n\nfunc TestX(t *testing.T) {}\n", false},
		"init in the code":        {"p/x.go", "", "package p\n\nfunc init() {}\n", false},
		"pth":                     {"src/evil.pth", "", "import os", true},
		"jest":                    {"web/jest.config.js", "", "x", true},
		"helper of tests":         {"tests/helpers.sh", "", "x", true},
		"folder of helpers":       {"t/lib/tap.sh", "", "x", true},
		"library called tests":    {"pkg/tests.go", "", "x", false},
		"source":                  {"src/helpers/main.py", "", "x", false},
		"workspace of Go":         {"go.work", "", "x", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := runnerConfig(tc.file, []byte(tc.before), []byte(tc.after)); got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
