package report

import (
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/pipeline/settled"
	"github.com/wideswe/wideswe/schema"
)

// Result is a report as data.
type Result struct {
	Data *Dataset `json:"data"`
	// Scored says that there is an evaluation, and not a data set alone.
	Scored   bool     `json:"scored"`
	Warnings []string `json:"warnings,omitempty"`
	// Series are the configurations, each in its modes with its attempts.
	Series   []Series  `json:"series,omitempty"`
	Tables   []Table   `json:"tables"`
	Figures  []Drawing `json:"figures"`
	Failures *Failures `json:"failures,omitempty"`

	comparisons []comparison
}

// scored is one evaluation, counted.
type scored struct {
	folder, label string
	runs          []Run
}

// options are what a person chose.
type options struct {
	pairs       string // the set that joint and independent are compared on
	annotations *annotations
}

func (res *Result) warn(format string, args ...any) {
	const most = 50
	if text := fmt.Sprintf(format, args...); len(res.Warnings) < most && !slices.Contains(res.Warnings, text) {
		res.Warnings = append(res.Warnings, text)
	}
}

// evaluation is a report.json with where it lies and what it is called.
type evaluation struct {
	Source
	settled []settled.Decision
	report  *schema.Report
}

// compile counts everything there is to know of a data set and evaluations of it.
func compile(data *Dataset, evaluations []evaluation, o options) (*Result, error) {
	res := &Result{Data: data, Scored: len(evaluations) > 0}
	var list []scored
	for _, e := range evaluations {
		list = append(list, scored{e.Folder, line(e.Label, maxTitle), runsOf(data, e, res.warn)})
	}
	var err error
	if res.Series, err = gather(list); err != nil {
		return nil, err
	}
	if res.comparisons, err = compare(data, res.Series, o.pairs); err != nil {
		return nil, err
	}
	if res.Scored {
		res.Failures = classify(res.Series, o.annotations, res.warn)
		res.Tables = append(res.Tables, res.mainTables()...)
		res.Tables = append(res.Tables, res.pairTables()...)
		res.Tables = append(res.Tables, res.extraTables()...)
	}
	res.Tables = append(res.Tables, data.tables()...)
	res.Figures = res.drawings()
	return res, nil
}

// table finds a table by name, nil where there is none.
func (res *Result) table(name string) *Table {
	for i := range res.Tables {
		if res.Tables[i].Name == name {
			return &res.Tables[i]
		}
	}
	return nil
}

// incomplete says of which series something is still to be judged.
func (res *Result) incomplete() string {
	text := ""
	for _, s := range res.Series {
		if u := s.Unjudged(); u != "" {
			text = joined(text, "; ", s.Title()+": "+u)
		}
	}
	return text
}

func joined(a, with, b string) string {
	if a == "" {
		return b
	}
	return a + with + b
}
