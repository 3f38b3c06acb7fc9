package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A share takes three columns, and no stranger's name is a formula.
func TestCSV(t *testing.T) {
	table := Table{Head: []string{"Name", "Rate", "Requests"}}
	table.add(word("=HYPERLINK(1)"), shareOf(1, 3), number(12.25, 1, true))
	table.add(word(`a "quoted", name`), shareOf(0, 0), number(0, 1, false))
	table.add(word("-1+1"), word(nothing), count(7))
	got, err := table.CSV()
	want := "Name,Rate,Rate passed,Rate total,Requests\n'=HYPERLINK(1),33.333333333333336,1,3,12.25\n\"a " +
		"\"\"quoted\"\", name\",,0,0,\n'-1+1,,,,7\n"
	if d := cmp.Diff(want, string(got)); d != "" || err != nil {
		t.Error(err, d)
	}
}
