package githubtest

import (
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// run is plain git, so that the histories are read by another program than wrote them.
func run(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(stdout.String())
}

func commits(t *testing.T, b *Built, pull string) Commits {
	t.Helper()
	c, ok := b.Commits(pull)
	if !ok {
		t.Fatalf("no commits of %s", pull)
	}
	return c
}

func TestBuildMakesSoundHistories(t *testing.T) {
	b := start(t).Built()
	dir := b.GitDir("mill/stone")
	run(t, "--git-dir", dir, "fsck", "--strict", "--full")
	got := run(t, "--git-dir", dir, "log", "--format=%s|%an|%cn|%cI", "--first-parent", "main")
	want := strings.Join([]string{
		"e|Ada Long|GitHub|2024-02-04T10:00:00+00:00",
		"d|Ada Long|GitHub|2024-02-04T10:00:00+00:00",
		"Merge pull request #2 from ada/change|Ada Long|GitHub|2024-02-03T10:00:00+00:00",
		"Change 3 (#3)|Ada Long|GitHub|2024-02-02T10:00:00+00:00",
		"First version|The Mill|The Mill|2024-01-01T09:00:00+00:00",
	}, "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := run(t, "--git-dir", dir, "ls-tree", "-r", "main", "--format=%(objectmode) %(path)"); got !=
		"100644 c.txt\n100644 d.txt\n100644 e.txt\n100644 lib/a.txt\n100644 lib/b.txt\n100755 run.sh" {
		t.Errorf("main holds\n%s", got)
	}
}

func TestBuildKeepsTheRefsThatGitHubKeeps(t *testing.T) {
	b := start(t).Built()
	got := run(t, "--git-dir", b.GitDir("mill/stone"), "for-each-ref", "--format=%(refname)")
	want := "refs/heads/change\nrefs/heads/main\nrefs/heads/release-1\nrefs/pull/2/head\nrefs/pull/3/head\nrefs/pull/5/head\nrefs/pull/6/head"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMergeBaseAndFirstParent(t *testing.T) {
	b := start(t).Built()
	dir := b.GitDir("mill/stone")
	for _, pull := range []string{"mill/stone#2", "mill/stone#3"} {
		c := commits(t, b, pull)
		if got := run(t, "--git-dir", dir, "rev-parse", c.Merged+"^1"); got != c.Before {
			t.Errorf("%s: first parent %s, recorded %s", pull, got, c.Before)
		}
		if got := run(t, "--git-dir", dir, "merge-base", c.Head, c.Before); got != c.Base {
			t.Errorf("%s: merge base %s, recorded %s", pull, got, c.Base)
		}
	}
	if c := commits(t, b, "mill/stone#5"); c.Merged != "" || c.Before != "" || c.Head == "" {
		t.Errorf("a closed pull has %+v", c)
	}
}

func TestBuildIsTheSameEverywhere(t *testing.T) {
	t.Setenv("GIT_AUTHOR_NAME", "someone")
	t.Setenv("TZ", "Asia/Tokyo")
	first, second := start(t).Built(), start(t).Built()
	if d := cmp.Diff(first.commits, second.commits); d != "" {
		t.Error(d)
	}
	// The id is written out: a change of it breaks every recorded demo.
	if got := commits(t, first, "mill/stone#4").Merged; got != "ad3550053ebd04eae1d6e80b3fb8ede44cf82507" {
		t.Errorf("mill/stone#4 merged as %s", got)
	}
}

func TestLoadRefuses(t *testing.T) {
	edit := func(name, old, new string) func(fstest.MapFS) {
		return func(f fstest.MapFS) {
			text := string(f[name].Data)
			if !strings.Contains(text, old) {
				panic("no " + old)
			}
			f[name].Data = []byte(strings.Replace(text, old, new, 1))
		}
	}
	for _, c := range []struct {
		name   string
		change func(fstest.MapFS)
		want   string
	}{
		{"unknown key", edit("pulls/stone-3.txtar", "author:", "autor:"), "autor"},
		{"a tag of nothing", edit("pulls/stone-6.txtar", "[kind/fix]", "!x # none"), "pulls/stone-6.txtar: this is not YAML"},
		{"unknown author", edit("pulls/stone-3.txtar", "author: ada", "author: eve"), `mill/stone#3: author "eve"`},
		{"escaping path", edit("pulls/stone-3.txtar", "-- c.txt --", "-- ../c.txt --"), `"../c.txt" is no path`},
		{"git's folder", edit("pulls/stone-3.txtar", "-- c.txt --", "-- .GIT/config --"), "is no path"},
		{"number used twice", edit("pulls/stone-3.txtar", "number: 3", "number: 4"), "must be pulls/stone-4.txtar"},
		{"number of an issue", edit("demo.yaml", "number: 1,", "number: 3,"), "mill/stone#3 is used twice"},
		{"unknown merge", edit("pulls/stone-3.txtar", "merge: squash", "merge: octopus"), "octopus"},
		{"path in no commit", edit("pulls/stone-4.txtar", "paths: [e.txt]", "paths: []"), "take each changed path once"},
		{"old name in use", edit("demo.yaml", "mill/rock", "mill/empty"), "mill/empty is used twice"},
		{"end before the beginning", edit("pulls/stone-3.txtar", "merged_at: 2024-02-02", "merged_at: 2024-01-02"),
			"ends before it begins"},
		{"tree missing", edit("demo.yaml", "stone.txtar", "pebble.txtar"), "pebble.txtar"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := smallFS()
			c.change(fsys)
			if _, err := Load(fsys); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Load: %v, want an error that holds %q", err, c.want)
			}
		})
	}
}

func TestBuildRefusesConflicts(t *testing.T) {
	fsys := smallFS()
	fsys["pulls/stone-3.txtar"].Data = []byte(pullHead(3, "squash", "merged_at: 2024-02-02T10:00:00Z") +
		"-- lib/a.txt --\nother\n")
	_, err := Start(t.Context(), fsys, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "mill/stone#2: merging: lib/a.txt changed on both sides") {
		t.Errorf("Start: %v", err)
	}
}
