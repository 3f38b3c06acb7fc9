// Package database is the commands that read a database: wideswe sql, status, check, snapshot and export tables. What
// the tables and views mean is package schema's.
package database

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// sqlOptions holds the flags of sql.
type sqlOptions struct {
	env               *env.Env
	query, evaluation string
	json, csv         bool
}

// NewSQLCommand returns wideswe sql.
func NewSQLCommand(e *env.Env) *cobra.Command {
	o := &sqlOptions{env: e}
	c := &cobra.Command{
		Use:   "sql [-c QUERY]",
		Short: "Ask the database in SQL (DuckDB), with -c or on stdin; a semicolon ends a query",
		Example: `  wideswe sql -c 'SELECT * FROM funnel'
  wideswe sql --csv -c 'SELECT * FROM candidates ORDER BY latest_merged_at DESC'
  wideswe sql --evaluation out -c 'SELECT configuration, status, count(*) FROM evaluation_tasks GROUP BY ALL'
  wideswe sql --evaluation out -c "SELECT view_name FROM duckdb_views() WHERE view_name LIKE 'evaluation%'"
  wideswe sql -c "SELECT table_name FROM information_schema.tables ORDER BY 1"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := c.Flags()
	f.StringVarP(&o.query, "command", "c", "", "the query, or several with semicolons between them")
	f.StringVar(&o.evaluation, "evaluation", "", "ask an evaluation instead: its folder, or its "+results.StoreName)
	f.BoolVar(&o.json, "json", false, "an array of objects")
	f.BoolVar(&o.csv, "csv", false, "comma-separated values with a header line")
	return c
}

func (o *sqlOptions) run(ctx context.Context) error {
	if o.json && o.csv {
		return pipeline.Usage("choose one of --json and --csv")
	}
	db, err := o.env.OpenTables(ctx, o.evaluation)
	if err != nil {
		return err
	}
	write := render.TableOrJSON(o.json)
	if o.csv {
		write = render.CSV
	}
	queries, err := o.queries()
	if err != nil {
		return err
	}
	for i, q := range queries {
		if i > 0 && !o.json {
			fmt.Fprintln(o.env.Out)
		}
		if err := render.Query(ctx, db, q, o.env.Out, write); err != nil {
			return err
		}
	}
	return nil
}

// queries returns the queries of -c, or else of stdin.
func (o *sqlOptions) queries() ([]string, error) {
	text := o.query
	if text == "" {
		b, err := io.ReadAll(bufio.NewReader(o.env.In))
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	list := splitQueries(text)
	if len(list) == 0 {
		return nil, pipeline.Usage("there is no query; give one with -c or on stdin")
	}
	return list, nil
}
