//go:build unix

package report

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Names of files come from report.json: none leads out of the evaluation's folder, and
// what is no file is not waited for.
func TestNothingOutsideAnEvaluationIsRead(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret"), "secret")
	write(t, filepath.Join(folder, "logs/a.log"), "inside")
	for link, to := range map[string]string{"file": filepath.Join(outside, "secret"), "dir": outside} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Skip("no pipes here")
	}
	for _, name := range []string{"file", "dir/secret", "pipe", "../" + filepath.Base(outside) + "/secret",
		filepath.Join(outside, "secret"), "logs", "nothing", ""} {
		if b, err := readKept(folder, name, 100); err == nil {
			t.Errorf("%q gives %q", name, b)
		}
		if b, err := readEnd(folder, name, 100); err == nil {
			t.Errorf("the end of %q is %q", name, b)
		}
	}
	if b, err := readEnd(folder, "logs/a.log", 3); err != nil || string(b) != "ide" {
		t.Errorf("%q, %v", b, err)
	}
}
