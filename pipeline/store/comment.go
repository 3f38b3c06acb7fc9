package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// comment stores the comments of the views and their columns as COMMENTs in the database. A database in memory has no
// readers who could ask for them.
func (db *DB) comment(ctx context.Context, tx pipeline.Tx) error {
	if db.path == "" {
		return nil
	}
	views, err := schema.Views()
	if err != nil {
		return err
	}
	columns, err := viewColumns(ctx, tx)
	if err != nil {
		return err
	}
	var all strings.Builder
	for _, v := range views {
		fmt.Fprintf(&all, "COMMENT ON VIEW %s IS %s;\n", v.Name, quote(v.Comment()))
		for _, c := range columns[v.Name] {
			if text := v.ColumnComment(c); text != "" {
				fmt.Fprintf(&all, "COMMENT ON COLUMN %s.%s IS %s;\n", v.Name, name(c), quote(text))
			}
		}
	}
	return tx.Exec(ctx, all.String())
}

func viewColumns(ctx context.Context, tx pipeline.Tx) (map[string][]string, error) {
	rows, err := tx.Query(ctx, `SELECT c.table_name, c.column_name FROM duckdb_columns() c
		JOIN duckdb_views() v ON v.view_name = c.table_name WHERE NOT v.internal AND c.schema_name = v.schema_name
		ORDER BY c.table_name, c.column_index`)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(c *[2]string) []any { return []any{&c[0], &c[1]} })
	columns := map[string][]string{}
	for _, c := range list {
		columns[c[0]] = append(columns[c[0]], c[1])
	}
	return columns, err
}

// quote returns a string as an SQL literal, name an identifier in quotes.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
func name(s string) string  { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
