package transfer

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// leave makes a folder of files.
func leave(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "left")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What can't be read is an error, and no end of the stream: who compares what was left
// with what was there would take the rest for deleted.
func TestDirTarTellsWhatItCouldNotRead(t *testing.T) {
	dir := leave(t, map[string]string{"a": strings.Repeat("a", 1<<20), "y": "y", "z": "z"})
	r, err := DirTar(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("the stream ends as if all had been read")
		}
		if err != nil {
			return
		}
		if h.Name == "left/a" { // the writer waits in the middle of it
			if err := os.Remove(filepath.Join(dir, "y")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A path that is too long to be named is in no patch, and hides nothing beside it.
func TestDirTarPassesOverPathsWithoutEnd(t *testing.T) {
	dir := leave(t, map[string]string{"a": "a", "z": "z"})
	nested(t, filepath.Join(dir, "deep"), 50)
	r, err := DirTar(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read := map[string]bool{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		read[h.Name] = true
	}
	if !read["left/a"] || !read["left/z"] || !read["left/deep/"] {
		t.Errorf("%d entries, a %v, z %v", len(read), read["left/a"], read["left/z"])
	}
}

// nested makes folders one in the other, beyond the length that a path may have.
func nested(t *testing.T, dir string, depth int) {
	t.Helper()
	const long = "a-name-of-a-folder-that-is-as-long-as-a-hundred-letters-and-so-takes-the-way-beyond-all-bounds-in-no-time"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		below, err := r.OpenRoot(mustMkdir(t, r, long))
		_ = r.Close()
		if err != nil {
			t.Fatal(err)
		}
		r = below
	}
	_ = r.Close()
}

func mustMkdir(t *testing.T, r *os.Root, name string) string {
	t.Helper()
	if err := r.Mkdir(name, 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}
