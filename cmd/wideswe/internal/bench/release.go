package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// writeRelease writes a release of so many tasks of one target, whose tests do work,
// validated in an image that is there.
func writeRelease(ctx context.Context, out string, tasks int, work, salt string, image schema.ImageFile,
	recipe schema.Recipe) error {
	w, err := release.Create(out, release.Guard{})
	if err != nil {
		return err
	}
	defer w.Abort()
	source, err := writeSource(ctx, w, salt)
	if err != nil {
		return err
	}
	rel := schema.Release{Name: "bench", Version: "1", Rules: map[string]string{"export": "1"},
		Sources: []schema.Source{source}}
	rel.Counts.Tasks, rel.Counts.Targets, rel.Counts.Sources = tasks, tasks, 1
	for n := range tasks {
		id := taskID(n)
		rel.Tasks = append(rel.Tasks, schema.ReleaseTask{ID: id, Ecosystem: "bench", Kind: schema.Bugfix,
			Targets: []string{repositoryName}})
		if err := writeTask(w, id, work, source, image, recipe); err != nil {
			return fmt.Errorf("writing the release: %w", err)
		}
	}
	_, err = w.Finish(rel)
	return err
}

func taskID(n int) string { return fmt.Sprintf("bench-%02d", n+1) }

// writeSource packs the tree at base.
func writeSource(ctx context.Context, w *release.Writer, salt string) (schema.Source, error) {
	s := schema.Source{Repository: repositoryName, Commit: strings.Repeat("b", 40)}
	tree, err := os.MkdirTemp("", "wideswe-bench-tree")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(tree)
	var packed bytes.Buffer
	if err := snapshots(baseTree(salt)).Snapshot(ctx, repositoryName, s.Commit, &packed); err != nil {
		return s, err
	}
	dir := filepath.Join(tree, "base")
	if err := workspace.Extract(ctx, &packed, dir); err != nil {
		return s, err
	}
	if s.Tree, err = workspace.TreeHash(ctx, dir); err != nil {
		return s, err
	}
	return s, w.Source(ctx, s, func(o io.Writer) error { return workspace.Tar(ctx, dir, o) })
}

func writeTask(w *release.Writer, id, work string, s schema.Source, image schema.ImageFile,
	recipe schema.Recipe) error {
	dir := "tasks/" + id + "/"
	hidden := dir + "hidden/" + schema.FileName(repositoryName) + "/"
	limits := schema.RunLimits{Seconds: 600, Memory: 1 << 30, CPUs: 1, Pids: 512}
	for _, err := range []error{
		w.Bytes(dir+"prompt.md", []byte("Change the word.\n")),
		w.JSON(dir+"workspace.json", schema.WorkspaceFile{Format: schema.ReleaseFormat, Task: id,
			Repositories: []schema.WorkspaceRepository{{Repository: repositoryName, Commit: s.Commit, Tree: s.Tree}}}),
		w.YAML(dir+"task.yaml", "The task.", schema.TaskFile{Format: schema.ReleaseFormat, Task: id, Ecosystem: "bench",
			Kind: schema.Bugfix,
			Targets: []schema.TaskTarget{{Repository: repositoryName, BaseCommit: s.Commit, BaseTree: s.Tree,
				HiddenFiles: []string{testFile}, GoldFiles: []string{"word"}, F2P: 1, P2P: 1, Limits: limits}}}),
		w.Bytes(hidden+"gold.patch", []byte(goldPatch("gold"))),
		w.Bytes(hidden+"tests/01-tests.patch", []byte(testPatch(work))),
		w.JSON(hidden+"tests.json", schema.TestsFile{Format: schema.ReleaseFormat, Repository: repositoryName,
			F2P: []string{testFile + "::change"}, P2P: []string{testFile + "::rest"}, Repeats: 1}),
		w.YAML(hidden+"recipe.yaml", "How it is tested.", recipe),
		w.YAML(hidden+"image.yaml", "Where it was validated.", image),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// goldPatch solves a bench task in words of its own.
func goldPatch(words string) string {
	return "diff --git a/word b/word\n--- a/word\n+++ b/word\n@@ -1 +1 @@\n-old\n+new word of " + words + "\n"
}

// testPatch adds the hidden test.
func testPatch(work string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(testScript(work), "\n"), "\n")
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d "+
		"@@\n+%[3]s\n", testFile, len(lines), strings.Join(lines, "+"))
}
