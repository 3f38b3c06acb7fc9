package store

import "context"

// SaveSchema writes the tables and views of a database in memory to a new file for
// [Options]: of the rows only those that say which schema this is.
func (db *DB) SaveSchema(ctx context.Context, path string) error {
	return db.besideFile(ctx, path, "", `COPY FROM DATABASE memory TO saved (SCHEMA);
		INSERT INTO saved.migrations FROM memory.migrations;
		INSERT INTO saved.meta FROM memory.meta WHERE key IN ('views', 'schema_version')`)
}

// copySchema takes tables and views from the file at path into this empty database in
// memory. They were bound when they were made, which costs more than all else.
func (db *DB) copySchema(ctx context.Context, path string) error {
	return db.besideFile(ctx, path, " (READ_ONLY)", `COPY FROM DATABASE saved TO memory (SCHEMA);
		INSERT INTO memory.migrations FROM saved.migrations;
		INSERT INTO memory.meta FROM saved.meta`)
}

// besideFile runs statements while the file at path is attached as saved.
func (db *DB) besideFile(ctx context.Context, path, how, statements string) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "ATTACH "+quote(path)+" AS saved"+how); err != nil {
		return err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "DETACH saved") }()
	_, err = conn.ExecContext(ctx, statements)
	return err
}
