package schema

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// View is what the head of a file in views/ says of its view. The database keeps
// it as the view's COMMENT, where any client finds it.
//
//	-- Grain: one row a pull of the inventory; …
//	-- Key: repository_id, number.
//	-- From: crawl *; inspect files test_signal.
//	-- Example: merged pulls a month.
//	--   SELECT date_trunc('month', merged_at) AS month, count(*) FROM pulls GROUP BY month
type View struct {
	Name string
	// Grain says what one row is, and what a reader must know of its columns.
	Grain string
	// Key is the columns that tell rows apart.
	Key []string
	// From is which stage fills which columns, in the head's order.
	From []Filling
	// Example answers a question that people ask, in SQL.
	Example Example
}

// Example is a worked example of a view.
type Example struct{ Title, SQL string }

// Filling is a stage, or several, and the columns it fills: "*" is all that no other names.
type Filling struct {
	Stage   string
	Columns []string
}

// Views reads the head of every file in views/, in the order in which they are made.
func Views() ([]View, error) {
	names, err := fs.Glob(Files, "views/*.sql")
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
		list = append(list, v)
	}
	return list, nil
}

var createView = regexp.MustCompile(`(?m)^CREATE OR REPLACE VIEW (\w+) AS`)

// parseView reads a file's head; a head may end after any of its parts.
func parseView(text string) (View, error) {
	at := createView.FindStringSubmatchIndex(text)
	if at == nil {
		return View{}, fmt.Errorf("there is no CREATE OR REPLACE VIEW")
	}
	head := strings.ReplaceAll(strings.TrimSpace(text[:at[0]]), "\n-- ", "\n")
	head, example, _ := strings.Cut(head, "\nExample: ")
	head, from, _ := strings.Cut(head, "\nFrom: ")
	head, key, _ := strings.Cut(head, "\nKey: ")
	grain, ok := strings.CutPrefix(head, "-- Grain: ")
	if !ok {
		return View{}, fmt.Errorf("its head does not begin with the grain")
	}
	v := View{Name: text[at[2]:at[3]], Grain: strings.ReplaceAll(grain, "\n", " ")}
	title, sql, _ := strings.Cut(example, "\n")
	v.Example = Example{sentence(title), strings.ReplaceAll(strings.TrimPrefix(sql, "  "), "\n  ", "\n")}
	if key != "" {
		v.Key = strings.Split(sentence(key), ", ")
	}
	var err error
	if from != "" {
		v.From, err = parseFrom(sentence(from))
	}
	return v, err
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

// Comment is the view's COMMENT.
func (v View) Comment() string {
	text := v.Grain
	if len(v.Key) > 0 {
		text += " Key: " + strings.Join(v.Key, ", ") + "."
	}
	var from []string
	for _, f := range v.From {
		from = append(from, f.Stage+" "+strings.Join(f.Columns, " "))
	}
	if len(from) > 0 {
		text += " From: " + strings.Join(from, "; ") + "."
	}
	return text
}

// Stage says who fills a column, "" where the head does not say.
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
