package workspace_test

import (
	"os"
	"testing"

	"github.com/wideswe/wideswe/pipeline/workspace"
)

// A person says where from where they stand.
func TestRelativePathsLeadToTheSamePlace(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/w/o/r", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/w/o/r/a", []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	const diff = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"
	if _, err := workspace.Apply(t.Context(), "w/o/r", []byte(diff)); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile("w/o/r/a"); string(b) != "two\n" {
		t.Errorf("the file holds %q", b)
	}
	if _, err := workspace.CommitOne(t.Context(), "w/o/r"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("w/o/r/.git/HEAD"); err != nil {
		t.Error(err)
	}
}
