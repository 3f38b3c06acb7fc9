package main

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

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// tablesFormat marks a folder of Parquet files as ours.
const tablesFormat = "wideswe tables"

// leftOut names the tables that analysts have better views of; --all writes them, too.
var leftOut = map[string]string{
	"repository_versions": "repositories has the latest",
	"pull_versions":       "pulls has the latest",
	"all_pulls":           "pulls has those that are merged",
	"issue_versions":      "issues has the latest",
	"known_numbers":       "links tells the target's kind and state",
	"pull_commits":        "pulls has both commits",
	"link_occurrences":    "links and external_links have them under readable names",
	"paper_links":         "paper_link_list has them under readable names",
	"ecosystems":          "ecosystem_list has them",
	"edges":               "edge_list has them under readable names",
	"records":             "record_list has them under readable names",
	"reviews":             "review_list has them",
	"pull_files":          "files has them under readable names",
	"pull_comments":       "comments has them under readable names",
	"outcomes":            "outcomes_latest has the newest",
	"crawl_pages":         "crawl_health counts them",
	"pull_landings":       "landings has them under readable names",
	"migrations":          "the program's own",
	"evaluation_states":   "an evaluation's; evaluation_targets, evaluation_tasks and evaluation_results have them",
	"evaluation_tests":    "an evaluation's; evaluation_targets, evaluation_tasks and evaluation_results have them",
	"evaluation_verdicts": "an evaluation's; evaluation_targets, evaluation_tasks and evaluation_results have them",
}

// evaluationTables begins the names of what an evaluation's store fills.
const evaluationTables = "evaluation_"

// tablesManifest says what the folder holds.
type tablesManifest struct {
	Format  string            `json:"format"`
	Version int               `json:"version"`
	About   map[string]string `json:"about"`
	Tables  []tableFile       `json:"tables"`
	LeftOut map[string]string `json:"left_out"`
}

type tableFile struct {
	Name    string        `json:"name"`
	File    string        `json:"file"`
	Kind    string        `json:"kind"` // view, table
	Grain   string        `json:"grain,omitempty"`
	Key     []string      `json:"key,omitempty"`
	Rows    int64         `json:"rows"`
	Bytes   int64         `json:"bytes"`
	SHA256  string        `json:"sha256"`
	Columns []tableColumn `json:"columns"`
}

type tableColumn struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	FilledBy string `json:"filled_by,omitempty"`
}

