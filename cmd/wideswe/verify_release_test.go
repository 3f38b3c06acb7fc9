package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/pipeline/estimate"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/reproduce"
)

// smallTask is a task of a release made for a test: a repository whose hidden test
// looks for a word that gold writes, and others like it where more targets are named.
type smallTask struct {
	id, gold string // what gold writes
	looks    string // what the hidden test looks for
	image    schema.ImageFile
	more     map[string]schema.ImageFile // names of further targets
}

// smallRelease writes a release with its sources.
func smallRelease(t *testing.T, out string, tasks ...smallTask) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := release.Create(out, release.Guard{})
	must(err)
	defer w.Abort()
	rel := schema.Release{Name: "small", Version: "1", Rules: map[string]string{"export": "1"}}
	for i, x := range tasks {
		dir := "tasks/" + x.id + "/"
		work := schema.WorkspaceFile{Format: 1, Task: x.id}
		file := schema.TaskFile{Format: 1, Task: x.id, Ecosystem: "o", Kind: schema.Bugfix}
		line := schema.ReleaseTask{ID: x.id, Ecosystem: "o", Kind: schema.Bugfix}
		images := map[string]schema.ImageFile{x.id: x.image}
		maps.Copy(images, x.more)
		for _, name := range slices.Sorted(maps.Keys(images)) {
			s := x.target(t, w, "o/"+name, strings.Repeat(fmt.Sprint(i+1), 40), images[name])
			rel.Sources = append(rel.Sources, s)
			line.Targets = append(line.Targets, s.Repository)
			work.Repositories = append(work.Repositories, schema.WorkspaceRepository{Repository: s.Repository, Commit: s.Commit,
				Tree: s.Tree})
			file.Targets = append(file.Targets, schema.TaskTarget{Repository: s.Repository, BaseCommit: s.Commit,
				BaseTree:    s.Tree,
				HiddenFiles: []string{"tests/word.sh"}, F2P: 1, Limits: schema.RunLimits{Seconds: 60, Memory: 1 << 30, CPUs: 1,
					Pids: 100}, GoldSeconds: 30})
		}
		rel.Tasks = append(rel.Tasks, line)
		must(w.Bytes(dir+"prompt.md", []byte("Do it.\n")))
		must(w.JSON(dir+"workspace.json", work))
		must(w.YAML(dir+"task.yaml", "It.", file))
	}
	_, err = w.Finish(rel)
	must(err)
}

// target writes one of a task's targets.
func (x smallTask) target(t *testing.T, w *release.Writer, repository, commit string,
	img schema.ImageFile) schema.Source {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tree := t.TempDir()
	must(os.WriteFile(filepath.Join(tree, "word"), []byte("old\n"), 0o644))
	hash, err := workspace.TreeHash(t.Context(), tree)
	must(err)
	s := schema.Source{Repository: repository, Commit: commit, Tree: hash}
	must(w.Source(t.Context(), s, func(o io.Writer) error { return workspace.Tar(t.Context(), tree, o) }))
	hidden := "tasks/" + x.id + "/hidden/" + schema.FileName(repository) + "/"
	must(w.Bytes(hidden+"gold.patch", fmt.Appendf(nil,
		"diff --git a/word b/word\n--- a/word\n+++ b/word\n@@ -1 +1 @@\n-old\n+%s\n", x.gold)))
	test := fmt.Sprintf("#!/bin/sh\necho 1..1\nif grep -q %s word; then echo 'ok 1 - word'; else echo 'not ok 1 - "+
		"word'; fi\n", x.looks)
	must(w.Bytes(hidden+"tests/01-tests.patch", fmt.Appendf(nil,
		"diff --git a/tests/word.sh b/tests/word.sh\nnew file mode 100644\n--- /dev/null\n+++ b/tests/word.sh\n@@ -0,0 "+
			"+1,3 @@\n+%s\n",
		strings.Join(strings.SplitAfter(strings.TrimSuffix(test, "\n"), "\n"), "+"))))
	must(w.JSON(hidden+"tests.json", schema.TestsFile{Format: 1, Repository: repository,
		F2P: []string{"tests/word.sh::word"}}))
	must(w.YAML(hidden+"recipe.yaml", "How.", schema.Recipe{Toolchain: "shell", Image: "debian:trixie", Report: "tap",
		Packages: []string{}}))
	img.Format = 1
	if img.ID == "" { // as the process sandbox leaves it
		img.Image, img.ID = "process", "process"
	}
	must(w.YAML(hidden+"image.yaml", "Where.", img))
	return s
}

