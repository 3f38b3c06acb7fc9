package tables

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// manifestFile is the name of the manifest in a folder of tables.
const manifestFile = "manifest.json"

// Write writes tables and views into a folder, which must be absent, empty or an earlier export. The new folder is
// written beside it and replaces it when it is complete.
func Write(ctx context.Context, db pipeline.Queryer, dir string, c Choice) (*Manifest, error) {
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	tables, err := List(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, n := range c.Only {
		if !slices.ContainsFunc(tables, func(t Table) bool { return t.Name == n }) {
			return nil, pipeline.Usage("there is no table or view %q; wideswe sql -c \"SHOW TABLES\" lists them", n)
		}
	}
	dir = filepath.Clean(dir)
	part, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".part-")
	if err != nil {
		return nil, pipeline.Need("the folder for %s can't be written: %v", dir, err)
	}
	defer os.RemoveAll(part)
	m := &Manifest{Format: format, Version: 1, LeftOut: map[string]string{}}
	if m.About, err = about(ctx, db); err != nil {
		return nil, err
	}
	if err := m.writeTables(ctx, db, part, tables, c); err != nil {
		return nil, err
	}
	if err := errors.Join(m.write(filepath.Join(part, manifestFile)), os.Chmod(part, 0o755)); err != nil {
		return nil, err
	}
	return m, replaceFolder(part, dir)
}

// writeTables writes the tables that are chosen and notes why others are left out.
func (m *Manifest) writeTables(ctx context.Context, db pipeline.Queryer, dir string, tables []Table, c Choice) error {
	reasons := leftOut()
	for _, t := range tables {
		if !c.includes(t.Name) {
			if why, ok := reasons[t.Name]; ok {
				m.LeftOut[t.Name] = why
			}
			continue
		}
		if err := copyTable(ctx, db, dir, &t); err != nil {
			return fmt.Errorf("writing %s: %w", t.Name, err)
		}
		m.Tables = append(m.Tables, t)
	}
	return nil
}

// write writes the manifest.
func (m *Manifest) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return errors.Join(enc.Encode(m), f.Close())
}

// checkFolder refuses a folder that holds anything but an earlier export.
func checkFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o755)
	}
	if err != nil {
		return pipeline.Usage("%s is no folder to write to: %v", dir, err)
	}
	var m Manifest
	b, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if len(entries) > 0 && (err != nil || json.Unmarshal(b, &m) != nil || m.Format != format) {
		return pipeline.Usage("%s holds other things than tables that were exported; give an absent or empty folder", dir)
	}
	for _, e := range entries {
		if e.Name() != manifestFile && !strings.HasSuffix(e.Name(), ".parquet") {
			return pipeline.Usage("%s holds %s, which would be lost; give an absent or empty folder", dir, e.Name())
		}
	}
	return nil
}

func replaceFolder(part, dir string) error {
	old := part + "-old"
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(os.Rename(part, dir), os.RemoveAll(old))
}

// about reads what the database says of itself.
func about(ctx context.Context, db pipeline.Queryer) (map[string]string, error) {
	rows, err := db.Query(ctx, "SELECT key, value FROM about")
	if err != nil {
		return nil, err
	}
	type entry struct{ key, value string }
	list, err := pipeline.Scan(rows, func(e *entry) []any { return []any{&e.key, &e.value} })
	m := map[string]string{}
	for _, e := range list {
		m[e.key] = e.value
	}
	return m, err
}

// copyTable writes one table and notes its rows, its size and its checksum.
func copyTable(ctx context.Context, db pipeline.Queryer, dir string, t *Table) error {
	path := filepath.Join(dir, t.File)
	rows, err := db.Query(ctx, fmt.Sprintf("COPY (FROM %s) TO '%s' (FORMAT parquet, COMPRESSION zstd)",
		t.Name, strings.ReplaceAll(path, "'", "''")))
	if err != nil {
		return err
	}
	counts, err := pipeline.Scan[int64](rows, nil)
	if err != nil {
		return err
	}
	for _, n := range counts {
		t.Rows += n
	}
	t.Bytes, t.SHA256, err = fileSum(path)
	return err
}

func fileSum(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return size, hex.EncodeToString(h.Sum(nil)), err
}
