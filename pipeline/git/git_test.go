package git_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/git"
)

func TestMirrorHasHistoryAndFetchesBlobsWhenAsked(t *testing.T) {
	h := newHost(t)
	h.write("a.txt", "one\n")
	base := h.commit("first")
	h.write("a.txt", "two\n")
	tip := h.commit("second")
	r := h.mirror()

	c := must[git.Commit](t)(r.Commit(t.Context(), tip))
	if d := cmp.Diff(git.Commit{SHA: tip, Tree: h.git(h.dir, "rev-parse", "HEAD^{tree}"), Parents: []string{base},
		CommitterTime: time.Date(2025, 1, 1, 0, 2, 0, 0, time.UTC), Subject: "second"}, c); d != "" {
		t.Error(d)
	}
	if branch := must[string](t)(r.DefaultBranch(t.Context())); branch != "trunk" {
		t.Errorf("default branch %q", branch)
	}
	blob := h.git(h.dir, "rev-parse", tip+":a.txt")
	if _, err := r.ReadBlob(t.Context(), blob, 100); err == nil {
		t.Error("the blob came with the mirror, the filter did not work")
	}
	text := must[[]byte](t)(r.ReadFile(t.Context(), tip, "a.txt", 100))
	if string(text) != "two\n" {
		t.Errorf("a.txt is %q", text)
	}
	if _, err := r.ReadFile(t.Context(), tip, "a.txt", 2); !errors.Is(err, git.ErrTooLarge) {
		t.Errorf("got %v, want too large", err)
	}
	if _, err := r.ReadFile(t.Context(), tip, "*.txt", 100); !errors.Is(err, git.ErrNoFile) {
		t.Errorf("got %v, want no such file: a name is not a pattern", err)
	}
}

func TestEnsureFetchesPullHeadsAndNamesWhatNobodyHas(t *testing.T) {
	h := newHost(t)
	h.write("a.txt", "one\n")
	base := h.commit("first")
	r := h.mirror()
	h.git(h.dir, "checkout", "--quiet", "-b", "topic")
	h.write("b.txt", "b\n")
	head := h.commit("topic")
	h.git(h.dir, "update-ref", "refs/pull/7/head", head)
	h.git(h.dir, "checkout", "--quiet", "trunk")
	loose := h.git(h.dir, "commit-tree", head+"^{tree}", "-p", base, "-m", "on no branch")

	if err := r.Ensure(t.Context(), []string{base, loose}, []int{7}); err != nil {
		t.Fatal(err)
	}
	if got := must[string](t)(r.PullHead(t.Context(), 7)); got != head {
		t.Errorf("pull head %q, want %q", got, head)
	}
	must[git.Commit](t)(r.Commit(t.Context(), loose))
	if mb := must[string](t)(r.MergeBase(t.Context(), head, base)); mb != base {
		t.Errorf("merge base %q", mb)
	}

	nobody := strings.Repeat("12", 20)
	err := r.Ensure(t.Context(), []string{nobody}, []int{7, 8, 9})
	var missing *git.MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v, want a MissingError", err)
	}
	if d := cmp.Diff([]string{"refs/pull/8/head", "refs/pull/9/head", nobody}, missing.Objects); d != "" {
		t.Error(d)
	}
}

func TestUnknownRepositoryIsGoneAtOnce(t *testing.T) {
	h := newHost(t)
	h.commit("first")
	_, err := h.mirrors().Mirror(t.Context(), "acme/other")
	var gone *git.GoneError
	if !errors.As(err, &gone) {
		t.Errorf("got %v, want a GoneError", err)
	}
	for _, bad := range []string{"acme", "acme/../x", "-x/y", "acme/..", "a b/c"} {
		if _, err := h.mirrors().Mirror(t.Context(), bad); err == nil {
			t.Errorf("%q was taken for a repository", bad)
		}
	}
}

