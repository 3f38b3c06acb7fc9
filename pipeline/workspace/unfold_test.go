package workspace

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGitsWordsDecideNothing: names of files that hold git's words for trouble of the
// machine are names, and what can't be written by the patch's own fault is that.
func TestGitsWordsDecideNothing(t *testing.T) {
	edit := func(name string) string {
		return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1 @@\n-x\n+y\n", name)
	}
	for name, patch := range map[string]string{
		"a missing file": edit("No space left"), "out of memory": edit("out of memory"),
		"a name that no file system takes": newFile(strings.Repeat("n", 300), "100644", "x"),
	} {
		_, err := Apply(t.Context(), t.TempDir(), []byte(patch))
		var failed *FailedError
		if !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatAPatchUnfoldsToIsBounded: before anything is written.
func TestWhatAPatchUnfoldsToIsBounded(t *testing.T) {
	big := map[string]string{"big": strings.Repeat("x", 1<<20)}
	var copies strings.Builder
	for i := range maxUnfolded>>20 + 1 {
		fmt.Fprintf(&copies, "diff --git a/big b/c%[1]d\nsimilarity index 100%%\ncopy from big\ncopy to c%[1]d\n", i)
	}
	literal := "diff --git a/b b/b\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\nliteral 999999999\n" +
		"zc${sf00&Y\n\n"
	for name, patch := range map[string]string{"copies": copies.String(), "literal": literal} {
		dir := lay(t, big)
		_, err := Apply(t.Context(), dir, []byte(patch))
		var failed *FailedError
		if !errors.As(err, &failed) || !strings.Contains(failed.Why, "unfolds to more than 512 MiB") {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(big, tree(t, dir)); d != "" {
			t.Errorf("%s: the tree was changed: %s", name, d)
		}
	}
}
