package pipeline

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
	stranger, link := filepath.Join(tmp, "wideswe-other-1"), filepath.Join(tmp, "wideswe-scratch-test-link")
	kept, begun, stuck := filepath.Join(tmp, "kept"), filepath.Join(tmp, scratchNew+"1"), filepath.Join(tmp, scratchNew+
		"2")
	for _, d := range []string{stranger, kept, begun, stuck} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(kept, link); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, d := range []string{stranger, kept, stuck} {
		if err := os.Chtimes(d, long, long); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func() {
		t.Helper()
		own, remove, err := Scratch("", "other")
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
	for _, d := range []string{dir, stuck} {
		if _, err := os.Lstat(d); !os.IsNotExist(err) {
			t.Errorf("the folder of a killed process is left: %s, %v", d, err)
		}
	}
	for _, d := range []string{stranger, kept, link, begun} {
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
	dir, remove, err := Scratch("", "test")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	if err = os.MkdirAll(filepath.Join(dir, "tree"), 0o755); err == nil {
		err = os.WriteFile(filepath.Join(dir, "tree", "file"), nil, 0o444)
	}
	if err == nil {
		err = os.Chmod(filepath.Join(dir, "tree"), 0o500)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("in " + dir)
	time.Sleep(time.Minute)
}
