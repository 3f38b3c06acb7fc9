// Package store is wideswe's DuckDB file: opening it, bringing its schema up to
// date, appending, querying, snapshots. It alone imports the driver, and it knows
// no table but the engine's.
//
// One process writes at a time; DuckDB locks the file, against readers too, so
// others read a snapshot (see [DB.Snapshot]).
package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/marcboeker/go-duckdb"

	"github.com/wideswe/wideswe/pipeline"
)

// DB is an open database.
type DB struct {
	path string
	pool *sql.DB
	// writing serializes transactions: DuckDB lets readers go on beside one writer,
	// and two writers on one table end in a conflict error.
	writing sync.Mutex
	// copying keeps two snapshots from writing one file.
	copying sync.Mutex
	// file is the database's file for snapshots, opened by the first and held until
	// the end: the lock that keeps other processes out goes as soon as this process
	// closes the file once, whoever opened it.
	file *os.File
}

// Options of [Open]. The zero value opens for writing.
type Options struct {
	ReadOnly bool
	// MemoryLimit of DuckDB, "2GB"; empty is DuckDB's default for reading and
	// [writerMemory] for writing a file: what does not fit goes to the disk.
	MemoryLimit string
	// Threads that work on one query; 0 is DuckDB's default for reading and one for
	// writing. A writer runs many small statements: a thread that takes each over
	// from its caller costs more than the statement, since the driver spins till
	// it ends. Callers on several goroutines still run side by side.
	Threads int
	// Schema is a file that [DB.SaveSchema] of this program wrote: a new database in
	// memory takes tables and views from there, at a fifth of what making them costs.
	Schema string
}

// Open opens or makes the file at path and brings its schema up to date. An
// empty path is a database in memory.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if path != "" && !o.ReadOnly {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, explain(path, err)
		}
	}
	if o.ReadOnly {
		if _, err := os.Stat(path); err != nil {
			return nil, pipeline.Need("there is no database at %s yet; wideswe run makes it", path)
		}
	}
	left := hasLog(path)
	db, err := openPlain(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if o.ReadOnly {
		return db.current(ctx, o)
	}
	if left {
		if err := db.settle(ctx); err != nil {
			return nil, explain(path, errors.Join(err, db.Close()))
		}
	}
	if o.Schema != "" {
		if err := db.copySchema(ctx, o.Schema); err != nil {
			return nil, explain(path, errors.Join(err, db.Close()))
		}
	}
	if err := db.migrate(ctx); err != nil {
		return nil, explain(path, errors.Join(err, db.Close()))
	}
	return db, nil
}

// openPlain opens a file as it is.
func openPlain(ctx context.Context, path string, o Options) (*DB, error) {
	connector, err := duckdb.NewConnector(dsn(path, o), func(ex driver.ExecerContext) error {
		// Results that are compared or hashed must not depend on the thread count.
		_, err := ex.ExecContext(ctx, "SET preserve_insertion_order = true", nil)
		return err
	})
	if err != nil {
		return nil, explain(path, err)
	}
	db := &DB{path: path, pool: sql.OpenDB(connector)}
	if err := db.pool.PingContext(ctx); err != nil {
		return nil, explain(path, errors.Join(err, db.Close()))
	}
	return db, nil
}

// current brings a file that another version of the program wrote up to date
// before it is read: its views may lack what this version asks for.
func (db *DB) current(ctx context.Context, o Options) (*DB, error) {
	same, err := db.sameSchema(ctx)
	if same {
		return db, nil
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, explain(db.path, err)
	}
	writer, err := Open(ctx, db.path, Options{})
	if InUse(err) {
		return nil, pipeline.Need("%s is being written by another version of wideswe; wait for it to end", db.path)
	}
	if err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, explain(db.path, err)
	}
	return Open(ctx, db.path, o)
}

// checkpointAfter is how much the log holds before it is moved into the file. A
// checkpoint writes the last group of rows anew, bodies and all: at DuckDB's own
// 16 MB a load spends more than half of its time on that, and a third of the file
// is what the earlier ones left.
const checkpointAfter = "256MB"

// writerMemory leaves room for the stages beside it in 2 GB. DuckDB would take most
// of the machine's for pages of the file that no one reads again.
const writerMemory = "1GB"

