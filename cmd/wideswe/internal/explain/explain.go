package explain

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
)

// explainFiles holds the questions that explain asks: one folder a kind of item,
// one query a file, asked in the order of the names. $1 is the item (and $2 the
// number of a pull); the first comment line is the section's title.
//
//go:embed queries/*/*.sql
var explainFiles embed.FS

//go:embed queries/steps.sql
var candidateSteps string

func NewExplainCommand(a *env.Env) *cobra.Command {
	var asJSON bool
	var evaluation, run string
	c := &cobra.Command{
		Use:   "explain ITEM",
		Short: "Tell one item's story through all the stages, with the evidence",
		Long: "Tell the story of a pull (owner/name#N), a candidate or a task (its id, or a prefix that names one alone),\n" +
			"or an ecosystem (its name, or an organization that is of one alone): why it is in the list, and what became of it.\n" +
			"With --evaluation, of a task in an evaluation: why it is not resolved, with the first test that should pass, what it\n" +
			"printed, what the patch changed that decides how tests run, and where the log lies.",
		Example: `  wideswe explain ipfs/kubo#10863
  wideswe explain ipfs-boxo-kubo-1a2b3c4d
  wideswe explain ipfs
  wideswe explain ipfs-boxo-kubo-1a2b3c4d --evaluation out --run 'me joint'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if evaluation != "" {
				return explainEvaluated(a, args[0], evaluation, run, asJSON)
			}
			if run != "" {
				return pipeline.Usage("--run goes with --evaluation")
			}
			cur, err := a.Curator()
			if err != nil {
				return err
			}
			db, err := a.ReadDatabase(cmd.Context(), cur)
			if err != nil {
				return err
			}
			kind, values, err := findItem(cmd.Context(), db, args[0])
			if err != nil {
				return err
			}
			return explainItem(cmd.Context(), a, db, kind, values, asJSON)
		},
	}
	c.Flags().StringVar(&evaluation, "evaluation", "", "the folder that evaluate wrote: tell of a task in it")
	c.Flags().StringVar(&run, "run", "", "the run, as evaluate names it (default: every one)")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// pullAddress is a pull as a browser shows it.
var pullAddress = regexp.MustCompile(`^https?://[^/]+/([^/]+/[^/]+)/pull/([0-9]+)(?:[/?#].*)?$`)

// findItem says what the person means.
func findItem(ctx context.Context, db *store.DB, item string) (kind string, values []any, err error) {
	if m := pullAddress.FindStringSubmatch(item); m != nil {
		item = m[1] + "#" + m[2]
	}
	if repository, number, err := schema.ParsePullName(item); err == nil {
		known, err := pipeline.Column(ctx, db, "SELECT repository FROM all_pulls WHERE lower(repository) = lower(?) AND number = ?", repository, number)
		if err != nil {
			return "", nil, err
		}
		if len(known) == 0 {
			return "", nil, pipeline.Usage("pull %s is not in the database; wideswe sql -c \"SELECT * FROM crawl_health\" shows what was crawled", item)
		}
		return "pull", []any{known[0], number}, nil
	}
	ecosystems, err := pipeline.Column(ctx, db, `SELECT ecosystem FROM ecosystems WHERE lower(ecosystem) = lower(?)
		UNION ALL SELECT * FROM (SELECT min(ecosystem) FROM ecosystems
			WHERE list_contains(list_transform(organizations, o -> lower(o)), lower(?)) HAVING count(*) = 1) LIMIT 1`, item, item)
	if err != nil {
		return "", nil, err
	}
	if len(ecosystems) > 0 {
		return "ecosystem", []any{ecosystems[0]}, nil
	}
	for _, k := range []struct{ kind, query string }{
		{"task", "SELECT task_id FROM task_list WHERE starts_with(task_id, ?) ORDER BY task_id = ? DESC, 1"},
		{"candidate", "SELECT candidate_id FROM candidate_groups WHERE starts_with(candidate_id, ?) ORDER BY candidate_id = ? DESC, 1"},
	} {
		ids, err := pipeline.Column(ctx, db, k.query, item, item)
		if err != nil {
			return "", nil, err
		}
		if len(ids) == 1 || len(ids) > 1 && ids[0] == item {
			return k.kind, []any{ids[0]}, nil
		}
		if len(ids) > 1 {
			return "", nil, pipeline.Usage("%q names several: %s", item, strings.Join(ids[:min(len(ids), 8)], ", "))
		}
	}
	became, err := pipeline.Column(ctx, db, `SELECT DISTINCT old_candidate || ' is a candidate no more: ' || if(new_candidate = '',
		'its pulls ' || array_to_string(removed, ', ') || ' are in no candidate', 'its pulls are in ' || new_candidate)
		FROM lineage WHERE starts_with(old_candidate, ?) ORDER BY 1`, item)
	if err != nil {
		return "", nil, err
	}
	if item != "" && len(became) > 0 {
		return "", nil, pipeline.Usage("%s", strings.Join(became[:min(len(became), 8)], "; "))
	}
	return "", nil, pipeline.Usage("%q is no pull (owner/name#N), candidate, task or ecosystem of this folder; wideswe candidates lists the candidates, sql -c 'SELECT * FROM ecosystem_list' the ecosystems", item)
}

// section is one answer.
type section struct {
	Title string           `json:"title"`
	Rows  []map[string]any `json:"rows"`

	columns []string
	cells   [][]any
}

func explainItem(ctx context.Context, a *env.Env, db *store.DB, kind string, values []any, asJSON bool) error {
	names, err := fs.Glob(explainFiles, "queries/"+kind+"/*.sql")
	if err != nil {
		return err
	}
	var sections []section
	for _, n := range names {
		s, err := askSection(ctx, db, n, values)
		if err != nil {
			return fmt.Errorf("%s: %w", path.Base(n), err)
		}
		sections = append(sections, s)
	}
	if asJSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"kind": kind, "item": itemName(values), "sections": sections})
	}
	for _, s := range sections {
		printSection(a, s)
	}
	return nil
}

// itemName is what the person would write for the item.
func itemName(values []any) string {
	if len(values) == 2 {
		return fmt.Sprintf("%v#%v", values...)
	}
	return fmt.Sprint(values...)
}

func askSection(ctx context.Context, db *store.DB, name string, values []any) (section, error) {
	b, err := explainFiles.ReadFile(name)
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

func printSection(a *env.Env, s section) {
	if len(s.cells) == 0 {
		fmt.Fprintf(a.Out, "%s: none\n\n", s.Title)
		return
	}
	fmt.Fprintln(a.Out, s.Title)
	if len(s.cells) >= manyRows {
		printSectionTable(a, s)
		return
	}
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
			fmt.Fprintf(a.Out, "%s%s: %s\n", lead, s.columns[i], strings.Join(strings.Fields(text), " "))
		}
	}
	fmt.Fprintln(a.Out)
}

func printSectionTable(a *env.Env, s section) {
	rows := s.cells
	_ = render.Table(a.Out, s.columns, func() ([]any, error) {
		if len(rows) == 0 {
			return nil, nil
		}
		row := rows[0]
		rows = rows[1:]
		return row, nil
	})
	fmt.Fprintln(a.Out)
}
