package database

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/tables"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// tablesOptions holds the flags of export tables.
type tablesOptions struct {
	env             *env.Env
	dir, evaluation string
	choice          tables.Choice
	json            bool
}

// NewExportTablesCommand returns wideswe export tables.
func NewExportTablesCommand(e *env.Env) *cobra.Command {
	o := &tablesOptions{env: e}
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
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := c.Flags()
	f.StringVar(&o.dir, "parquet", "", "the folder to write")
	f.StringSliceVar(&o.choice.Only, "only", nil, "these tables and views alone")
	f.StringVar(&o.evaluation, "evaluation", "", "an evaluation's tables instead: its folder, or its "+results.StoreName)
	f.BoolVar(&o.choice.All, "all", false, "the tables that other views hold the same of, too")
	f.BoolVar(&o.json, "json", false, "the manifest on stdout")
	return c
}

func (o *tablesOptions) run(ctx context.Context) error {
	if o.dir == "" {
		return pipeline.Usage("--parquet is missing; give the folder to write")
	}
	db, err := o.env.OpenTables(ctx, o.evaluation)
	if err != nil {
		return err
	}
	o.choice.Evaluation = o.evaluation != ""
	m, err := tables.Write(ctx, db, o.dir, o.choice)
	if err != nil {
		return err
	}
	if o.json {
		return render.Indented(o.env.Out, m)
	}
	var rows, bytes int64
	for _, t := range m.Tables {
		rows, bytes = rows+t.Rows, bytes+t.Bytes
	}
	_, err = fmt.Fprintf(o.env.Out, "%s: %d tables, %d rows, %s; manifest.json says what each holds\n",
		o.dir, len(m.Tables), rows, render.Bytes(bytes))
	return err
}
