package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
)

// NewSnapshotCommand returns wideswe snapshot.
func NewSnapshotCommand(e *env.Env) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "snapshot [FILE]",
		Short: "Write a consistent copy of the database, which any DuckDB client opens",
		Long: `Write a consistent copy of the database to FILE (default: the folder's own snapshot, under
.wideswe), which any DuckDB client opens. While another command writes the database, the
latest snapshot that command made is copied, and its age is said. An earlier snapshot at FILE is
replaced; any other file there only with --force.`,
		Example: `  wideswe snapshot analysis.duckdb
  duckdb -readonly analysis.duckdb "SELECT * FROM about"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return snapshot(cmd.Context(), e, args, force) },
	}
	c.Flags().BoolVar(&force, "force", false, "replace whatever file is there")
	return c
}

func snapshot(ctx context.Context, e *env.Env, args []string, force bool) error {
	cur, err := e.Curator()
	if err != nil {
		return err
	}
	to := cur.Snapshot()
	if len(args) == 1 {
		to = args[0]
	}
	if err := checkSnapshotFile(cur, to); err != nil {
		return err
	}
	if len(args) == 1 && !force {
		if err := store.CheckSnapshotFile(ctx, to); err != nil {
			return err
		}
	}
	made, err := writeSnapshot(ctx, cur, to)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s is of %s\n", to, render.Moment(made))
	return err
}

// checkSnapshotFile refuses to write over the database or over what is no file.
func checkSnapshotFile(cur *env.Curator, to string) error {
	info, err := os.Stat(to)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(to)); err != nil {
			return pipeline.Usage("there is no folder for %s: %v", to, err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	database, err := os.Stat(cur.Database())
	if !info.Mode().IsRegular() || err == nil && os.SameFile(info, database) {
		return pipeline.Usage("%s is no place for a snapshot; name a file of its own", to)
	}
	return nil
}

// writeSnapshot writes a snapshot and returns of when it is.
func writeSnapshot(ctx context.Context, cur *env.Curator, to string) (time.Time, error) {
	if _, err := os.Stat(cur.Database()); err != nil {
		return time.Time{}, pipeline.Need("there is no database at %s yet; wideswe run makes it", cur.Database())
	}
	db, err := store.Open(ctx, cur.Database(), store.Options{})
	switch {
	case store.InUse(err):
		err = copyLatest(cur, to, err)
	case err == nil:
		err = errors.Join(db.Snapshot(ctx, to), db.Close())
	}
	if err != nil {
		return time.Time{}, err
	}
	info, err := os.Stat(to)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// copyLatest copies the latest snapshot of the command that writes the database.
func copyLatest(cur *env.Curator, to string, inUse error) error {
	latest, err := os.Stat(cur.Snapshot())
	if err != nil {
		return inUse
	}
	if own, err := os.Stat(to); err == nil && os.SameFile(latest, own) {
		return nil // it is there already, and the command that writes renews it
	}
	return store.CopySnapshot(cur.Snapshot(), to)
}