func dsn(path string, o Options) string {
	var args []string
	if o.ReadOnly {
		args = append(args, "access_mode=read_only")
	}
	switch {
	case o.MemoryLimit != "":
		args = append(args, "memory_limit="+o.MemoryLimit)
	case !o.ReadOnly && path != "":
		args = append(args, "memory_limit="+writerMemory)
	}
	if !o.ReadOnly {
		args = append(args, "checkpoint_threshold="+checkpointAfter)
	}
	switch {
	case o.Threads > 0:
		args = append(args, fmt.Sprintf("threads=%d", o.Threads))
	case !o.ReadOnly:
		args = append(args, "threads=1")
	}
	if len(args) == 0 {
		return path
	}
	return path + "?" + strings.Join(args, "&")
}

// explain turns the driver's words into a sentence with the next step.
func explain(path string, err error) error {
	switch text := err.Error(); {
	case strings.Contains(text, "Could not set lock"):
		return &inUseError{pipeline.NeedError{Message: fmt.Sprintf(
			"the database %s is in use by another wideswe command; wait for it or stop it, or read a snapshot with wideswe sql",
			path)}}
	case strings.Contains(text, "No space left"), strings.Contains(text, "no space left"), strings.Contains(text,
		"Could not write all bytes"):
		return pipeline.Need("the disk that holds %s is full; free some space and run again, nothing recorded is lost", path)
	case strings.Contains(text, "Corrupt WAL"), strings.Contains(text, "replaying WAL"):
		return pipeline.Need("the log of the database %s is damaged (%v); move the file and its .wal away, then wideswe "+
			"crawl --replay and wideswe run rebuild it from the kept pages and decision files", path, err)
	case strings.Contains(text, "not a valid DuckDB"):
		return pipeline.Need("%s is not a database of wideswe; move it away and run again, it is rebuilt from the kept raw "+
			"pages and decision files", path)
	}
	return fmt.Errorf("database %s: %w", path, err)
}

// inUseError says that another process holds the file.
type inUseError struct{ need pipeline.NeedError }

func (e *inUseError) Error() string { return e.need.Error() }
func (e *inUseError) Unwrap() error { return &e.need }

// InUse says whether err came from another process holding the file.
func InUse(err error) bool {
	var in *inUseError
	return errors.As(err, &in)
}

// Path is the file's path, "" in memory.
func (db *DB) Path() string { return db.path }

// Close closes the database.
func (db *DB) Close() error {
	err := db.pool.Close()
	if db.file != nil {
		err = errors.Join(err, db.file.Close())
	}
	return err
}

// Query reads. The caller closes the rows.
func (db *DB) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := db.pool.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, explain(db.path, err)
	}
	return rows, nil
}

// InTx runs write in one transaction. The driver's Commit answers nil after a
// statement failed and everything was rolled back, so the first error of any
// statement is kept and returned.
func (db *DB) InTx(ctx context.Context, write pipeline.Write) (err error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return explain(db.path, err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return explain(db.path, err)
	}
	t := &tx{conn: conn}
	err = write(ctx, t)
	if err == nil {
		err = t.failed
	}
	if err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return wrapTx(db.path, err)
	}
	// A commit that has begun is finished even when the person interrupts.
	if _, err := conn.ExecContext(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return explain(db.path, err)
	}
	return nil
}

func wrapTx(path string, err error) error {
	var d *duckdb.Error
	if errors.As(err, &d) {
		return explain(path, err)
	}
	return err
}

type tx struct {
	conn   *sql.Conn
	failed error
}

func (t *tx) keep(err error) error {
	if err != nil && t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := t.conn.QueryContext(ctx, query, args...)
	return rows, t.keep(err)
}

func (t *tx) Exec(ctx context.Context, query string, args ...any) error {
	_, err := t.conn.ExecContext(ctx, query, args...)
	return t.keep(err)
}

// Append uses DuckDB's appender inside the transaction.
func (t *tx) Append(_ context.Context, table string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	return t.keep(t.conn.Raw(func(c any) error {
		a, err := duckdb.NewAppenderFromConn(c.(driver.Conn), "", table)
		if err != nil {
			return fmt.Errorf("appending to %s: %w", table, err)
		}
		values := []driver.Value{}
		for _, row := range rows {
			values = values[:0]
			for _, v := range row {
				values = append(values, clean(v))
			}
			if err := a.AppendRow(values...); err != nil {
				return errors.Join(fmt.Errorf("appending to %s: %w", table, err), a.Close())
			}
		}
		if err := a.Close(); err != nil {
			return fmt.Errorf("appending to %s: %w", table, err)
		}
		return nil
	}))
}

// clean makes strings valid UTF-8: one bad byte would drop the whole batch.
func clean(v any) driver.Value {
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	case []string:
		out := make([]string, len(v))
		for i, s := range v {
			out[i] = strings.ToValidUTF8(s, "\uFFFD")
		}
		return out
	case int:
		return int64(v)
	}
	return v
}
