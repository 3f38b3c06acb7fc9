package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
)

// CSV writes a table for programs: a share takes three columns, its hundredths and
// what they were counted from.
func (t Table) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	var head []string
	for i, h := range t.Head {
		if head = append(head, h); t.shares(i) {
			head = append(head, h+" passed", h+" total")
		}
	}
	lines := [][]string{head}
	for _, r := range t.Rows {
		var line []string
		for i, c := range r {
			line = append(line, t.field(c))
			if !t.shares(i) {
				continue
			}
			if c.Tally == nil {
				line = append(line, "", "")
			} else {
				line = append(line, strconv.Itoa(c.Tally.Passed), strconv.Itoa(c.Tally.Total))
			}
		}
		lines = append(lines, line)
	}
	err := w.WriteAll(lines)
	return b.Bytes(), err
}

func (t Table) shares(column int) bool {
	for _, r := range t.Rows {
		if column < len(r) && r[column].Tally != nil {
			return true
		}
	}
	return false
}

// field is a cell's value. Strangers' words must not begin what a spreadsheet takes
// for a formula.
func (t Table) field(c Cell) string {
	switch {
	case c.Number != nil:
		return strconv.FormatFloat(*c.Number, 'f', -1, 64)
	case c.Text == nothing:
		return ""
	case strings.HasPrefix(c.Text, "=") || strings.HasPrefix(c.Text, "+") || strings.HasPrefix(c.Text, "@") ||
		strings.HasPrefix(c.Text, "-"):
		return "'" + c.Text
	}
	return c.Text
}
