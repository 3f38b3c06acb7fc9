package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

func open(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func strs(t *testing.T, db *DB, query string, args ...any) []string {
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

func TestAppendListsTimesAndBadBytes(t *testing.T) {
	db := open(t, "")
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Append(ctx, "campaigns", [][]any{{"e", "a/b#1\x00\xff", "pull", 7, 8, "hub"}}); err != nil {
			return err
		}
		return tx.Append(ctx, "task_targets", [][]any{{"t", int64(1), "a/b", []int{1, 2}, "", "", "", "", "", "", false,
			time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC), "", []string{"x\xff"}, []string{}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	got := strs(t, db, "SELECT hub FROM campaigns")
	got = append(got, strs(t, db, "SELECT pulls::VARCHAR || ' ' || hidden_files::VARCHAR || ' ' || base_time::VARCHAR "+
		"FROM task_targets")...)
	want := []string{"a/b#1\x00\uFFFD", "[1, 2] [x\uFFFD] 2025-01-02 03:04:05"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAppendIsPartOfTheTransaction(t *testing.T) {
	db := open(t, "")
	boom := errors.New("boom")
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Append(ctx, "meta", [][]any{{"k", "v"}}); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if got := strs(t, db, "SELECT value FROM meta WHERE key = 'k'"); len(got) != 0 {
		t.Errorf("rolled back rows are there: %q", got)
	}
}

// The driver's Commit answers nil after a failed statement.
func TestSwallowedStatementErrorFailsTheTransaction(t *testing.T) {
	db := open(t, "")
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		_ = tx.Append(ctx, "meta", [][]any{{"k", "v"}})
		_ = tx.Exec(ctx, "INSERT INTO no_such_table VALUES (1)")
		return nil
	})
	if err == nil {
		t.Error("a transaction with a failed statement was reported as committed")
	}
}

func TestReopenKeepsRowsAndSecondWriterIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.duckdb")
	db := open(t, path)
	o := schema.Outcome{Stage: "link", Item: "a", Version: "1", InputHash: "h", Status: schema.Done,
		RecordedAt: time.Now().UTC()}
	if err := db.Record(t.Context(), nil, o); err != nil {
		t.Fatal(err)
	}
	db.Close()
	db = open(t, path)
	latest, err := db.Latest(t.Context(), "link")
	if err != nil || latest["a"].InputHash != "h" {
		t.Errorf("got %v, %v", latest, err)
	}
}

// The clock may have been moved between two runs: what was recorded last is the newest.
func TestTheLatestOutcomeIsTheOneRecordedLast(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "w.duckdb"), time.Now().UTC()
	for i, at := range []time.Time{now, now.AddDate(0, 0, 400), now.AddDate(-1, 0, 0)} {
		db := open(t, path)
		status := []schema.Status{schema.Failed, schema.Failed, schema.Done}[i]
		if err := db.Record(t.Context(), nil, schema.Outcome{Stage: "link", Item: "a", Version: "1", InputHash: "h",
			Status: status, RecordedAt: at}); err != nil {
			t.Fatal(err)
		}
		latest, err := db.Latest(t.Context(), "link")
		if err != nil || latest["a"].Status != status || !latest["a"].RecordedAt.Equal(at.Truncate(time.Microsecond)) {
			t.Errorf("got %+v, %v, want %s", latest, err, status)
		}
		db.Close()
	}
}

func TestMetaKnowsTheRuleOfAStage(t *testing.T) {
	db := open(t, "")
	for _, version := range []string{"1", "2"} {
		if err := db.RecordRun(t.Context(), "link", version, time.Now(), time.Now(), pipeline.Counts{}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"2"}, strs(t, db, "SELECT value FROM meta WHERE key = 'rule.link'")); d != "" {
		t.Error(d)
	}
}

func TestChecksFindABrokenRow(t *testing.T) {
	db := open(t, "")
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Fatalf("an empty database: %v %v", broken, err)
	}
	if err := db.Record(t.Context(), nil, schema.Outcome{Stage: "s", Item: "i", Status: "odd"}); err != nil {
		t.Fatal(err)
	}
	broken, err := db.Check(t.Context())
	if d := cmp.Diff([]string{"outcomes_status"}, broken); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestSnapshotIsReadableBesideTheWriter(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "w.duckdb"))
	if err := db.Record(t.Context(), nil, schema.Outcome{Stage: "s", Item: "i", Status: schema.Done}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "snapshot.duckdb")
	if err := db.Snapshot(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	snap, err := Open(t.Context(), path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if got := strs(t, snap, "SELECT item FROM outcomes"); len(got) != 1 {
		t.Errorf("snapshot holds %q", got)
	}
	// The snapshot says of when it is; the database does not, for it goes on.
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{info.ModTime().UTC().Format(time.RFC3339)},
		strs(t, snap, "SELECT value FROM meta WHERE key = 'snapshot.at'")); d != "" {
		t.Error(d)
	}
	if got := strs(t, db, "SELECT value FROM meta WHERE key = 'snapshot.at'"); len(got) != 0 {
		t.Errorf("the database says it is a snapshot of %s", got)
	}
	if got := strs(t, snap, "SELECT comment FROM duckdb_views() WHERE view_name = 'pulls'"); len(got) != 1 ||
		!strings.Contains(got[0], "Key: repository_id, number.") {
		t.Errorf("pulls says %q", got)
	}
	if got := strs(t, snap, "SELECT comment FROM duckdb_columns() WHERE table_name = 'files' AND column_name = 'role'"); len(got) != 1 || !strings.HasSuffix(got[0], " Filled by inspect.") {
		t.Errorf("files.role says %q", got)
	}
}

// A copy of a snapshot is of the same moment.
func TestCopySnapshotKeepsItsMoment(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "w.duckdb"))
	from, to := filepath.Join(dir, "a.duckdb"), filepath.Join(dir, "b.duckdb")
	if err := db.Snapshot(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	if err := CopySnapshot(from, to); err != nil {
		t.Fatal(err)
	}
	a, errA := os.Stat(from)
	b, errB := os.Stat(to)
	if errA != nil || errB != nil || !a.ModTime().Equal(b.ModTime()) || a.Size() != b.Size() {
		t.Errorf("%v and %v, %v %v", a, b, errA, errB)
	}
}