// odd fills the folder with everything a diff can hold.
func odd(h *host, after bool) {
	h.t.Helper()
	if !after {
		h.write("plain.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
		h.write("crlf.txt", "a\r\nb\r\n")
		h.write("nonl.txt", "no newline")
		h.write("latin.txt", "caf\xe9\n")
		h.write("na\xefve \"q\"\t.txt", "odd name\n")
		h.write("old/name.txt", strings.Repeat("same line\n", 30))
		h.write("bin.dat", "\x00\x01\x02"+strings.Repeat("x", 400))
		h.write("run.sh", "#!/bin/sh\n")
		h.write("gone.txt", "gone\n")
		_ = os.Symlink("plain.txt", filepath.Join(h.dir, "ln"))
		return
	}
	h.write("plain.txt", "1\n2\n3\nfour\n5\n6\n7\n8\n9\n\n")
	h.write("crlf.txt", "a\r\nB\r\n")
	h.write("nonl.txt", "no newline still")
	h.write("latin.txt", "caf\xe9 cr\xe8me\n")
	h.write("na\xefve \"q\"\t.txt", "odd name, changed\n")
	h.git(h.dir, "mv", "old/name.txt", "new.txt")
	h.write("bin.dat", "\x00\x01\x03"+strings.Repeat("x", 500))
	_ = os.Chmod(filepath.Join(h.dir, "run.sh"), 0o755)
	_ = os.Remove(filepath.Join(h.dir, "gone.txt"))
	_ = os.Remove(filepath.Join(h.dir, "ln"))
	_ = os.Symlink("new.txt", filepath.Join(h.dir, "ln"))
	h.write("empty.txt", "")
}

func TestDiffAppliesToTheSameTree(t *testing.T) {
	h := newHost(t)
	odd(h, false)
	base := h.commit("before")
	odd(h, true)
	head := h.commit("after")
	r := h.mirror()
	diff := must[[]byte](t)(r.Diff(t.Context(), base, head, nil))
	for _, want := range []string{"rename from old/name.txt", "GIT binary patch", "old mode 100644",
		`"a/na\357ve \"q\"\t.txt"`} {
		if !bytes.Contains(diff, []byte(want)) {
			t.Errorf("the diff lacks %q:\n%s", want, diff)
		}
	}
	got := must[string](t)(r.ApplyToTree(t.Context(), base, diff))
	if want := must[string](t)(r.Tree(t.Context(), head)); got != want {
		t.Errorf("base + diff is tree %s, want %s", got, want)
	}
	// The same in two parts, divided by path, in any order.
	changes := must[[]git.Change](t)(r.Changes(t.Context(), base, head))
	var even, uneven []string
	for i, c := range changes {
		if i%2 == 0 {
			even = append(even, c.Path)
		} else {
			uneven = append(uneven, c.Path)
		}
	}
	a := must[[]byte](t)(r.Diff(t.Context(), base, head, even))
	b := must[[]byte](t)(r.Diff(t.Context(), base, head, uneven))
	if got := must[string](t)(r.ApplyToTree(t.Context(), base, b, a)); got != must[string](t)(r.Tree(t.Context(), head)) {
		t.Error("the two parts do not make the whole")
	}
	var refused *git.ApplyError
	if _, err := r.ApplyToTree(t.Context(), head, diff); !errors.As(err, &refused) {
		t.Errorf("got %v, want an ApplyError on a tree that has the change", err)
	}
}

func TestApplyApartReadsThePatchItself(t *testing.T) {
	h := newHost(t)
	odd(h, false)
	base := h.commit("before")
	odd(h, true)
	head := h.commit("after")
	r := h.mirror()
	changes := must[[]git.Change](t)(r.Changes(t.Context(), base, head))
	diff := must[[]byte](t)(r.Diff(t.Context(), base, head, nil))
	got := must[[]git.Entry](t)(r.ApplyApart(t.Context(), changes, diff))
	var want []git.Entry
	for _, c := range changes {
		if c.NewMode != "000000" {
			want = append(want, git.Entry{Path: c.Path, Mode: c.NewMode, OID: c.NewOID})
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// A damaged binary part: on the mirror it would go unseen.
	at := bytes.Index(diff, []byte("GIT binary patch"))
	at += bytes.IndexByte(diff[at:], '\n') + 1
	at += bytes.IndexByte(diff[at:], '\n') + 8
	bad := bytes.Clone(diff)
	if bad[at]++; bad[at] > 'z' {
		bad[at] = 'A'
	}
	if _, err := r.ApplyApart(t.Context(), changes, bad); err == nil {
		t.Error("the damaged patch was taken")
	}
}

// TestFetchSurvivesTroubleOnTheWay serves git over HTTP, through git's own CGI, with
// the first answers failing.
func TestFetchSurvivesTroubleOnTheWay(t *testing.T) {
	h := newHost(t)
	h.write("a.txt", "one\n")
	tip := h.commit("first")
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{Path: program, Args: []string{"http-backend"}, InheritEnv: []string{"PATH"},
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(filepath.Dir(h.dir)), "GIT_HTTP_EXPORT_ALL=1",
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}}
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch n.Add(1) {
		case 1:
			http.Error(w, "bad gateway", http.StatusBadGateway)
		case 2:
			panic(http.ErrAbortHandler) // the connection is cut
		default:
			backend.ServeHTTP(w, req)
		}
	}))
	defer server.Close()
	m := &git.Mirrors{Dir: t.TempDir(), Options: git.Options{URLTemplate: server.URL + "/{owner}/{name}"},
		Backoff: time.Millisecond}
	r, err := m.Mirror(t.Context(), "acme/widgets")
	if err != nil {
		t.Fatal(err)
	}
	if got := must[git.Commit](t)(r.Commit(t.Context(), tip)); got.Subject != "first" {
		t.Errorf("got %+v", got)
	}
	server.Close()
	if _, err := m.Mirror(t.Context(), "acme/widgets"); err != nil {
		t.Errorf("a mirror that is there needs no network: %v", err)
	}
}

