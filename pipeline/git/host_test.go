package git_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/git"
)

// host is a folder of upstream repositories, written with the git program.
type host struct {
	t   *testing.T
	dir string
	n   int
}

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{t: t, dir: filepath.Join(t.TempDir(), "acme", "widgets")}
	h.git("", "init", "--quiet", "--initial-branch=trunk", h.dir)
	h.git(h.dir, "config", "uploadpack.allowFilter", "true")
	h.git(h.dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	return h
}

func (h *host) git(dir string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	date := fmt.Sprintf("2025-01-01T00:%02d:00Z", h.n)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (h *host) write(path, content string) {
	h.t.Helper()
	full := filepath.Join(h.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// commit records everything in the folder and returns the commit; each is a minute later.
func (h *host) commit(message string) string {
	h.t.Helper()
	h.n++
	h.git(h.dir, "add", "-A", "-f")
	h.git(h.dir, "commit", "--quiet", "--allow-empty", "-m", message)
	return h.git(h.dir, "rev-parse", "HEAD")
}

func (h *host) mirrors() *git.Mirrors {
	root := filepath.Dir(filepath.Dir(h.dir))
	return &git.Mirrors{Dir: filepath.Join(h.t.TempDir(), "mirrors"), Options: git.Options{URLTemplate: "file://" + root +
		"/{owner}/{name}"},
		Backoff: time.Millisecond}
}

func (h *host) mirror() *git.Repo {
	h.t.Helper()
	r, err := h.mirrors().Mirror(h.t.Context(), "acme/widgets")
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
