package review

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
)

var day1 = time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC)

// world is a database with three repositories and a folder.
type world struct {
	t    *testing.T
	db   *store.DB
	desk Desk
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := storetest.Open(t)
	f, err := folder.Init(filepath.Join(t.TempDir(), "bench"), []byte("ecosystems: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, db, Desk{DB: db, Folder: f, Now: func() time.Time { return day1 }}}
	for id, name := range map[int64]string{1: "o/lib", 2: "o/app", 3: "o/cli"} {
		w.repository(id, name, day1)
	}
	return w
}

func (w *world) append(table string, rows ...[]any) {
	w.t.Helper()
	if err := w.db.InTx(w.t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, table,
			rows)
	}); err != nil {
		w.t.Fatal(err)
	}
}

// put adds one row; columns that it does not name hold their type's zero value.
func (w *world) put(table string, row map[string]any) {
	w.t.Helper()
	rows, err := w.db.Query(w.t.Context(), "SELECT column_name || ' ' || data_type FROM duckdb_columns() WHERE "+
		"table_name = ? ORDER BY column_index", table)
	if err != nil {
		w.t.Fatal(err)
	}
	columns, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	zero := map[string]any{"VARCHAR": "", "BOOLEAN": false, "BIGINT": int64(0), "INTEGER": 0, "DOUBLE": 0.0,
		"TIMESTAMP": day1, "VARCHAR[]": []string{}}
	values := make([]any, len(columns))
	for i, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		v, ok := row[name]
		if !ok {
			v = zero[kind]
		}
		values[i] = v
		delete(row, name)
	}
	if len(row) > 0 {
		w.t.Fatalf("%s has no columns %v", table, row)
	}
	w.append(table, values)
}

type row = map[string]any

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if err := w.db.InTx(w.t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, sql,
			args...)
	}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) repository(id int64, name string, at time.Time) {
	w.put("repository_versions", row{"repository_id": id, "repository": name, "ecosystem": "e", "state": "ok",
		"fetched_at": at})
}

func (w *world) pull(id int64, number int, title, body string) {
	w.put("pull_versions", row{"repository_id": id, "number": number, "title": title, "body": body, "author": "ann",
		"base_ref": "main", "head_ref": "topic"})
}

// candidate makes a candidate of (repository id, number) pairs.
func (w *world) candidate(id string, kept bool, members ...[2]int) {
	repositories := map[int]string{1: "o/lib", 2: "o/app", 3: "o/cli"}
	var names []string
	for _, m := range members {
		names = append(names, repositories[m[0]])
		w.put("group_members", row{"candidate_id": id, "repository_id": int64(m[0]), "number": m[1]})
	}
	w.put("candidate_groups", row{"candidate_id": id, "ecosystem": "e", "repositories": names, "pulls": len(members),
		"span_days": 1.5})
	w.put("candidate_facts", row{"candidate_id": id, "kept": kept,
		"reason": map[bool]string{false: "no test change"}[kept]})
}

func (w *world) forget(id string) {
	for _, table := range []string{"group_members", "candidate_groups", "candidate_facts"} {
		w.exec("DELETE FROM "+table+" WHERE candidate_id = ?", id)
	}
}

func (w *world) run() pipeline.Counts {
	w.t.Helper()
	run := &pipeline.Run{Ledger: w.db, Workers: 2}
	if err := pipeline.Execute(w.t.Context(), Stage{w.db, w.desk.Folder}, run); err != nil {
		w.t.Fatal(err)
	}
	return run.Counts
}

func (w *world) strings(sql string) []string {
	w.t.Helper()
	return storetest.Strings(w.t, w.db, sql)
}

const verdictsSQL = "SELECT candidate_id || ' ' || verdict || ' ' || kind || ' ' || pattern || ' ' || reason FROM " +
	"candidate_verdicts ORDER BY 1"
const outcomesSQL = "SELECT item || ': ' || status || ' ' || reason FROM outcomes_latest WHERE stage = 'review' " +
	"ORDER BY 1"

func (w *world) want(sql string, want ...string) {
	w.t.Helper()
	if d := cmp.Diff(want, w.strings(sql)); d != "" {
		w.t.Error(d)
	}
}

func (w *world) accept(candidate, kind, reviewer string) {
	w.t.Helper()
	if _, err := w.desk.Accept(w.t.Context(), candidate, AcceptOptions{Kind: kind, Reviewer: reviewer}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) reject(candidate, reason, reviewer string) {
	w.t.Helper()
	if _, err := w.desk.Reject(w.t.Context(), candidate, RejectOptions{Reason: reason, Reviewer: reviewer}); err != nil {
		w.t.Fatal(err)
	}
}

func usage(t *testing.T, err error, parts ...string) {
	t.Helper()
	var u *pipeline.UsageError
	if !errors.As(err, &u) {
		t.Fatalf("got %v, want a usage error", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
}