func (a *app) exportTables() *cobra.Command {
	var dir, evaluation string
	var only []string
	var all, asJSON bool
	c := &cobra.Command{
		Use: "tables --parquet DIR", Args: cobra.NoArgs,
		Short: "Write the tables and views that analysts use as Parquet files, with a manifest",
		Long: `Write the tables and views that analysts use as Parquet files, one a table, with manifest.json: grain,
keys, columns and the stage that fills them, rows, checksums. DIR must be absent, empty or an earlier
export, which is replaced. While another command writes the database, its snapshot is exported.
With --evaluation the tables are an evaluation's: runs, tasks, repositories and tests.`,
		Example: `  wideswe export tables --parquet tables
  wideswe export tables --parquet tables --only pulls,links,candidate_overview
  wideswe export tables --parquet results --evaluation out
  duckdb -c "SELECT * FROM 'tables/candidate_overview.parquet'"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return pipeline.Usage("--parquet is missing; give the folder to write")
			}
			db, err := a.readTablesOf(cmd.Context(), evaluation)
			if err != nil {
				return err
			}
			m, err := writeTables(cmd.Context(), db, dir, func(name string) bool {
				_, out := leftOut[name]
				if len(only) == 0 && strings.HasPrefix(name, evaluationTables) != (evaluation != "") && !all {
					return evaluation != "" && name == "meta"
				}
				return slices.Contains(only, name) || len(only) == 0 && (all && name != "migrations" || !out)
			}, only)
			if err != nil {
				return err
			}
			return a.printTables(dir, m, asJSON)
		},
	}
	c.Flags().StringVar(&dir, "parquet", "", "the folder to write")
	c.Flags().StringSliceVar(&only, "only", nil, "these tables and views alone")
	c.Flags().StringVar(&evaluation, "evaluation", "", "an evaluation's tables instead: its folder, or its "+results.StoreName)
	c.Flags().BoolVar(&all, "all", false, "the tables that other views hold the same of, too")
	c.Flags().BoolVar(&asJSON, "json", false, "the manifest on stdout")
	return c
}

func (a *app) printTables(dir string, m *tablesManifest, asJSON bool) error {
	if asJSON {
		return writeIndented(a.out, m)
	}
	var rows, bytes int64
	for _, t := range m.Tables {
		rows, bytes = rows+t.Rows, bytes+t.Bytes
	}
	_, err := fmt.Fprintf(a.out, "%s: %d tables, %d rows, %s; manifest.json says what each holds\n", dir, len(m.Tables), rows, bytesText(bytes))
	return err
}

func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// writeTables writes a new folder beside dir and puts it in its place when it is whole.
func writeTables(ctx context.Context, db *store.DB, dir string, wanted func(string) bool, named []string) (*tablesManifest, error) {
	if err := tablesTarget(dir); err != nil {
		return nil, err
	}
	tables, err := readTables(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, n := range named {
		if !slices.ContainsFunc(tables, func(t tableFile) bool { return t.Name == n }) {
			return nil, pipeline.Usage("there is no table or view %q; wideswe sql -c \"SHOW TABLES\" lists them", n)
		}
	}
	dir = filepath.Clean(dir)
	part, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".part-")
	if err != nil {
		return nil, pipeline.Need("the folder for %s can't be written: %v", dir, err)
	}
	defer os.RemoveAll(part)
	m := &tablesManifest{Format: tablesFormat, Version: 1, LeftOut: map[string]string{}}
	if m.About, err = about(ctx, db); err != nil {
		return nil, err
	}
	for _, t := range tables {
		if !wanted(t.Name) {
			if why, ok := leftOut[t.Name]; ok {
				m.LeftOut[t.Name] = why
			}
			continue
		}
		if err := copyTable(ctx, db, part, &t); err != nil {
			return nil, fmt.Errorf("writing %s: %w", t.Name, err)
		}
		m.Tables = append(m.Tables, t)
	}
	f, err := os.Create(filepath.Join(part, "manifest.json"))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeIndented(f, m), f.Close(), os.Chmod(part, 0o755)); err != nil {
		return nil, err
	}
	return m, replaceFolder(part, dir)
}

// tablesTarget refuses a folder that holds anything but an earlier export.
func tablesTarget(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o755)
	}
	if err != nil {
		return pipeline.Usage("%s is no folder to write to: %v", dir, err)
	}
	var m tablesManifest
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if len(entries) > 0 && (err != nil || json.Unmarshal(b, &m) != nil || m.Format != tablesFormat) {
		return pipeline.Usage("%s holds other things than tables that were exported; give an absent or empty folder", dir)
	}
	for _, e := range entries {
		if e.Name() != "manifest.json" && !strings.HasSuffix(e.Name(), ".parquet") {
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

func about(ctx context.Context, db pipeline.Queryer) (map[string]string, error) {
	rows, err := db.Query(ctx, "SELECT key, value FROM about")
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(p *[2]string) []any { return []any{&p[0], &p[1]} })
	m := map[string]string{}
	for _, p := range list {
		m[p[0]] = p[1]
	}
	return m, err
}

// readTables lists every table and view with its columns, by name.
func readTables(ctx context.Context, db pipeline.Queryer) ([]tableFile, error) {
	views, err := schema.Views()
	if err != nil {
		return nil, err
	}
	byName := map[string]schema.View{}
	for _, v := range views {
		byName[v.Name] = v
	}
	rows, err := db.Query(ctx, `SELECT table_name, column_name, data_type FROM duckdb_columns()
		WHERE NOT internal AND schema_name = 'main' ORDER BY table_name, column_index`)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(c *[3]string) []any { return []any{&c[0], &c[1], &c[2]} })
	var tables []tableFile
	for _, c := range list {
		v, isView := byName[c[0]]
		if n := len(tables); n == 0 || tables[n-1].Name != c[0] {
			t := tableFile{Name: c[0], File: c[0] + ".parquet", Kind: "table", Grain: v.Grain, Key: v.Key}
			if isView {
				t.Kind = "view"
			}
			tables = append(tables, t)
		}
		t := &tables[len(tables)-1]
		t.Columns = append(t.Columns, tableColumn{Name: c[1], Type: c[2], FilledBy: v.Stage(c[1])})
	}
	return tables, err
}

func copyTable(ctx context.Context, db *store.DB, dir string, t *tableFile) error {
	path := filepath.Join(dir, t.File)
	rows, err := db.Query(ctx, fmt.Sprintf("COPY (FROM %s) TO '%s' (FORMAT parquet, COMPRESSION zstd)", t.Name, strings.ReplaceAll(path, "'", "''")))
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
