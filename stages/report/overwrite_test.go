package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesOfAPersonStay: a report replaces an earlier one, and no file that a person
// called as it calls its own.
func TestFilesOfAPersonStay(t *testing.T) {
	files, err := Draw(counted(t, sampleData(), sampleReport()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mine := filepath.Join(dir, "report.md")
	write(t, mine, "my own report\n")
	if err := checkFolder(dir, files); err == nil || !strings.Contains(err.Error(), "report.md is there already") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if err := checkFolder(dir, files); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	if err := save(dir, files); err != nil {
		t.Fatal(err)
	}
	write(t, mine, "another text\n")
	if err := checkFolder(dir, files); err != nil {
		t.Errorf("an earlier report: %v", err)
	}
}
