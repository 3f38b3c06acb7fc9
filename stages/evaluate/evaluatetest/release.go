// Package evaluatetest has the small release that the tests of evaluation use: two
// tasks on a Go library and a shell program, written without an engine or a network.
package evaluatetest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// The files of the task: the library o/lib adds wrongly, the program o/tool prints a sum
// with it, and both have a test that shows it. o/notes is context.
const (
	LibMod  = "module example.com/lib\n\ngo 1.21\n"
	LibGo   = "package lib\n\nfunc Add(a, b int) int { return a - b }\n"
	LibGold = "package lib\n\nfunc Add(a, b int) int { return a + b }\n"
	LibTest = "package lib\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n" +
		"\tif Add(0, 0) != 0 {\n\t\tt.Error(\"zero\")\n\t}\n}\n"
	LibNew = LibTest + "\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Error(\"sum\")\n\t}\n}\n"

	// OldTest is a test of base that no hidden file and no list needs.
	OldTest = "package old\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {}\n"

	Tool     = "echo sum of nothing\n"
	ToolGold = "if [ $# -gt 0 ]; then echo \"sum of $*\"; else echo sum of nothing; fi\n"
	ToolTest = "#!/bin/sh\n. tests/lib.sh\nplan 1\n" + saysNothing
	ToolNew  = "#!/bin/sh\n. tests/lib.sh\nplan 2\n" + saysNothing +
		"check \"says what\" \"sum of 2 3\" \"$(sh tool.sh 2 3)\"\n"
	TapLib = "n=0\nbad=0\nplan() { echo \"1..$1\"; }\n" +
		"check() { n=$((n+1)); if [ \"$2\" = \"$3\" ]; then echo \"ok $n - $1\"; else echo \"not ok $n - $1\"; " +
		"bad=1; fi; }\n" +
		"trap 'exit $bad' EXIT\n"

	saysNothing = "check \"says nothing\" \"sum of nothing\" \"$(sh tool.sh)\"\n"
)

// The gold patches of o/lib and o/tool.
var (
	GoldLib  = Diff("lib.go", LibGo, LibGold)
	GoldTool = Diff("tool.sh", Tool, ToolGold)
)

