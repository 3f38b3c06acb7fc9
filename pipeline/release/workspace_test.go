package release

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// digestAll digests a folder with everything in it: names, modes, contents, .git too.
func digestAll(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		fmt.Fprintf(h, "%q %v\n", rel, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			fmt.Fprintf(h, "%q\n", to)
		case !d.IsDir():
			b, err := os.ReadFile(p)
			fmt.Fprintf(h, "%x\n", sha256.Sum256(b))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestWorkspaceIsTheSameBytesEachTime(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	sample(t, out, true)
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	scopes := []struct{ name, target string }{{ScopeJoint, ""}, {ScopeInvolved, ""}, {ScopeIndependent, "o/a"}}
	first := map[string]string{}
	for _, again := range []bool{false, true} {
		if again {
			time.Sleep(1100 * time.Millisecond) // another second on every clock that git may have noted
		}
		for _, scope := range scopes {
			dir := filepath.Join(t.TempDir(), "w")
			if err := r.Workspace(t.Context(), "t1", scope.name, scope.target, dir); err != nil {
				t.Fatal(err)
			}
			digest := digestAll(t, dir)
			if !again {
				first[scope.name] = digest
				checkBare(t, filepath.Join(dir, "o/a"))
			} else if digest != first[scope.name] {
				t.Errorf("%s: two workspaces differ", scope.name)
			}
		}
	}
}

// checkBare wants one commit, nothing before or beside it, and a clean tree.
func checkBare(t *testing.T, dir string) {
	t.Helper()
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-c", "safe.directory=*", "-C", dir},
			args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("git %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for args, want := range map[string]string{"rev-list --all --count": "1", "remote": "", "tag": "",
		"status --porcelain --ignored":     "",
		"for-each-ref --format=%(refname)": "refs/heads/main", "reflog --all": "", "stash list": "",
		"fsck --unreachable --no-progress": ""} {
		if got := git(strings.Fields(args)...); got != want {
			t.Errorf("git %s says %q", args, got)
		}
	}
}
