package store

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Snapshot writes a consistent copy of the file to path, which others may open
// while this process writes on. It keeps writers out while it copies.
func (db *DB) Snapshot(ctx context.Context, path string) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	// A checkpoint moves everything committed from the log into the file; with a
	// reader in the way it answers with an error, and the next snapshot will do.
	if _, err := db.pool.ExecContext(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	part := path + ".part"
	if err := copyFile(db.path, part); err != nil {
		return explain(path, err)
	}
	return os.Rename(part, path)
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	_, err = io.Copy(out, in)
	return err
}