// Diff replaces a file's whole content, or makes it where it was empty.
func Diff(path, old, new string) string {
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

// Patches makes a map of repositories and patches in turn.
func Patches(kv ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

// WriteTree writes files into a folder of the test's.
func WriteTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for p, body := range files {
		p = filepath.Join(dir, p)
		check(t, os.MkdirAll(filepath.Dir(p), 0o755))
		check(t, os.WriteFile(p, []byte(body), 0o644))
	}
	return dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Release writes a release of task t1, and t2 which is the same.
func Release(t *testing.T) *release.Release {
	t.Helper()
	return ReleaseFor(t, "")
}

// ReleaseFor is [Release] as if validated on a platform.
func ReleaseFor(t *testing.T, platform string) *release.Release {
	t.Helper()
	return ReleaseWith(t, platform, func(*schema.Recipe, *schema.TestsFile) {})
}

// ReleaseWith lets the caller change o/lib's recipe and lists.
func ReleaseWith(t *testing.T, platform string, change func(*schema.Recipe, *schema.TestsFile)) *release.Release {
	t.Helper()
	out := filepath.Join(t.TempDir(), "release")
	writer, err := release.Create(out, release.Guard{})
	check(t, err)
	defer writer.Abort()
	w := &releaseWriter{t: t, Writer: writer, platform: platform, change: change, dirs: map[string]string{},
		release: schema.Release{Name: "small", Version: "1", Rules: map[string]string{}}}
	w.sources()
	for _, id := range []string{"t1", "t2"} {
		w.task(id)
	}
	_, err = w.Finish(w.release)
	check(t, err)
	r, err := release.Open(out)
	check(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// releaseWriter is a release as it is written.
type releaseWriter struct {
	*release.Writer
	t        *testing.T
	platform string
	change   func(*schema.Recipe, *schema.TestsFile)
	release  schema.Release
	dirs     map[string]string // by repository
}

func (w *releaseWriter) sources() {
	trees := map[string]map[string]string{
		"o/lib": {"go.mod": LibMod, "lib.go": LibGo, "lib_test.go": LibTest, "testdata/wanted.txt": "5\n",
			"old/old_test.go": OldTest},
		"o/tool":  {"tool.sh": Tool, "tests/tool.sh": ToolTest, "tests/lib.sh": TapLib},
		"o/notes": {"notes.txt": "one\n"},
	}
	for i, r := range []string{"o/lib", "o/notes", "o/tool"} {
		dir := WriteTree(w.t, trees[r])
		id, err := workspace.TreeHash(w.t.Context(), dir)
		check(w.t, err)
		s := schema.Source{Repository: r, Commit: strings.Repeat(fmt.Sprint(i), 40), Tree: id}
		w.dirs[r], w.release.Sources = dir, append(w.release.Sources, s)
		check(w.t, w.Source(w.t.Context(), s, func(o io.Writer) error { return workspace.Tar(w.t.Context(), dir, o) }))
	}
}

// hidden is what a target's folder of a task holds.
type hidden struct {
	gold, tests string
	f2p, p2p    []string
	goldFiles   []string
	hiddenFiles []string
}

func targets() map[string]hidden {
	return map[string]hidden{
		"o/lib": {gold: GoldLib, tests: Diff("lib_test.go", LibTest, LibNew),
			f2p: []string{"example.com/lib::TestAdd"}, p2p: []string{"example.com/lib::TestZero"},
			goldFiles: []string{"lib.go"}, hiddenFiles: []string{"lib_test.go"}},
		"o/tool": {gold: GoldTool, tests: Diff("tests/tool.sh", ToolTest, ToolNew),
			f2p: []string{"tests/tool.sh::says what"}, p2p: []string{"tests/tool.sh::says nothing"},
			goldFiles: []string{"tool.sh"}, hiddenFiles: []string{"tests/tool.sh"}},
	}
}

// pulls gives o/lib the pulls 11 and 13 in t1, 21 and 13 in t2; o/tool has 12 and 22.
func pulls(task, repository string) []int {
	first := map[string]int{"t1": 10, "t2": 20}[task]
	if repository == "o/tool" {
		return []int{first + 2}
	}
	return []int{first + 1, 13}
}

func (w *releaseWriter) task(id string) {
	task := schema.TaskFile{Format: 1, Task: id, Ecosystem: "o", Kind: schema.Bugfix, Languages: []string{"Go"}}
	ws := schema.WorkspaceFile{Format: 1, Task: id}
	for _, s := range w.release.Sources {
		ws.Repositories = append(ws.Repositories,
			schema.WorkspaceRepository{Repository: s.Repository, Commit: s.Commit, Tree: s.Tree})
		h, ok := targets()[s.Repository]
		if !ok {
			continue
		}
		task.Targets = append(task.Targets, schema.TaskTarget{Repository: s.Repository, BaseCommit: s.Commit,
			BaseTree: s.Tree, Pulls: pulls(id, s.Repository), GoldFiles: h.goldFiles, HiddenFiles: h.hiddenFiles,
			Platform: w.platform,
			Limits:   schema.RunLimits{Seconds: 60}})
		w.target("tasks/"+id+"/hidden/"+schema.FileName(s.Repository)+"/", s.Repository, h)
	}
	check(w.t, w.Bytes("tasks/"+id+"/prompt.md", []byte("Fix the sum.\n")))
	check(w.t, w.YAML("tasks/"+id+"/task.yaml", "t", task))
	check(w.t, w.JSON("tasks/"+id+"/workspace.json", ws))
	w.release.Tasks = append(w.release.Tasks,
		schema.ReleaseTask{ID: id, Ecosystem: "o", Kind: schema.Bugfix, Targets: []string{"o/lib", "o/tool"}})
}

func (w *releaseWriter) target(dir, repository string, h hidden) {
	tree, err := testrun.DirTree(w.dirs[repository])
	check(w.t, err)
	recipe, _, ok := registry.Detect(tree)
	if !ok {
		w.t.Fatalf("no toolchain for %s", repository)
	}
	tests := schema.TestsFile{Format: 1, Repository: repository, F2P: h.f2p, P2P: h.p2p}
	if repository == "o/lib" {
		w.change(&recipe, &tests)
	}
	check(w.t, w.Bytes(dir+"gold.patch", []byte(h.gold)))
	check(w.t, w.Bytes(dir+"tests/01-upstream.patch", []byte(h.tests)))
	check(w.t, w.JSON(dir+"tests.json", tests))
	check(w.t, w.YAML(dir+"recipe.yaml", "r", recipe))
	check(w.t, w.YAML(dir+"image.yaml", "i", schema.ImageFile{Format: 1}))
}
