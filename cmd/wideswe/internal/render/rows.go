package render

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
)

// Renderer writes rows: next returns one row's values, and nil after the last.
type Renderer func(w io.Writer, columns []string, next func() ([]any, error)) error

// TableOrJSON returns [JSON] where that is asked for, else [Table].
func TableOrJSON(asJSON bool) Renderer {
	if asJSON {
		return JSON
	}
	return Table
}

// Query asks the database and writes the answer.
func Query(ctx context.Context, db pipeline.Queryer, query string, w io.Writer, render Renderer) error {
	rows, err := db.Query(ctx, query)
	if err != nil {
		return pipeline.Usage("%v", err)
	}
	defer rows.Close()
	columns, next, err := ReadRows(rows)
	if err != nil {
		return err
	}
	return render(w, columns, next)
}

// ReadRows returns the columns' names, and a function for the next row's plain values, which are nil after the last
// row.
func ReadRows(rows *sql.Rows) (columns []string, next func() ([]any, error), err error) {
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

// Table writes rows as a table with aligned columns.
func Table(w io.Writer, columns []string, next func() ([]any, error)) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	oneLine := strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")
	fmt.Fprintln(t, strings.Join(columns, "\t"))
	for {
		row, err := next()
		if err != nil || row == nil {
			return cmp.Or(err, t.Flush())
		}
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = oneLine.Replace(Cell(v))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
}

// CSV writes rows as comma-separated values with a header line.
func CSV(w io.Writer, columns []string, next func() ([]any, error)) error {
	c := csv.NewWriter(w)
	if err := c.Write(columns); err != nil {
		return err
	}
	for {
		row, err := next()
		if err != nil || row == nil {
			c.Flush()
			return cmp.Or(err, c.Error())
		}
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = Cell(v)
		}
		if err := c.Write(cells); err != nil {
			return err
		}
	}
}

// JSON writes rows as an array of objects, a line each.
func JSON(w io.Writer, columns []string, next func() ([]any, error)) error {
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

// Cell writes a plain value for a table or CSV; a structure stays JSON.
func Cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			if parts[i] = Cell(x); x == nil {
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
