// Package explain is the commands that tell how something came about: wideswe explain and wideswe candidates. The
// questions are the SQL files of the folder queries: one folder for each kind of item, one query a file, asked in the
// order of the names. $1 is the item (and $2 the number of a pull); the first comment line is the section's title.
package explain

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
)

//go:embed queries/*/*.sql
var queryFiles embed.FS

//go:embed queries/steps.sql
var candidateSteps string

// options holds the flags of explain.
type options struct {
	env             *env.Env
	evaluation, run string
	json            bool
}

// NewExplainCommand returns wideswe explain.
func NewExplainCommand(e *env.Env) *cobra.Command {
	o := &options{env: e}
	c := &cobra.Command{
		Use:   "explain ITEM",
		Short: "Tell one item's story through all the stages, with the evidence",
		Long: `Tell the story of a pull (owner/name#N), a candidate or a task (its id, or a prefix that names one alone),
or an ecosystem (its name, or an organization that is of one alone): why it is in the list, and what became of it.
With --evaluation, of a task in an evaluation: why it is not resolved, with the first test that should pass, what it
printed, what the patch changed that decides how tests run, and where the log lies.`,
		Example: `  wideswe explain ipfs/kubo#10863
  wideswe explain ipfs-boxo-kubo-1a2b3c4d
  wideswe explain ipfs
  wideswe explain ipfs-boxo-kubo-1a2b3c4d --evaluation out --run 'me joint'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.evaluation != "" {
				return o.explainEvaluated(args[0])
			}
			return o.explain(cmd.Context(), args[0])
		},
	}
	c.Flags().StringVar(&o.evaluation, "evaluation", "", "the folder that evaluate wrote: tell of a task in it")
	c.Flags().StringVar(&o.run, "run", "", "the run, as evaluate names it (default: every one)")
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
	return c
}

// explain tells the story of an item of the curator's folder.
func (o *options) explain(ctx context.Context, name string) error {
	if o.run != "" {
		return pipeline.Usage("--run goes with --evaluation")
	}
	_, db, err := o.env.ReadFolderDatabase(ctx)
	if err != nil {
		return err
	}
	found, err := findItem(ctx, db, name)
	if err != nil {
		return err
	}
	sections, err := ask(ctx, db, found)
	if err != nil {
		return err
	}
	if o.json {
		return o.env.PrintJSON(map[string]any{"kind": found.kind, "item": found.String(), "sections": sections})
	}
	for _, s := range sections {
		s.print(o.env.Out)
	}
	return nil
}

// section is the answer to one question.
type section struct {
	Title string           `json:"title"`
	Rows  []map[string]any `json:"rows"`

	columns []string
	cells   [][]any
}

// ask asks every question on an item.
func ask(ctx context.Context, db *store.DB, i item) ([]section, error) {
	names, err := fs.Glob(queryFiles, "queries/"+i.kind+"/*.sql")
	if err != nil {
		return nil, err
	}
	var sections []section
	for _, n := range names {
		s, err := askSection(ctx, db, n, i.values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Base(n), err)
		}
		sections = append(sections, s)
	}
	return sections, nil
}

func askSection(ctx context.Context, db *store.DB, name string, values []any) (section, error) {
	b, err := queryFiles.ReadFile(name)
	if err != nil {
		return section{}, err
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(string(b), "-- "), "\n")
	s := section{Title: title, Rows: []map[string]any{}}
	rows, err := db.Query(ctx, strings.ReplaceAll(string(b), "{steps}", candidateSteps), values...)
	if err != nil {
		return s, err
	}
	defer rows.Close()
	columns, next, err := render.ReadRows(rows)
	if err != nil {
		return s, err
	}
	s.columns = columns
	for {
		row, err := next()
		if err != nil || row == nil {
			return s, err
		}
		m := map[string]any{}
		for i, v := range row {
			m[s.columns[i]] = v
		}
		s.Rows, s.cells = append(s.Rows, m), append(s.cells, row)
	}
}

// manyRows is from where on a section is a table; before, every field has its line.
const manyRows = 8

func (s section) print(w io.Writer) {
	if len(s.cells) == 0 {
		fmt.Fprintf(w, "%s: none\n\n", s.Title)
		return
	}
	fmt.Fprintln(w, s.Title)
	if len(s.cells) >= manyRows {
		s.printTable(w)
	} else {
		s.printFields(w)
	}
	fmt.Fprintln(w)
}

func (s section) printFields(w io.Writer) {
	for _, row := range s.cells {
		for i, v := range row {
			text := render.Cell(v)
			if text == "" || text == "[]" {
				continue
			}
			lead := "    "
			if i == 0 {
				lead = "  - "
			}
			fmt.Fprintf(w, "%s%s: %s\n", lead, s.columns[i], strings.Join(strings.Fields(text), " "))
		}
	}
}

func (s section) printTable(w io.Writer) {
	rows := s.cells
	_ = render.Table(w, s.columns, func() ([]any, error) {
		if len(rows) == 0 {
			return nil, nil
		}
		row := rows[0]
		rows = rows[1:]
		return row, nil
	})
}
