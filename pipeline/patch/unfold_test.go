package patch

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestUnfolded: a literal and a delta as the git program writes them.
func TestUnfolded(t *testing.T) {
	dir := t.TempDir()
	chance := rand.NewChaCha8([32]byte{1})
	old := make([]byte, 50_000)
	_, _ = chance.Read(old) // never fails
	changed := bytes.Join([][]byte{old, {0}, old[:20_000]}, nil)
	for name, b := range map[string][]byte{"a": old, "b": changed, "zeros": make([]byte, 1<<20)} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		from, to    string
		least, most int64
	}{{"a", "b", 120_000, 121_000}, {"/dev/null", "zeros", 1 << 20, 1<<20 + 10}} {
		cmd := exec.CommandContext(t.Context(), "git", "-c", "core.compression=9", "diff", "--no-index", "--binary", c.from,
			c.to)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		text, _ := cmd.Output() // ends with 1, since they differ
		files, err := Parse(bytes.Replace(text, []byte("a/a b/b"), []byte("a/a b/a"), 1))
		if err != nil || len(files) != 1 {
			t.Fatal(err, len(files))
		}
		if n, err := files[0].Unfolded(); err != nil || n < c.least || n > c.most {
			t.Errorf("%s to %s unfolds to %d (%v), want %d to %d", c.from, c.to, n, err, c.least, c.most)
		}
	}
}
