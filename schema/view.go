package schema

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// View describes a view: the comments at the head of its file in views/. The database keeps them as the COMMENTs of the
// view and its columns, where any client finds them.
//
//	-- Grain: One row per pull of the inventory; …
//	-- Key: repository_id, number.
//	-- From: crawl *; inspect files test_signal.
//	-- Columns:
//	--   files: Files that the pull changes; null before inspect.
//	-- Example: merged pulls per month.
//	--   SELECT date_trunc('month', merged_at) AS month, count(*) FROM pulls GROUP BY month
type View struct {
	Name string
	// Grain says what one row is.
	Grain string
	// Key lists the columns that identify a row.
	Key []string
	// From lists the stages and the columns that each of them fills.
	From []Filling
	// Columns holds the comments of columns: the view's own, then those of columns.txt.
	Columns map[string]string
	// Example is a query that answers a common question.
	Example Example
}

// Example is a worked example of a view.
type Example struct{ Title, SQL string }

// Filling is a stage, or several, and the columns that it fills. "*" stands for all columns that no other filling
// names.
type Filling struct {
	Stage   string
	Columns []string
}

// Views returns the views in the order in which they are created.
func Views() ([]View, error) {
	names, err := fs.Glob(Files, "views/*.sql")
	if err != nil {
		return nil, err
	}
	shared, err := SharedColumns()
	if err != nil {
		return nil, err
	}
	var list []View
	for _, n := range names {
		b, err := Files.ReadFile(n)
		if err != nil {
			return nil, err
		}
		v, err := parseView(string(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Base(n), err)
		}
		own := v.Columns
		v.Columns = maps.Clone(shared)
		maps.Copy(v.Columns, own)
		list = append(list, v)
	}
	return list, nil
}

// SharedColumns returns the comments of columns.txt, by column name. They hold in every view that has no comment of its
// own for the column.
func SharedColumns() (map[string]string, error) {
	b, err := Files.ReadFile("columns.txt")
	if err != nil {
		return nil, err
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(b)), "\n"), func(l string) bool {
		return strings.HasPrefix(l, "#")
	})
	columns, err := parseColumns(lines)
	if err != nil {
		return nil, fmt.Errorf("columns.txt: %w", err)
	}
	return columns, nil
}

var createView = regexp.MustCompile(`(?m)^CREATE OR REPLACE VIEW (\w+) AS`)

// parseView reads the head of a view's file. Every part but the grain may be left out.
func parseView(text string) (View, error) {
	at := createView.FindStringSubmatchIndex(text)
	if at == nil {
		return View{}, fmt.Errorf("no CREATE OR REPLACE VIEW")
	}
	head := strings.ReplaceAll(strings.TrimSpace(text[:at[0]]), "\n-- ", "\n")
	head, example, _ := strings.Cut(head, "\nExample: ")
	head, columns, _ := strings.Cut(head, "\nColumns:\n")
	head, from, _ := strings.Cut(head, "\nFrom: ")
	head, key, _ := strings.Cut(head, "\nKey: ")
	grain, ok := strings.CutPrefix(head, "-- Grain: ")
	if !ok {
		return View{}, fmt.Errorf("the head does not begin with Grain")
	}
	v := View{Name: text[at[2]:at[3]], Grain: strings.ReplaceAll(grain, "\n", " ")}
	title, sql, _ := strings.Cut(example, "\n")
	v.Example = Example{sentence(title), strings.ReplaceAll(strings.TrimPrefix(sql, "  "), "\n  ", "\n")}
	if key != "" {
		v.Key = strings.Split(sentence(key), ", ")
	}
	var err error
	if v.Columns, err = parseColumns(unindent(columns)); err != nil || from == "" {
		return v, err
	}
	v.From, err = parseFrom(sentence(from))
	return v, err
}

func unindent(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "  "))
	}
	return lines
}

// parseColumns reads lines "name: comment". An indented line continues the comment before it.
func parseColumns(lines []string) (map[string]string, error) {
	columns, last := map[string]string{}, ""
	for _, line := range lines {
		if more, ok := strings.CutPrefix(line, "  "); ok && last != "" {
			columns[last] += " " + more
			continue
		}
		name, text, ok := strings.Cut(line, ": ")
		if _, twice := columns[name]; !ok || twice {
			return nil, fmt.Errorf("line %q is not the only comment of a column", line)
		}
		columns[name], last = text, name
	}
	return columns, nil
}

// parseFrom reads "crawl *; group, dedupe status reason".
func parseFrom(from string) ([]Filling, error) {
	var list []Filling
	for _, part := range strings.Split(from, "; ") {
		words := strings.Split(part, " ")
		n := 1
		for n < len(words) && strings.HasSuffix(words[n-1], ",") {
			n++
		}
		if words[0] == "the" || words[0] == "every" { // the engine, every stage
			n++
		}
		if n >= len(words) {
			return nil, fmt.Errorf("line From: %q names no column", part)
		}
		list = append(list, Filling{Stage: strings.Join(words[:n], " "), Columns: words[n:]})
	}
	return list, nil
}

func sentence(s string) string {
	return strings.TrimSuffix(strings.ReplaceAll(s, "\n", " "), ".")
}

// Comment returns the COMMENT of the view.
func (v View) Comment() string {
	if len(v.Key) == 0 {
		return v.Grain
	}
	return v.Grain + " Key: " + strings.Join(v.Key, ", ") + "."
}

// ColumnComment returns the COMMENT of a column: what it means, and which stage fills it.
func (v View) ColumnComment(column string) string {
	text := v.Columns[column]
	if stage := v.Stage(column); stage != "" {
		text += " Filled by " + stage + "."
	}
	return strings.TrimSpace(text)
}

// Stage returns who fills a column, "" where the head does not say.
func (v View) Stage(column string) string {
	stage, rest := "", ""
	for _, s := range v.From {
		for _, c := range s.Columns {
			switch c {
			case column:
				stage = join(stage, s.Stage)
			case "*":
				rest = s.Stage
			}
		}
	}
	if stage == "" {
		return rest
	}
	return stage
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}