// A reader that is in the way of the checkpoint only delays a snapshot.
func TestSnapshotWaitsForAReader(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "w.duckdb"))
	if err := db.Record(t.Context(), nil, schema.Outcome{Stage: "s", Item: "i", Status: schema.Done}); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(t.Context(), "SELECT range FROM range(1000000)")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { rows.Close() })
	if err := db.Snapshot(t.Context(), filepath.Join(dir, "s.duckdb")); err != nil {
		t.Error(err)
	}
}

// A file that an older program wrote is brought up to date before it is read.
func TestReadingAnOlderFileRenewsItsViews(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.duckdb")
	db := open(t, path)
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		_ = tx.Exec(ctx, "UPDATE meta SET value = 'older' WHERE key = 'views'")
		return tx.Exec(ctx, "DROP VIEW outcomes_latest")
	}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	old, err := Open(t.Context(), path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, err := old.Latest(t.Context(), "link"); err != nil {
		t.Error(err)
	}
}

// Tables that an earlier build made otherwise can't serve this one's views.
func TestAForeignSchemaIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.duckdb")
	db := open(t, path)
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		_ = tx.Exec(ctx, "UPDATE meta SET value = 'older' WHERE key = 'views'")
		return tx.Exec(ctx, "DROP TABLE outcomes")
	}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	_, err := Open(t.Context(), path, Options{})
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !strings.Contains(err.Error(), "crawl --replay") {
		t.Errorf("got %v", err)
	}
}
