package release

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// hosts gives the trees of a few repositories as git mirrors do.
type hosts map[string]string // owner/name → folder

func (h hosts) Snapshot(ctx context.Context, repository, _ string, w io.Writer) error {
	return workspace.Tar(ctx, h[repository], w)
}

func folder(t *testing.T, files map[string]string) string {
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

const goldPatch = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"

func commitOf(c string) string { return strings.Repeat(c, 40) }

// sample writes a release of one task: targets o/a and o/b, context o/c.
func sample(t *testing.T, out string, withSources bool) (hosts, schema.Release) {
	t.Helper()
	trees := hosts{"o/a": folder(t, map[string]string{"a.txt": "one\n", ".gitignore": "*\n"}),
		"o/b": folder(t, map[string]string{"b.txt": "one\n"}), "o/c": folder(t, map[string]string{"c.txt": "one\n"})}
	w, err := Create(out, Guard{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	rel := schema.Release{Name: "sample", Version: "1", Rules: map[string]string{"export": "1"},
		Tasks: []schema.ReleaseTask{{ID: "t1", Ecosystem: "e", Kind: schema.Bugfix, Targets: []string{"o/a", "o/b"}}}}
	task := schema.TaskFile{Format: 1, Task: "t1", Ecosystem: "e", Kind: schema.Bugfix,
		Title: "colon: and 'quotes'\n- list", Languages: []string{"Go"}}
	ws := schema.WorkspaceFile{Format: 1, Task: "t1"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []string{"o/a", "o/b", "o/c"} {
		tree, err := workspace.TreeHash(t.Context(), trees[r])
		must(err)
		s := schema.Source{Repository: r, Commit: commitOf(r[2:]), Tree: tree}
		rel.Sources = append(rel.Sources, s)
		ws.Repositories = append(ws.Repositories, schema.WorkspaceRepository{Repository: r, Commit: s.Commit, Tree: tree})
		if withSources {
			must(w.Source(t.Context(), s, func(o io.Writer) error { return trees.Snapshot(t.Context(), r, s.Commit, o) }))
		}
		if r == "o/c" {
			continue
		}
		task.Targets = append(task.Targets, schema.TaskTarget{Repository: r, BaseCommit: s.Commit, BaseTree: tree})
		h := "tasks/t1/hidden/" + schema.FileName(r) + "/"
		must(w.Bytes(h+"gold.patch", []byte(goldPatch)))
		must(w.Bytes(h+"tests/02-b.patch", []byte("two")))
		must(w.Bytes(h+"tests/01-a.patch", []byte("one")))
		must(w.JSON(h+"tests.json", schema.TestsFile{Format: 1, Repository: r, F2P: []string{"u::T<1>"}}))
		must(w.YAML(h+"recipe.yaml", "How it is tested.", schema.Recipe{Toolchain: "go"}))
		must(w.YAML(h+"image.yaml", "Where it was validated.", schema.ImageFile{Format: 1, Image: "x"}))
	}
	must(w.Bytes("tasks/t1/prompt.md", []byte("Do it.\n")))
	must(w.YAML("tasks/t1/task.yaml", "What the task is.", task))
	must(w.JSON("tasks/t1/workspace.json", ws))
	_, err = w.Finish(rel)
	must(err)
	return trees, rel
}

func TestWriteThenRead(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	sample(t, out, true)
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	task, err := r.Task("t1")
	if err != nil {
		t.Fatal(err)
	}
	if task.Title != "colon: and 'quotes'\n- list" || task.Prompt != "Do it.\n" {
		t.Errorf("title %q, prompt %q", task.Title, task.Prompt)
	}
	h := task.Hidden[0]
	want := []workspace.Layer{{Name: "01-a", Patch: []byte("one")}, {Name: "02-b", Patch: []byte("two")}}
	if d := cmp.Diff(want, h.Layers); d != "" {
		t.Error(d)
	}
	if string(h.Gold) != goldPatch || h.Tests.F2P[0] != "u::T<1>" || h.Recipe.Toolchain != "go" || h.Image.Image != "x" {
		t.Errorf("hidden part: %+v", h)
	}
	if _, err := r.Task("t2"); err == nil {
		t.Error("an unknown task was read")
	}
}

func TestOpenRefusesDamage(t *testing.T) {
	tests := map[string]struct {
		do   func(dir string) error
		want string
	}{
		"one byte changed": {func(d string) error {
			return os.WriteFile(d+"/tasks/t1/prompt.md", []byte("Do it!\n"), 0o644)
		}, "tasks/t1/prompt.md is not the file"},
		"a file gone": {func(d string) error { return os.Remove(d + "/tasks/t1/task.yaml") },
			"tasks/t1/task.yaml is missing"},
		"a file added": {func(d string) error { return os.WriteFile(d+"/tasks/t1/x", nil, 0o644) },
			"tasks/t1/x does not belong"},
		"a source added": {func(d string) error { return os.WriteFile(d+"/sources/x.tar.zst", nil, 0o644) },
			"sources/x.tar.zst does not belong"},
		"a link for a file": {func(d string) error {
			os.Remove(d + "/tasks/t1/prompt.md")
			return os.Symlink("/etc/passwd", d+"/tasks/t1/prompt.md")
		}, "is damaged: tasks/t1/prompt.md is no regular file"},
		"unknown format": {func(d string) error { return edit(d, `"format": 1`, `"format": 9`) }, "format 9"},
		"unknown field":  {func(d string) error { return edit(d, `"format": 1`, `"format": 1, "odd": 2`) }, "odd"},
		"named outside":  {func(d string) error { return edit(d, `"files": {`, `"files": {"../x": "00",`) }, "../x"},
		"inside a folder": {func(d string) error {
			return errors.Join(os.Rename(d, d+"-"), os.Mkdir(d, 0o755), os.Rename(d+"-", d+"/release"))
		}, "/r/release"},
		"a file": {func(d string) error {
			return errors.Join(os.RemoveAll(d), os.WriteFile(d, nil, 0o644))
		}, "is a file; give the folder that export wrote"},
		"no release": {func(d string) error { return os.Remove(d + "/release.json") },
			"holds no release.json, so it is no release; wideswe export writes one"},
		"not JSON": {func(d string) error { return edit(d, `{`, `x`) }, "not JSON"},
		"no checksum": {func(d string) error { return os.Remove(d + "/release.json.sha256") },
			"release.json.sha256 is missing"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "r")
			sample(t, out, true)
			if err := tc.do(out); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(out); !isUsage(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want a person's error with %q", err, tc.want)
			}
		})
	}
}

func isUsage(err error) bool {
	var u *pipeline.UsageError
	return errors.As(err, &u)
}

func edit(dir, old, new string) error {
	b, err := os.ReadFile(dir + "/release.json")
	if err != nil {
		return err
	}
	b = bytes.Replace(b, []byte(old), []byte(new), 1)
	// By whoever wrote it: its checksum is right.
	return errors.Join(os.WriteFile(dir+"/release.json", b, 0o644), writeSums(dir, indexSums,
		map[string]string{indexName: digest(b)}))
}

func TestSameInputSameBytes(t *testing.T) {
	var sums []string
	for range 2 {
		out := filepath.Join(t.TempDir(), "r")
		sample(t, out, true)
		r, err := Open(out)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, r.SHA256)
		r.Close()
	}
	if sums[0] != sums[1] {
		t.Errorf("two exports differ: %v", sums)
	}
}

func TestFetchProvesTrees(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	trees, _ := sample(t, out, false)
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var need *pipeline.NeedError
	if err := r.Workspace(t.Context(), "t1", ScopeJoint, "", filepath.Join(t.TempDir(), "w")); !errors.As(err, &need) {
		t.Errorf("got %v, want a sentence that names release fetch", err)
	}
	wrong := hosts{"o/a": trees["o/b"]}
	if err := r.Fetch(t.Context(), wrong, nil); err == nil {
		t.Error("a tree that is not the pinned one was accepted")
	}
	if n := len(r.MissingSources()); n != 3 {
		t.Errorf("%d sources missing after a refused fetch, want 3", n)
	}
	if err := r.Fetch(t.Context(), trees, nil); err != nil {
		t.Fatal(err)
	}
	if n := len(r.MissingSources()); n != 0 {
		t.Errorf("%d sources missing after the fetch", n)
	}
	again, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestChangedSourceIsRefused(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	_, rel := sample(t, out, true)
	a, b := rel.Sources[0].File(), rel.Sources[1].File()
	bytes, err := os.ReadFile(filepath.Join(out, b))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, a), bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Extract(t.Context(), rel.Sources[0], filepath.Join(t.TempDir(), "x")); err == nil ||
		!strings.Contains(err.Error(), a) {
		t.Errorf("got %v, want an error that names %s", err, a)
	}
}

func TestWorkspace(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	sample(t, out, true)
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	tests := map[string]struct {
		scope, target string
		want          []string
		fails         bool
	}{
		"joint": {scope: ScopeJoint, want: []string{"o/a/.gitignore", "o/a/a.txt", "o/b/b.txt", "o/c/c.txt",
			"prompt.md", "workspace.json"}},
		"involved": {scope: ScopeInvolved, want: []string{"o/a/.gitignore", "o/a/a.txt", "o/b/b.txt", "prompt.md",
			"workspace.json"}},
		"one target":    {scope: ScopeIndependent, target: "o/b", want: []string{"o/b/b.txt", "prompt.md", "workspace.json"}},
		"context alone": {scope: ScopeIndependent, target: "o/c", fails: true},
		"odd":           {scope: "odd", fails: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "w")
			err := r.Workspace(t.Context(), "t1", tc.scope, tc.target, dir)
			if (err != nil) != tc.fails {
				t.Fatal(err)
			}
			if tc.fails {
				return
			}
			var got []string
			filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
				if d.Name() == ".git" {
					return filepath.SkipDir
				}
				if !d.IsDir() {
					rel, _ := filepath.Rel(dir, p)
					got = append(got, rel)
				}
				return nil
			})
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
			b, err := os.ReadFile(filepath.Join(dir, "workspace.json"))
			if err != nil || bytes.Contains(b, []byte("target")) || bytes.Contains(b, []byte("context")) {
				t.Errorf("the manifest tells which are targets: %s %v", b, err)
			}
			count, err := exec.CommandContext(t.Context(), "git", "-C", filepath.Join(dir, "o/b"), "rev-list", "--all",
				"--count").Output()
			if err != nil || strings.TrimSpace(string(count)) != "1" {
				t.Errorf("o/b has %s commits, %v", count, err)
			}
			if err := r.Workspace(t.Context(), "t1", tc.scope, tc.target, dir); err == nil {
				t.Error("a folder that is not empty was written into")
			}
		})
	}
}

