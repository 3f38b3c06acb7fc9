// Package storetest helps tests that need a database: it opens a real one in memory,
// puts rows in and takes columns out. What the database is, is pipeline/store's.
package storetest

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
)

// Row is a row by its columns' names.
type Row = map[string]any

// schema is the text of a file with this program's tables and views, made once a process.
var schema = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "wideswe-schema-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(context.Background(), "", store.Options{})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "schema.duckdb")
	if err := errors.Join(db.SaveSchema(context.Background(), file), db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// Open opens an empty database in memory, which ends with the test; cleanups may open one, too.
func Open(t testing.TB) *store.DB {
	t.Helper()
	text, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "schema.duckdb")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(context.WithoutCancel(t.Context()), "", store.Options{Schema: file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Put adds a row to a table. Columns not given are empty, times among them are day.
func Put(t testing.TB, db *store.DB, day time.Time, table string, values Row) {
	t.Helper()
	empty := Row{"VARCHAR": "", "BOOLEAN": false, "BIGINT": int64(0), "INTEGER": 0, "DOUBLE": 0.0, "TIMESTAMP": day,
		"VARCHAR[]": []string{}}
	rest := maps.Clone(values)
	var row []any
	for _, c := range Strings(t, db, `SELECT column_name || ' ' || data_type FROM information_schema.columns
		WHERE table_name = ? ORDER BY ordinal_position`, table) {
		name, kind, _ := strings.Cut(c, " ")
		v, ok := rest[name]
		if !ok {
			v = empty[kind]
		}
		delete(rest, name)
		row = append(row, v)
	}
	if len(rest) > 0 {
		t.Fatalf("the table %s has no columns %q", table, slices.Sorted(maps.Keys(rest)))
	}
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, table,
			[][]any{row})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Strings gives the one column of a query.
func Strings(t testing.TB, db *store.DB, query string, args ...any) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
