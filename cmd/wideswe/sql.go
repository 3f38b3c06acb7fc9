package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

func (a *app) sqlCommand() *cobra.Command {
	var query, evaluation string
	var asJSON, asCSV bool
	c := &cobra.Command{
		Use:   "sql [-c QUERY]",
		Short: "Ask the database in SQL (DuckDB), with -c or on stdin; a semicolon ends a query",
		Example: `  wideswe sql -c 'SELECT * FROM funnel'
  wideswe sql --csv -c 'SELECT * FROM candidates ORDER BY latest_merged_at DESC'
  wideswe sql --evaluation out -c 'SELECT configuration, status, count(*) FROM evaluation_tasks GROUP BY ALL'
  wideswe sql --evaluation out -c "SELECT view_name FROM duckdb_views() WHERE view_name LIKE 'evaluation%'"
  wideswe sql -c "SELECT table_name FROM information_schema.tables ORDER BY 1"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && asCSV {
				return pipeline.Usage("choose one of --json and --csv")
			}
			db, err := a.readTablesOf(cmd.Context(), evaluation)
			if err != nil {
				return err
			}
			render := writeTable
			switch {
			case asJSON:
				render = writeJSON
			case asCSV:
				render = writeCSV
			}
			queries, err := a.queries(query)
			if err != nil {
				return err
			}
			for i, q := range queries {
				if i > 0 && !asJSON {
					fmt.Fprintln(a.out)
				}
				if err := ask(cmd.Context(), db, q, a.out, render); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVarP(&query, "command", "c", "", "the query, or several with semicolons between them")
	c.Flags().StringVar(&evaluation, "evaluation", "", "ask an evaluation instead: its folder, or its "+results.StoreName)
	c.Flags().BoolVar(&asJSON, "json", false, "an array of objects")
	c.Flags().BoolVar(&asCSV, "csv", false, "comma-separated values with a header line")
	return c
}

func (a *app) queries(query string) ([]string, error) {
	if query == "" {
		b, err := io.ReadAll(bufio.NewReader(a.in))
		if err != nil {
			return nil, err
		}
		query = string(b)
	}
	list := splitQueries(query)
	if len(list) == 0 {
		return nil, pipeline.Usage("there is no query; give one with -c or on stdin")
	}
	return list, nil
}

type renderer func(w io.Writer, columns []string, next func() ([]any, error)) error

func ask(ctx context.Context, db pipeline.Queryer, query string, w io.Writer, render renderer) error {
	rows, err := db.Query(ctx, query)
	if err != nil {
		return pipeline.Usage("%v", err)
	}
	defer rows.Close()
	columns, next, err := readRows(rows)
	if err != nil {
		return err
	}
	return render(w, columns, next)
}

// readRows gives the columns' names and a function for the next row's plain values,
// which is nil at the end.
func readRows(rows *sql.Rows) (columns []string, next func() ([]any, error), err error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, nil, err
	}
	for _, t := range types {
		columns = append(columns, t.Name())
	}
	return columns, func() ([]any, error) {
		if !rows.Next() {
			return nil, rows.Err()
		}
		values, places := make([]any, len(types)), make([]any, len(types))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		for i, t := range types {
			values[i] = store.Plain(values[i], t.DatabaseTypeName())
		}
		return values, nil
	}, nil
}

func writeTable(w io.Writer, columns []string, next func() ([]any, error)) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(columns, "\t"))
	for {
		row, err := next()
		if err != nil || row == nil {
			return firstError(err, t.Flush())
		}
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(cellText(v))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
}

func writeCSV(w io.Writer, columns []string, next func() ([]any, error)) error {
	c := csv.NewWriter(w)
	if err := c.Write(columns); err != nil {
		return err
	}
	for {
		row, err := next()
		if err != nil || row == nil {
			c.Flush()
			return firstError(err, c.Error())
		}
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = cellText(v)
		}
		if err := c.Write(cells); err != nil {
			return err
		}
	}
}

func writeJSON(w io.Writer, columns []string, next func() ([]any, error)) error {
	sep := "["
	for {
		row, err := next()
		if err != nil {
			return err
		}
		if row == nil {
			if sep == "[" {
				fmt.Fprint(w, "[")
			}
			_, err := fmt.Fprintln(w, "]")
			return err
		}
		fmt.Fprint(w, sep, "\n  ")
		sep = ","
		if err := writeObject(w, columns, row); err != nil {
			return err
		}
	}
}

// writeObject keeps the columns' order, which a map would lose.
func writeObject(w io.Writer, columns []string, row []any) error {
	for i, v := range row {
		open := ", "
		if i == 0 {
			open = "{"
		}
		name, err := json.Marshal(columns[i])
		if err != nil {
			return err
		}
		value, err := marshal(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s%s: %s", open, name, value)
	}
	_, err := fmt.Fprint(w, "}")
	return err
}

// marshal leaves <, > and & as they are: they are read in terminals, not in pages.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// cellText is a plain value in a table or CSV; a structure stays JSON.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			if parts[i] = cellText(x); x == nil {
				parts[i] = "NULL"
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		if b, err := marshal(v); err == nil {
			return string(b)
		}
	}
	return fmt.Sprint(v)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
