package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The lock of a file belongs to the process, and a process that closes the file
// once has none: a snapshot must not let others in.
func TestASnapshotKeepsOthersOut(t *testing.T) {
	if path := os.Getenv("WIDESWE_TEST_OPENS"); path != "" {
		_, err := Open(t.Context(), path, Options{ReadOnly: true})
		if !InUse(err) {
			t.Fatalf("another process opened the database: %v", err)
		}
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "w.duckdb")
	db := open(t, path)
	for range 2 {
		if err := db.Snapshot(t.Context(), filepath.Join(dir, "s.duckdb")); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestASnapshotKeepsOthersOut$")
		c.Env = append(os.Environ(), "WIDESWE_TEST_OPENS="+path)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

func TestSnapshotsAtOnceAreWhole(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "w.duckdb"))
	path := filepath.Join(dir, "s.duckdb")
	done := make(chan error, 4)
	for range cap(done) {
		go func() { done <- db.Snapshot(t.Context(), path) }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	snap, err := Open(t.Context(), path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if got := strs(t, snap, "SELECT value FROM meta WHERE key = 'snapshot.at'"); len(got) != 1 {
		t.Errorf("the snapshot is of %q", got)
	}
}
