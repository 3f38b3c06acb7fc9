// Package tables writes the tables and views of a database as Parquet files with a manifest, for analysts who work
// without the database.
package tables

import (
	"context"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// format marks a folder of Parquet files as ours.
const format = "wideswe tables"

// Manifest describes a folder of tables.
type Manifest struct {
	Format  string            `json:"format"`
	Version int               `json:"version"`
	About   map[string]string `json:"about"`
	Tables  []Table           `json:"tables"`
	LeftOut map[string]string `json:"left_out"`
}

// Table is a table or a view, and the file that holds it.
type Table struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	Kind    string   `json:"kind"` // view, table
	Grain   string   `json:"grain,omitempty"`
	Key     []string `json:"key,omitempty"`
	Rows    int64    `json:"rows"`
	Bytes   int64    `json:"bytes"`
	SHA256  string   `json:"sha256"`
	Columns []Column `json:"columns"`
}

// Column is a column of a table or a view.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Comment  string `json:"comment,omitempty"`
	FilledBy string `json:"filled_by,omitempty"`
}

// List returns every table and view with its columns, by name.
func List(ctx context.Context, db pipeline.Queryer) ([]Table, error) {
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
	type column struct{ table, name, kind string }
	list, err := pipeline.Scan(rows, func(c *column) []any { return []any{&c.table, &c.name, &c.kind} })
	var tables []Table
	for _, c := range list {
		v, isView := byName[c.table]
		if n := len(tables); n == 0 || tables[n-1].Name != c.table {
			t := Table{Name: c.table, File: c.table + ".parquet", Kind: "table", Grain: v.Grain, Key: v.Key}
			if isView {
				t.Kind = "view"
			}
			tables = append(tables, t)
		}
		t := &tables[len(tables)-1]
		t.Columns = append(t.Columns, Column{Name: c.name, Type: c.kind, Comment: v.Columns[c.name],
			FilledBy: v.Stage(c.name)})
	}
	return tables, err
}

// Choice says which tables and views are written.
type Choice struct {
	Only       []string // these alone
	All        bool     // also the tables that other views hold the same of
	Evaluation bool     // the database is an evaluation's
}

// includes reports whether a table or view is written.
func (c Choice) includes(name string) bool {
	if len(c.Only) > 0 {
		return slices.Contains(c.Only, name)
	}
	if c.All {
		return name != "migrations"
	}
	if strings.HasPrefix(name, evaluationTables) != c.Evaluation {
		return c.Evaluation && name == "meta"
	}
	_, out := leftOut()[name]
	return !out
}

// evaluationTables begins the names of what an evaluation's store fills.
const evaluationTables = "evaluation_"

// leftOut has the tables that analysts have better views of, and which.
func leftOut() map[string]string {
	const ofEvaluation = "an evaluation's; evaluation_targets, evaluation_tasks and evaluation_results have them"
	return map[string]string{
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
		"evaluation_states":   ofEvaluation,
		"evaluation_tests":    ofEvaluation,
		"evaluation_verdicts": ofEvaluation,
	}
}
