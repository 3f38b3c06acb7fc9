package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// snapshotKey is the row of meta that a snapshot has and the database does not.
const snapshotKey = "snapshot.at"

// SnapshotPart names the file in which a snapshot lies until it is whole. It is a name that
// only this program gives.
func SnapshotPart(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".wideswe-part")
}

// CheckSnapshotFile refuses a path at which there is a file that is no snapshot of ours.
func CheckSnapshotFile(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || !isSnapshot(ctx, path) {
		return pipeline.Usage("%s is there already and no snapshot of wideswe; give another file, or --force to replace it",
			path)
	}
	return nil
}

// isSnapshot tells whether a file is a snapshot. It changes nothing of the file.
func isSnapshot(ctx context.Context, path string) bool {
	db, err := openPlain(ctx, path, Options{ReadOnly: true, Threads: 1, MemoryLimit: "256MB"})
	if err != nil {
		return false
	}
	defer db.Close()
	rows, err := db.Query(ctx, "SELECT value FROM meta WHERE key = ?", snapshotKey)
	if err != nil {
		return false
	}
	at, err := pipeline.Scan[string](rows, nil)
	return err == nil && len(at) == 1
}

// Snapshot writes a consistent copy of the file to path, which others may open
// while this process writes on. It keeps writers out while it copies. The file's
// time, and snapshot.at in its table meta, is the moment it is of.
func (db *DB) Snapshot(ctx context.Context, path string) error {
	db.copying.Lock()
	defer db.copying.Unlock()
	part := SnapshotPart(path)
	at, err := db.copyTo(ctx, part)
	if err == nil {
		err = stamp(ctx, part, at)
	}
	if err != nil {
		return errors.Join(explain(path, err), os.RemoveAll(part))
	}
	return os.Rename(part, path)
}

func (db *DB) copyTo(ctx context.Context, part string) (time.Time, error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := db.checkpoint(ctx); err != nil {
		return time.Time{}, err
	}
	if db.file == nil {
		file, err := os.Open(db.path)
		if err != nil {
			return time.Time{}, err
		}
		db.file = file
	}
	info, err := db.file.Stat()
	if err != nil {
		return time.Time{}, err
	}
	at := time.Now()
	return at, writeFile(part, io.NewSectionReader(db.file, 0, info.Size()))
}

// checkpoint moves everything committed from the log into the file. A reader that
// is in the way makes it an error: readers are short, so it is tried some times.
func (db *DB) checkpoint(ctx context.Context) error {
	var err error
	for wait := time.Millisecond; wait < 300*time.Millisecond; wait *= 2 {
		if _, err = db.pool.ExecContext(ctx, "CHECKPOINT"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
	return fmt.Errorf("checkpoint: %w", err)
}

// stamp writes the moment into the copy.
func stamp(ctx context.Context, path string, at time.Time) error {
	snap, err := openPlain(ctx, path, Options{Threads: 1, MemoryLimit: "256MB"})
	if err != nil {
		return err
	}
	err = snap.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM meta WHERE key = ?", snapshotKey); err != nil {
			return err
		}
		return tx.Append(ctx, "meta", [][]any{{snapshotKey, at.UTC().Format(time.RFC3339)}})
	})
	if err := errors.Join(err, snap.Close()); err != nil {
		return err
	}
	return os.Chtimes(path, at, at)
}

// CopySnapshot copies a snapshot, whose moment stays.
func CopySnapshot(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	part := SnapshotPart(to)
	if err := copyFile(from, part); err != nil {
		return errors.Join(explain(to, err), os.RemoveAll(part))
	}
	return errors.Join(os.Chtimes(part, info.ModTime(), info.ModTime()), os.Rename(part, to))
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeFile(to, in)
}

func writeFile(path string, from io.Reader) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	_, err = io.Copy(out, from)
	return err
}