func TestGuard(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3", 12)
	key := "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"
	tests := map[string]struct {
		text  string
		guard Guard
		want  []string // what
	}{
		"nothing":     {text: "see github.com/ghp_x and password = \"hunter2\"\n"},
		"token":       {text: "x\n+tok := \"" + token + "\"\n", want: []string{"a GitHub token"}},
		"private key": {text: key, want: []string{"a private key"}},
		"allowed key": {text: key, guard: Guard{Allow: []string{digest([]byte(strings.SplitAfter(key, "AAAA\n")[0]))}}},
		"another key": {text: strings.ReplaceAll(key, "AAAA", "BBBB"),
			guard: Guard{Allow: []string{digest([]byte(strings.SplitAfter(key, "AAAA\n")[0]))}},
			want:  []string{"a private key"}},
		"aws":          {text: "AKIA" + "ABCDEFGHIJKLMNOP", want: []string{"an AWS access key"}},
		"random value": {text: `api_key: "q8Zr2LmX0pV7tKc4WnYb9sHd"`, want: []string{"what looks like a secret"}},
		"word value":   {text: `token: "this-is-a-name-of-the-token-variable"`},
		"our own, always": {text: "a plaintokenofours b", guard: Guard{Secrets: []string{"plaintokenofours"},
			Allow: []string{digest([]byte("plaintokenofours"))}}, want: []string{"a token in use here"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range tc.guard.Scan("f", []byte(tc.text)) {
				got = append(got, f.What)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("the writer refuses with the place and shows no secret", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "r")
		w, err := Create(out, Guard{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Bytes("tasks/t/prompt.md", []byte("a\nb "+token)); err != nil {
			t.Fatal(err)
		}
		_, err = w.Finish(schema.Release{})
		if err == nil || !strings.Contains(err.Error(), "tasks/t/prompt.md:2") || strings.Contains(err.Error(), token) {
			t.Errorf("got %v", err)
		}
		if entries, _ := os.ReadDir(filepath.Dir(out)); len(entries) > 0 {
			t.Errorf("left behind: %v", entries)
		}
	})
}

func TestCreateReplacesAReleaseOnly(t *testing.T) {
	if _, err := Create(folder(t, map[string]string{"x": "y"}), Guard{}); err == nil {
		t.Error("a folder of other files would be replaced")
	}
	out := filepath.Join(t.TempDir(), "r")
	sample(t, out, true)
	sample(t, out, false)
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := len(r.MissingSources()); n != 3 {
		t.Errorf("the old release shines through: %d sources missing, want 3", n)
	}
	if entries, _ := os.ReadDir(filepath.Dir(out)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if err := os.WriteFile(filepath.Join(out, "my notes"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(out, Guard{}); err == nil || !strings.Contains(err.Error(), "my notes") {
		t.Errorf("got %v, want an error that names the file that would be lost", err)
	}
}
