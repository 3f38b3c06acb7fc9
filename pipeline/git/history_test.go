package git_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/git"
)

func TestSnapshotHasTheTreeAndNothingElse(t *testing.T) {
	h := newHost(t)
	odd(h, false)
	h.write(".gitattributes", "gone.txt export-ignore\nid.txt export-subst\n")
	h.write("id.txt", "$Format:%H$\n")
	h.write("big.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
	_ = os.Chmod(filepath.Join(h.dir, "run.sh"), 0o755)
	h.git(h.dir, "add", "-A")
	h.git(h.dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub/mod")
	h.n++
	h.git(h.dir, "commit", "--quiet", "-m", "all")
	tip := h.git(h.dir, "rev-parse", "HEAD")
	r := h.mirror()
	var a, b bytes.Buffer
	info := must[git.SnapshotInfo](t)(r.Snapshot(t.Context(), tip, &a))
	must[git.SnapshotInfo](t)(r.Snapshot(t.Context(), tip, &b))
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two snapshots of one tree differ")
	}
	if info.LFS != 1 || len(info.Submodules) != 1 {
		t.Errorf("got %+v", info)
	}
	got := map[string]string{}
	tr := tar.NewReader(&a)
	for {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		got[h.Name] = fmt.Sprintf("%c %o %s%s", h.Typeflag, h.Mode, h.Linkname, text)
	}
	for name, want := range map[string]string{
		"id.txt": "0 644 $Format:%H$\n", "gone.txt": "0 644 gone\n", "ln": "2 777 plain.txt", "run.sh": "0 755 #!/bin/sh\n",
		"sub/mod/": "5 755 ", "na\xefve \"q\"\t.txt": "0 644 odd name\n", "latin.txt": "0 644 caf\xe9\n",
	} {
		if got[name] != want {
			t.Errorf("%q is %q, want %q", name, got[name], want)
		}
	}
}

func TestComposeMergesPullsInOrder(t *testing.T) {
	h := newHost(t)
	lines := func(first, last string) string { return first + "\n2\n3\n4\n5\n6\n7\n8\n" + last + "\n" }
	h.write("a.txt", lines("1", "9"))
	base1 := h.commit("base")
	h.git(h.dir, "checkout", "--quiet", "-b", "one")
	h.write("a.txt", lines("one", "9"))
	head1 := h.commit("one")
	h.git(h.dir, "checkout", "--quiet", "trunk")
	h.write("other.txt", "someone else's\n")
	base2 := h.commit("someone else")
	h.git(h.dir, "checkout", "--quiet", "-b", "two")
	h.write("a.txt", lines("1", "nine"))
	head2 := h.commit("two")
	h.git(h.dir, "checkout", "--quiet", "-b", "clash", base2)
	h.write("a.txt", lines("uno", "9"))
	clash := h.commit("clash")
	h.git(h.dir, "checkout", "--quiet", "-b", "want", base1)
	h.write("a.txt", lines("one", "nine"))
	want := h.git(h.dir, "rev-parse", h.commit("want")+"^{tree}")
	r := h.mirror()
	if got := must[string](t)(r.Compose(t.Context(), []git.Step{{base1, head1}, {base2, head2}})); got != want {
		t.Errorf("composed tree %s, want %s: both changes, and not the other's", got, want)
	}
	_, err := r.Compose(t.Context(), []git.Step{{base1, head1}, {base2, clash}})
	var conflict *git.ConflictError
	if !errors.As(err, &conflict) || conflict.Step != 1 || !cmp.Equal(conflict.Paths, []string{"a.txt"}) {
		t.Errorf("got %v, want a conflict in a.txt", err)
	}
}

func TestMessagesAreTheHeadsOwn(t *testing.T) {
	h := newHost(t)
	base := h.commit("base")
	h.git(h.dir, "checkout", "--quiet", "-b", "topic")
	first := h.commit("first\n\nSee acme/other#1")
	h.git(h.dir, "checkout", "--quiet", "trunk")
	h.write("b.txt", "b\n")
	trunk := h.commit("someone else's")
	h.git(h.dir, "checkout", "--quiet", "topic")
	h.git(h.dir, "merge", "--quiet", "--no-ff", "-m", "a merge", trunk)
	last := h.commit("last")
	r := h.mirror()
	want := []git.Message{{SHA: first, Text: "first\n\nSee acme/other#1\n"}, {SHA: last, Text: "last\n"}}
	if d := cmp.Diff(want, must[[]git.Message](t)(r.Messages(t.Context(), trunk, last, 9))); d != "" {
		t.Error(d)
	}
	if got := must[[]git.Message](t)(r.Messages(t.Context(), base, last, 1)); len(got) != 1 || got[0].SHA != first {
		t.Errorf("got %v, want the oldest alone", got)
	}
}

func TestCommitBeforeIsTheNewestNotLater(t *testing.T) {
	h := newHost(t)
	h.commit("00:01")
	second := h.commit("00:02")
	h.n = -1 // a commit whose clock is wrong
	h.commit("00:00")
	h.n = 8
	h.commit("00:09")
	r := h.mirror()
	got := must[git.Commit](t)(r.CommitBefore(t.Context(), "refs/heads/trunk", time.Date(2025, 1, 1, 0, 5, 0, 0,
		time.UTC)))
	if got.SHA != second {
		t.Errorf("got %q", got.Subject)
	}
	got = must[git.Commit](t)(r.CommitBefore(t.Context(), "refs/heads/trunk", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)))
	if got.SHA != "" {
		t.Errorf("got %q, want none", got.Subject)
	}
}

func TestPatchIDIsTheSameForTheSameChangeElsewhere(t *testing.T) {
	h := newHost(t)
	h.write("a.txt", "1\n2\n3\n4\n5\n")
	base := h.commit("base")
	h.write("a.txt", "1\n2\nthree\n4\n5\n")
	head := h.commit("change")
	h.git(h.dir, "checkout", "--quiet", "-b", "release", base)
	h.write("b.txt", "else\n")
	base2 := h.commit("else")
	h.write("a.txt", "1\n2\nthree\n4\n5\n")
	head2 := h.commit("backport")
	r := h.mirror()
	a := must[string](t)(r.PatchID(t.Context(), base, head))
	b := must[string](t)(r.PatchID(t.Context(), base2, head2))
	if a == "" || a != b {
		t.Errorf("patch ids %q and %q", a, b)
	}
}