// words runs a command line as a person does.
func words(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

func TestVerifyNamesTheTasksThatDoNotReproduce(t *testing.T) {
	testscope.NotShort(t, "it runs the whole program")
	dir := t.TempDir()
	rel := filepath.Join(dir, "release")
	smallRelease(t, rel, smallTask{id: "good", gold: "new", looks: "new"}, smallTask{id: "goldless", gold: "new",
		looks: "other"}, smallTask{id: "idle", gold: "old and new", looks: "old"})
	code, out, errOut := words(t, "verify", "--release", rel, "--sandbox", "process", "--out", filepath.Join(dir, "out"))
	if code != exit.Failed {
		t.Fatalf("exit %d: %s %s", code, out, errOut)
	}
	for _, want := range []string{"goldless: does not reproduce: gold does not resolve it: unresolved",
		"tests/word.sh::word", "idle: does not reproduce: nothing at all resolves it", "1 of 3 tasks reproduce here"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "good:") || !strings.Contains(errOut, "2 of 3 tasks don't reproduce here") {
		t.Errorf("%s\n%s", out, errOut)
	}
	code, out, _ = words(t, "verify", "--release", rel, "--sandbox", "process", "--out", filepath.Join(dir, "out"),
		"--json")
	var said struct {
		Reproduces bool
		Tasks      []reproduce.Proof
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || code != exit.Failed || said.Reproduces ||
		len(said.Tasks) != 3 || !said.Tasks[0].Reproduces {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
	if code, out, errOut = words(t, "verify", "--release", rel, "--sandbox", "process", "--out", filepath.Join(dir, "one"),
		"--tasks", "good"); code != exit.Done || !strings.Contains(out, "1 of 1 tasks") {
		t.Errorf("one task: exit %d: %s %s", code, out, errOut)
	}
	smallRelease(t, rel, smallTask{id: "good", gold: "new", looks: "new"})
	if code, out, errOut = words(t, "verify", "--release", rel, "--sandbox", "process", "--out", filepath.Join(dir,
		"fresh")); code != exit.Done || !strings.Contains(out, "1 of 1 tasks reproduce here") {
		t.Errorf("exit %d: %s %s", code, out, errOut)
	}
}

// Without an engine nothing is known of a task, and the exit code says what is needed.
func TestVerifyWithoutAnEngine(t *testing.T) {
	dir := t.TempDir()
	rel := filepath.Join(dir, "release")
	smallRelease(t, rel, smallTask{id: "good", gold: "new", looks: "new"})
	t.Setenv("DOCKER_HOST", "unix://"+dir+"/none.sock")
	code, out, errOut := words(t, "verify", "--release", rel, "--out", filepath.Join(dir, "out"))
	if code != exit.Missing || !strings.Contains(out, "good: not known yet") || !strings.Contains(errOut,
		"Docker does not answer") {
		t.Errorf("exit %d: %s %s", code, out, errOut)
	}
}

// A release that lies elsewhere, with the first place gone, evaluates; one with a
// damaged tree does not.
func TestAMovedReleaseEvaluatesAndADamagedTreeDoesNot(t *testing.T) {
	dir := t.TempDir()
	first, rel := filepath.Join(dir, "release"), filepath.Join(dir, "elsewhere", "r")
	smallRelease(t, first, smallTask{id: "good", gold: "new", looks: "new"})
	if err := os.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(first, rel); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if code, o, e := words(t, "evaluate", "--release", rel, "--predictions", "gold", "--out", out, "--sandbox",
		"process"); code != exit.Done {
		t.Fatalf("exit %d: %s %s", code, o, e)
	}
	if code, o, e := words(t, "report", "--release", rel, "--evaluation", out); code != exit.Done {
		t.Errorf("exit %d: %s %s", code, o, e)
	}
	files, err := filepath.Glob(rel + "/sources/*.tar.zst")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string) {
		t.Helper()
		for _, args := range [][]string{{"evaluate", "--predictions", "gold", "--out", filepath.Join(dir, "again"),
			"--sandbox", "process"},
			{"verify", "--out", filepath.Join(dir, "again"), "--sandbox", "process"}, {"release", "verify"}} {
			if code, _, e := words(t, append(args, "--release", rel)...); code != exit.Usage || !strings.Contains(e, name) {
				t.Errorf("%s: exit %d: %s", args[0], code, e)
			}
		}
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(files[0], b, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(filepath.Base(files[0]))
	b[len(b)/2] ^= 1
	archive := filepath.Join(rel, "images/images.tar.zst")
	if err := errors.Join(os.WriteFile(files[0], b, 0o644), os.Mkdir(filepath.Dir(archive), 0o755), os.WriteFile(archive,
		b, 0o644),
		os.WriteFile(filepath.Join(rel, "images/SHA256SUMS"), fmt.Appendf(nil, "%s  images.tar.zst\n", strings.Repeat("0",
			64)), 0o644)); err != nil {
		t.Fatal(err)
	}
	refused("images/images.tar.zst")
}

func TestEstimateAddsUpWhatTheReleaseSays(t *testing.T) {
	dir := t.TempDir()
	rel := filepath.Join(dir, "release")
	smallRelease(t, rel, smallTask{id: "a", gold: "new", looks: "new"}, smallTask{id: "b", gold: "new", looks: "new"})
	predictions := filepath.Join(dir, "p.jsonl")
	line := `{"task_id": %q, "model_name_or_path": %q, "patches": {"o/%s": "diff --git a/word b/word\n--- a/word\n+++ ` +
		`b/word\n@@ -1 +1 @@\n-old\n+%s\n"}}` + "\n"
	if err := os.WriteFile(predictions, fmt.Appendf(nil, line+line+line, "a", "m", "a", "x", "a", "n", "a", "x", "a", "o",
		"a", "y"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want estimate.Estimate
	}{
		// 3 agents, 2 attempts, 2 tasks of 30 s and 1 s beside; limit 150 s, twice.
		{[]string{"--agents", "3", "--attempts", "2", "--workers", "2"}, estimate.Estimate{Tasks: 2, Targets: 2,
			Predictions: 12, Containers: 12, MostContainer: 24, Workers: 2,
			Hours: 12 * 31.0 / 3600 / 2, MostHours: 12 * 2 * 151.0 / 3600 / 2, ImagesKnown: true}},
		{[]string{"--tasks", "b"}, estimate.Estimate{Tasks: 1, Targets: 1, Predictions: 1, Containers: 1, MostContainer: 2,
			Workers: 1, Hours: 31.0 / 3600, MostHours: 2 * 151.0 / 3600, ImagesKnown: true}},
		{[]string{"--predictions", predictions}, estimate.Estimate{Tasks: 1, Targets: 1, Predictions: 3, Repeated: 1,
			Containers: 2, MostContainer: 4, Workers: 1,
			Hours: 2 * 31.0 / 3600, MostHours: 2 * 2 * 151.0 / 3600, ImagesKnown: true}},
	} {
		code, out, errOut := words(t, append([]string{"estimate", "--release", rel, "--json"}, c.args...)...)
		var got estimate.Estimate
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != exit.Done {
			t.Fatalf("exit %d: %v %s %s", code, err, out, errOut)
		}
		if got.SourceBytes == 0 || got.TreeBytes == 0 {
			t.Errorf("no bytes: %+v", got)
		}
		got.SourceBytes, got.TreeBytes = 0, 0
		if got.Hours-c.want.Hours > 1e-9 || c.want.Hours-got.Hours > 1e-9 || got.MostHours-c.want.MostHours > 1e-9 ||
			c.want.MostHours-got.MostHours > 1e-9 {
			t.Errorf("hours %v, %v; want %v, %v", got.Hours, got.MostHours, c.want.Hours, c.want.MostHours)
		}
		got.Hours, got.MostHours, c.want.Hours, c.want.MostHours = 0, 0, 0, 0
		if got != c.want {
			t.Errorf("got  %+v\nwant %+v", got, c.want)
		}
	}
	code, out, _ := words(t, "estimate", "--release", rel, "--agents", "2", "--mode", "independent")
	for _, want := range []string{"2, with 2 targets", "containers  4, and at most 8", "process sandbox",
		"of packed trees"} {
		if code != exit.Done || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in:\n%s", code, want, out)
		}
	}
	if code, _, e := words(t, "release", "images", "save", "--release", rel); code != exit.Usage || !strings.Contains(e,
		"the process sandbox has none") {
		t.Errorf("saving the images of processes: exit %d: %s", code, e)
	}
}
