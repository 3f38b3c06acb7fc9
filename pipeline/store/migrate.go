package store

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// migrate runs the migrations that this file has not seen, each in its own
// transaction, then makes the views anew; a new file is made in one, since each costs
// a wait for the disk.
func (db *DB) migrate(ctx context.Context) error {
	applied, err := db.applied(ctx)
	if err != nil {
		return err
	}
	names, err := sqlFiles("migrations")
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return applied[n] })
	if len(applied) == 0 {
		return db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
			if err := runMigrations(ctx, tx, names); err != nil {
				return err
			}
			return db.makeViews(ctx, tx)
		})
	}
	for _, name := range names {
		if err := db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
			return runMigrations(ctx, tx, []string{name})
		}); err != nil {
			return err
		}
	}
	if err := db.renewViews(ctx, len(names) > 0); err != nil {
		return pipeline.Need("the database %s has tables of another version of wideswe (%v); move it away, then wideswe "+
			"crawl --replay and wideswe run rebuild it from the kept pages and decision files", db.path, err)
	}
	return nil
}

func runMigrations(ctx context.Context, tx pipeline.Tx, names []string) error {
	for _, name := range names {
		if err := execFile(ctx, tx, "migrations/"+name); err != nil {
			return err
		}
		if err := tx.Exec(ctx, "INSERT INTO migrations VALUES (?)", name); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) applied(ctx context.Context) (map[string]bool, error) {
	if err := db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS migrations (name VARCHAR NOT NULL)")
	}); err != nil {
		return nil, err
	}
	rows, err := db.Query(ctx, "SELECT name FROM migrations")
	if err != nil {
		return nil, err
	}
	names, err := pipeline.Scan[string](rows, nil)
	applied := map[string]bool{}
	for _, n := range names {
		applied[n] = true
	}
	return applied, err
}

// renewViews makes the views where a migration ran or the program's views differ from
// the file's: their text is kept in meta.
func (db *DB) renewViews(ctx context.Context, changed bool) error {
	same, err := db.sameSchema(ctx)
	if err != nil || same && !changed {
		return err
	}
	return db.InTx(ctx, db.makeViews)
}

func (db *DB) makeViews(ctx context.Context, tx pipeline.Tx) error {
	names, err := sqlFiles("views")
	if err != nil {
		return err
	}
	hash, err := viewsHash(names)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := execFile(ctx, tx, "views/"+n); err != nil {
			return err
		}
	}
	if err := db.comment(ctx, tx); err != nil {
		return err
	}
	if err := tx.Exec(ctx, "DELETE FROM meta WHERE key IN ('views', 'schema_version')"); err != nil {
		return err
	}
	return tx.Exec(ctx, "INSERT INTO meta VALUES ('views', ?), ('schema_version', ?)", hash, schema.Version)
}

func viewsHash(names []string) (string, error) {
	migrations, err := sqlFiles("migrations")
	if err != nil {
		return "", err
	}
	all := strings.Join(migrations, "\n")
	files := []string{"columns.txt"}
	for _, n := range names {
		files = append(files, "views/"+n)
	}
	for _, n := range files {
		b, err := schema.Files.ReadFile(n)
		if err != nil {
			return "", err
		}
		all += string(b)
	}
	return pipeline.Hash(all), nil
}

func (db *DB) storedViews(ctx context.Context) (string, error) {
	rows, err := db.Query(ctx, "SELECT value FROM meta WHERE key = 'views'")
	if err != nil {
		return "", err
	}
	old, err := pipeline.Scan[string](rows, nil)
	if err != nil || len(old) == 0 {
		return "", err
	}
	return old[0], nil
}

// sameSchema says whether the file has this program's tables and views.
func (db *DB) sameSchema(ctx context.Context) (bool, error) {
	names, err := sqlFiles("views")
	if err != nil {
		return false, err
	}
	hash, err := viewsHash(names)
	if err != nil {
		return false, err
	}
	stored, err := db.storedViews(ctx)
	return stored == hash, err
}

func sqlFiles(dir string) ([]string, error) {
	names, err := fs.Glob(schema.Files, dir+"/*.sql")
	for i := range names {
		names[i] = path.Base(names[i])
	}
	sort.Strings(names)
	return names, err
}

func execFile(ctx context.Context, tx pipeline.Tx, name string) error {
	b, err := schema.Files.ReadFile(name)
	if err != nil {
		return err
	}
	if err := tx.Exec(ctx, string(b)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Check runs the checks of schema/checks and returns the names of those that find a row.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	names, err := sqlFiles("checks")
	if err != nil {
		return nil, err
	}
	var broken []string
	for _, n := range names {
		b, err := schema.Files.ReadFile("checks/" + n)
		if err != nil {
			return nil, err
		}
		rows, err := db.Query(ctx, string(b))
		if err != nil {
			return nil, fmt.Errorf("checks/%s: %w", n, err)
		}
		if rows.Next() {
			broken = append(broken, strings.TrimSuffix(n, ".sql"))
		}
		if err := rows.Close(); err != nil {
			return nil, err
		}
	}
	return broken, nil
}
