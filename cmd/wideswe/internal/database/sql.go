package database

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/evaluate"
)

func NewSQLCommand(a *env.Env) *cobra.Command {
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
			db, err := a.OpenTables(cmd.Context(), evaluation)
			if err != nil {
				return err
			}
			write := render.Table
			switch {
			case asJSON:
				write = render.JSON
			case asCSV:
				write = render.CSV
			}
			queries, err := readQueries(a, query)
			if err != nil {
				return err
			}
			for i, q := range queries {
				if i > 0 && !asJSON {
					fmt.Fprintln(a.Out)
				}
				if err := render.Query(cmd.Context(), db, q, a.Out, write); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVarP(&query, "command", "c", "", "the query, or several with semicolons between them")
	c.Flags().StringVar(&evaluation, "evaluation", "", "ask an evaluation instead: its folder, or its "+evaluate.StoreName)
	c.Flags().BoolVar(&asJSON, "json", false, "an array of objects")
	c.Flags().BoolVar(&asCSV, "csv", false, "comma-separated values with a header line")
	return c
}

func readQueries(a *env.Env, query string) ([]string, error) {
	if query == "" {
		b, err := io.ReadAll(bufio.NewReader(a.In))
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
