package export

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// upstream is a repository on disk, and how to commit to it at a time.
type upstream struct {
	t        *testing.T
	dir, url string
}

func newUpstream(t *testing.T) upstream {
	root := t.TempDir()
	u := upstream{t, filepath.Join(root, "o", "r.git"), "file://" + root + "/{owner}/{name}.git"}
	u.git("", "init", "-q", "-b", "main", u.dir)
	u.git("", "-C", u.dir, "config", "uploadpack.allowFilter", "true")
	u.git("", "-C", u.dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	return u
}

func (u upstream) git(at string, args ...string) string {
	u.t.Helper()
	cmd := exec.CommandContext(u.t.Context(), "git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("git %v: %s", args, out)
	}
	return strings.TrimSpace(string(out))
}

func (u upstream) commit(at, file, text string) string {
	u.t.Helper()
	if err := os.WriteFile(filepath.Join(u.dir, file), []byte(text), 0o755); err != nil {
		u.t.Fatal(err)
	}
	u.git(at, "-C", u.dir, "add", "-f", file)
	u.git(at, "-C", u.dir, "commit", "-qm", file)
	return u.git(at, "-C", u.dir, "rev-parse", "HEAD")
}

func TestMirrorsPinWhatTheySnapshot(t *testing.T) {
	u := newUpstream(t)
	const link = "abababababababababababababababababababab"
	u.git("", "-C", u.dir, "update-index", "--add", "--cacheinfo", "160000,"+link+",vendor/mod")
	if err := os.Symlink("../elsewhere", filepath.Join(u.dir, "link")); err != nil {
		t.Fatal(err)
	}
	u.git("", "-C", u.dir, "add", "link")
	u.commit("2025-01-01T00:00:00Z", "LICENSE.md", "MIT\r\n")
	u.commit("2025-01-01T00:00:00Z", ".gitattributes", "* text eol=crlf export-ignore\n")
	sha := u.commit("2025-01-02T00:00:00Z", "licenses.go", "package x\n")
	m := &Mirrors{Mirrors: &git.Mirrors{Dir: t.TempDir(), Options: git.Options{URLTemplate: u.url}}}
	tree, err := m.Tree(t.Context(), "o/r", sha)
	if err != nil {
		t.Fatal(err)
	}
	want := Tree{ID: u.git("", "-C", u.dir, "rev-parse", "HEAD^{tree}"), Submodules: []schema.Gitlink{{Path: "vendor/mod",
		Commit: link}}, LicenseFiles: []string{"LICENSE.md"}}
	if d := cmp.Diff(want, tree); d != "" {
		t.Error(d)
	}
	var b bytes.Buffer
	if err := m.Snapshot(t.Context(), "o/r", sha, &b); err != nil {
		t.Fatal(err)
	}
	if got, err := workspace.TarTreeHash(t.Context(), &b, tree.Submodules...); got != tree.ID || err != nil {
		t.Errorf("the snapshot's tree is %s, %v, the pin's %s", got, err, tree.ID)
	}
}

func TestCommitBeforeBringsAnOldMirrorUpToDate(t *testing.T) {
	u := newUpstream(t)
	first := u.commit("2025-01-01T00:00:00Z", "a", "1")
	m := &Mirrors{Mirrors: &git.Mirrors{Dir: t.TempDir(), Options: git.Options{URLTemplate: u.url}}}
	before := func(day int) string {
		t.Helper()
		sha, _, err := m.CommitBefore(t.Context(), "o/r", time.Date(2025, 1, day, 12, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		return sha
	}
	if got := before(0); got != "" {
		t.Errorf("before the first commit there is %s", got)
	}
	// The mirror is older than these two.
	second := u.commit("2025-01-05T00:00:00Z", "a", "2")
	u.commit("2025-01-20T00:00:00Z", "a", "3")
	if got := before(10); got != second {
		t.Errorf("got %s, want %s (first is %s)", got, second, first)
	}
}

func TestWhatIsNowhereIsUnavailable(t *testing.T) {
	u := newUpstream(t)
	u.commit("2025-01-01T00:00:00Z", "a", "1")
	m := &Mirrors{Mirrors: &git.Mirrors{Dir: t.TempDir(), Options: git.Options{URLTemplate: u.url},
		Backoff: time.Millisecond}}
	var gone *UnavailableError
	if _, err := m.Tree(t.Context(), "o/r", strings.Repeat("12", 20)); !errors.As(err, &gone) {
		t.Errorf("a commit that nobody has: %v", err)
	}
	if _, _, err := m.CommitBefore(t.Context(), "o/other", time.Now()); !errors.As(err, &gone) {
		t.Errorf("a repository that is not there: %v", err)
	}
}
