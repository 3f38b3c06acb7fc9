package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPatchesOfAnyGitConfiguration: whatever a person's git puts before the names, the
// patch goes on.
func TestPatchesOfAnyGitConfiguration(t *testing.T) {
	before := map[string]string{"a.txt": "one\ntwo\nthree\n", "d/b c.txt": "x\n", "d/old": "1\n2\n3\n4\n5\n",
		"gone": "g\n"}
	after := map[string]string{"a.txt": "one\n2\nthree\n", "d/b c.txt": "y\n", "d/new": "1\n2\n3\n4\nfive\n",
		"ü.txt": "new\n"}
	for name, config := range map[string][]string{"none": nil, "no prefix": {"-c", "diff.noprefix=true"},
		"mnemonic prefixes": {"-c", "diff.mnemonicPrefix=true"}} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, before)
			git := func(args ...string) []byte {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "safe.directory=*"}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(args, err)
				}
				return out
			}
			git("init", "-q")
			git("add", "-A")
			for file := range before {
				if err := os.Remove(filepath.Join(dir, file)); err != nil {
					t.Fatal(err)
				}
			}
			for file, text := range after {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			tree1 := string(git("write-tree"))[:40]
			git("add", "-A")
			patch := git(append(config, "diff", "--cached", "--binary", "-M", tree1)...)
			clean := lay(t, before)
			got, err := Apply(t.Context(), clean, patch)
			if err != nil || (got.Normalised == NormPrefix) != (name == "no prefix") {
				t.Errorf("%+v %v\n%s", got, err, patch)
			}
			if d := cmp.Diff(after, tree(t, clean)); d != "" {
				t.Error(d)
			}
		})
	}
}
