package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
)

// killed copies a database as a kill -9 leaves it, with some bytes of its log unwritten.
func killed(t *testing.T, path string, unwritten int64) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "killed.duckdb")
	for _, end := range []string{"", ".wal"} {
		b, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if end == ".wal" {
			b = b[:int64(len(b))-unwritten]
		}
		if err := os.WriteFile(to+end, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func writeMeta(t *testing.T, db *DB, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
			return tx.Append(ctx, "meta", [][]any{{k, strings.Repeat(k, 300)}})
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKillInTheMiddleOfAnEntry kills twice: the first time in the middle of the
// log's last entry, the second time after more was written.
func TestKillInTheMiddleOfAnEntry(t *testing.T) {
	for _, unwritten := range []int64{1, 7, 100, 250} {
		t.Run(fmt.Sprint(unwritten), func(t *testing.T) {
			first, err := Open(t.Context(), filepath.Join(t.TempDir(), "a.duckdb"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer first.Close()
			writeMeta(t, first, "a", "b", "torn")
			second, err := Open(t.Context(), killed(t, first.path, unwritten), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer second.Close()
			writeMeta(t, second, "c", "d")
			third, err := Open(t.Context(), killed(t, second.path, 0), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer third.Close()
			rows, err := third.Query(t.Context(), "SELECT key FROM meta WHERE length(key) = 1 ORDER BY 1")
			if err != nil {
				t.Fatal(err)
			}
			got, err := pipeline.Scan[string](rows, nil)
			if err != nil || strings.Join(got, "") != "abcd" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestDamagedLogSaysWhatToDo(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "a.duckdb"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	writeMeta(t, db, "a", "b", "c")
	path := killed(t, db.path, 0)
	b, err := os.ReadFile(path + ".wal")
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 0xff
	if err := os.WriteFile(path+".wal", b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), "crawl --replay") {
		t.Errorf("got %v", err)
	}
}
