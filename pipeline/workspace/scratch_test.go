package workspace

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scratchOfAnother makes this test's program the process that is to be killed.
const scratchOfAnother = "WIDESWE_TEST_SCRATCH"

func TestScratchOfAKilledProcessIsRemoved(t *testing.T) {
	if os.Getenv(scratchOfAnother) != "" {
		keepScratch()
		return
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	child, dir := startScratch(t)
	stranger, link := filepath.Join(tmp, "wideswe-scratch-other-1"), filepath.Join(tmp, "wideswe-scratch-test-link")
	kept := filepath.Join(tmp, "kept")
	for _, d := range []string{stranger, kept} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(kept, link); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, d := range []string{stranger, kept, dir} {
		if err := os.Chtimes(d, long, long); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func() {
		t.Helper()
		own, remove, err := Scratch("test")
		if err != nil {
			t.Fatal(err)
		}
		remove()
		if _, err := os.Lstat(own); !os.IsNotExist(err) {
			t.Errorf("its own folder is left: %v", err)
		}
	}
	sweep()
	if _, err := os.Stat(filepath.Join(dir, "tree", "file")); err != nil {
		t.Fatalf("the folder of a living process is gone: %v", err)
	}
	_ = child.Process.Kill()
	_ = child.Wait() // killed
	sweep()
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder of a killed process is left: %v", err)
	}
	for _, d := range []string{stranger, kept, link} {
		if _, err := os.Lstat(d); err != nil {
			t.Error(err)
		}
	}
}

// startScratch runs a process that has a scratch folder.
func startScratch(t *testing.T) (*exec.Cmd, string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestScratchOfAKilledProcessIsRemoved$")
	child.Env = append(os.Environ(), scratchOfAnother+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	dir, ok := strings.CutPrefix(strings.TrimSpace(first), "in ")
	if err != nil || !ok {
		t.Fatalf("the process said %q: %v", first, err)
	}
	return child, dir
}

func keepScratch() {
	dir, remove, err := Scratch("test")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	if err = os.MkdirAll(filepath.Join(dir, "tree"), 0o755); err == nil {
		err = os.WriteFile(filepath.Join(dir, "tree", "file"), nil, 0o444)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("in " + dir)
	time.Sleep(time.Minute)
}