func TestInterruptedFetchEndsAtOnce(t *testing.T) {
	stuck := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { <-stuck }))
	defer server.Close()
	defer close(stuck)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	m := &git.Mirrors{Dir: t.TempDir(), Options: git.Options{URLTemplate: server.URL + "/{owner}/{name}"}}
	_, err := m.Mirror(ctx, "acme/widgets") // the server never answers: only the context ends it
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(m.Dir, "*", "HEAD")); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}

func TestDiffIsTheSameWhateverTheUserConfigures(t *testing.T) {
	h := newHost(t)
	odd(h, false)
	h.write(".gitattributes", "*.txt -diff\n*.dat text\n")
	base := h.commit("before")
	odd(h, true)
	head := h.commit("after")
	plain := must[[]byte](t)(h.mirror().Diff(t.Context(), base, head, nil))
	home := t.TempDir()
	config := "[diff]\n noprefix = true\n renames = false\n context = 9\n external = /bin/false\n[core]\n quotePath = " +
		"false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("GIT_EXTERNAL_DIFF", "/bin/false")
	t.Setenv("GIT_DIFF_OPTS", "-u0")
	if d := cmp.Diff(string(plain), string(must[[]byte](t)(h.mirror().Diff(t.Context(), base, head, nil)))); d != "" {
		t.Error(d)
	}
	if bytes.Contains(plain, []byte("b/plain.txt differ")) || !bytes.Contains(plain, []byte("+four")) {
		t.Error("the repository's own attributes decided how it is shown")
	}
}

func TestStat(t *testing.T) {
	h := newHost(t)
	odd(h, false)
	base := h.commit("before")
	odd(h, true)
	head := h.commit("after")
	got := must[[]git.FileStat](t)(h.mirror().Stat(t.Context(), base, head))
	want := []git.FileStat{
		{Path: "bin.dat", Status: "modified", Added: -1, Deleted: -1},
		{Path: "crlf.txt", Status: "modified", Added: 1, Deleted: 1},
		{Path: "empty.txt", Status: "added"},
		{Path: "gone.txt", Status: "removed", Deleted: 1},
		{Path: "latin.txt", Status: "modified", Added: 1, Deleted: 1},
		{Path: "ln", Status: "modified", Added: 1, Deleted: 1},
		{Path: "na\xefve \"q\"\t.txt", Status: "modified", Added: 1, Deleted: 1},
		{Path: "new.txt", PreviousPath: "old/name.txt", Status: "renamed"},
		{Path: "nonl.txt", Status: "modified", Added: 1, Deleted: 1},
		{Path: "plain.txt", Status: "modified", Added: 2, Deleted: 1},
		{Path: "run.sh", Status: "modified"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMissingBlobIsNamedAndStopsNothingElse(t *testing.T) {
	h := newHost(t)
	h.write("lost.txt", "lost\n")
	h.write("kept.txt", "kept\n")
	base := h.commit("before")
	h.write("kept.txt", "changed\n")
	head := h.commit("after")
	lost := h.git(h.dir, "rev-parse", "HEAD:lost.txt")
	h.git(h.dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	if err := os.Remove(filepath.Join(h.dir, ".git", "objects", lost[:2], lost[2:])); err != nil {
		t.Fatal(err)
	}
	r := h.mirror()
	diff := must[[]byte](t)(r.Diff(t.Context(), base, head, nil))
	if got := must[string](t)(r.ApplyToTree(t.Context(), base, diff)); got != must[string](t)(r.Tree(t.Context(), head)) {
		t.Error("the tree differs")
	}
	_, err := r.Snapshot(t.Context(), head, io.Discard)
	var missing *git.MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v, want a MissingError", err)
	}
	if d := cmp.Diff([]string{lost}, missing.Objects); d != "" {
		t.Error(d)
	}
}
