package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/wideswe/wideswe/schema"
)

// Table is one table of a report, as data: Markdown, CSV and the page draw the same.
type Table struct {
	Name  string `json:"name"` // also of its file
	Title string `json:"title"`
	// Paper is where the paper has it: "Table 1", "" where it has none.
	Paper string `json:"paper,omitempty"`
	Note  string `json:"note,omitempty"`
	// Incomplete says what is still to be judged, "" where nothing is.
	Incomplete string   `json:"incomplete,omitempty"`
	Head       []string `json:"head"`
	Rows       [][]Cell `json:"rows"`
}

// Cell is a word, a count, a number or a share of a table.
type Cell struct {
	Text string `json:"text"` // as people read it
	// Tally is what a share was counted from.
	Tally *schema.Tally `json:"tally,omitempty"`
	// Number is the value: of a share in hundredths. Nil where there is none.
	Number *float64 `json:"number,omitempty"`
	// Best marks the highest rate of a row.
	Best bool `json:"best,omitempty"`
}

// nothing stands where a number would, and none is known.
const nothing = "–"

func word(s string) Cell { return Cell{Text: s} }

func count(n int) Cell {
	v := float64(n)
	return Cell{Text: strconv.Itoa(n), Number: &v}
}

// number writes a value with some decimals; unknown ones are –.
func number(v float64, decimals int, known bool) Cell {
	if !known {
		return Cell{Text: nothing}
	}
	return Cell{Text: strconv.FormatFloat(v, 'f', decimals, 64), Number: &v}
}

// shareOf writes a tally in hundredths.
func shareOf(passed, total int) Cell {
	t := schema.Tally{Passed: passed, Total: total}
	c := Cell{Text: percent(t), Tally: &t}
	if total > 0 {
		v := 100 * float64(passed) / float64(total)
		c.Number = &v
	}
	return c
}

func tallied(t schema.Tally) Cell { return shareOf(t.Passed, t.Total) }

// best marks the highest shares of a row's cells from the given column on, none where
// all are equal.
func best(row []Cell, from int) []Cell {
	least, most := math.Inf(1), math.Inf(-1)
	for _, c := range row[from:] {
		if c.Number != nil {
			least, most = min(least, *c.Number), max(most, *c.Number)
		}
	}
	for i := from; least < most && i < len(row); i++ {
		row[i].Best = row[i].Number != nil && *row[i].Number == most
	}
	return row
}

func (t *Table) add(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// plain is a cell's text with what it was counted from.
func (c Cell) plain() string {
	if c.Tally == nil || c.Tally.Total == 0 {
		return c.Text
	}
	return fmt.Sprintf("%s (%d/%d)", c.Text, c.Tally.Passed, c.Tally.Total)
}

// numeric says whether a column holds numbers.
func (t Table) numeric(column int) bool {
	for _, r := range t.Rows {
		if column < len(r) && (r[column].Number != nil || r[column].Tally != nil) {
			return true
		}
	}
	return false
}
