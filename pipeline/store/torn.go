package store

import (
	"context"
	"fmt"
	"os"
)

// hasLog says whether the last process that wrote the file was killed, or is
// still there: the log of what is not in the file yet is beside it.
func hasLog(path string) bool {
	info, err := os.Stat(path + ".wal")
	return path != "" && err == nil && info.Size() > 0
}

// settle brings what a killed process left in the log into the file and begins an
// empty log. A kill may leave half an entry at the log's end; DuckDB reads up to
// it, but would write on behind it, and nothing behind it can be read again.
func (db *DB) settle(ctx context.Context) error {
	if _, err := db.pool.ExecContext(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("settling the log of a killed command: %w", err)
	}
	return nil
}
