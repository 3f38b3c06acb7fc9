package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/figure"
	"github.com/wideswe/wideswe/schema"
)

//go:embed page.html.tmpl
var pageText string

//go:embed page.css
var styleText string

//go:embed page.js
var scriptText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"rate":        rate,
	"percent":     percent,
	"share":       share,
	"join":        func(list []string) string { return strings.Join(list, ", ") },
	"definitions": func() string { return definitions },
	"capital":     capital,
	"outcome":     outcome,
	"seconds":     func(s float64) string { return fmt.Sprintf("%.1f s", s) },
	"plural":      plural,
	"breakable":   breakable,
	"state":       state,
	"tick":        tick,
}).Parse(pageText))

// sheetOf is what the page's template is given.
type sheetOf struct {
	*Result
	Style     template.CSS
	Script    template.JS
	Policy    string
	Leaders   []leader
	TaskPages []taskPage

	drawn map[string]template.HTML
}

// HTML writes a report as one page that asks nothing of the network: its policy
// lets no request out and no script run but its own.
func HTML(w io.Writer, r *Result) error {
	var b bytes.Buffer
	sum := sha256.Sum256([]byte(scriptText))
	s := sheetOf{Result: r, Style: template.CSS(colours() + styleText), Script: template.JS(scriptText),
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
		Leaders: r.leaders(), TaskPages: r.taskPages(), drawn: map[string]template.HTML{}}
	for _, d := range r.Figures {
		text, err := d.inline()
		if err != nil {
			return err
		}
		s.drawn[d.Name] = text
	}
	if err := page.Execute(&b, s); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// inline is a figure in two widths, of which the page's style shows one.
func (d Drawing) inline() (template.HTML, error) {
	wide, err := d.figure.Inline(figure.Wide, d.Caption)
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.Name, err)
	}
	small, err := d.figure.Inline(figure.Narrow, d.Caption)
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.Name, err)
	}
	// The figure escapes what it is given.
	return template.HTML(`<div class="wide">` + wide + `</div><div class="narrow">` + small + `</div>`), nil
}

// Drawing gives a figure's place on the page, nil where there is none.
func (s sheetOf) Drawing(name string) *drawn {
	for _, d := range s.Figures {
		if d.Name == name {
			return &drawn{d, s.drawn[name]}
		}
	}
	return nil
}

type drawn struct {
	Drawing
	HTML template.HTML
}

// Table gives a table to the page, nil where there is none.
func (s sheetOf) Table(name string) *Table { return s.table(name) }

// Many says whether the table of tasks has so many runs that signs stand for words.
func (s sheetOf) Many() bool {
	n := 0
	for _, x := range s.Series {
		n += len(x.Attempts)
	}
	return n > 3
}

// colours defines what the figures are drawn in; page.css has those of the dark.
func colours() string {
	var b strings.Builder
	b.WriteString(":root {")
	for _, v := range figure.Variables() {
		fmt.Fprintf(&b, " %s: %s;", v[0], v[1])
	}
	return b.String() + " }\n"
}

// leader is one series' line at the top of the page.
type leader struct {
	Title      string
	Colour     int
	Summary    schema.ReportSummary
	Tasks      schema.Tally
	Targets    schema.Tally
	Any        schema.Tally
	Submitted  schema.Tally // nothing where it is not known
	Low, High  float64
	Known      bool // whether there is an interval
	Attempts   int
	Requests   float64
	Incomplete string
}

func (res *Result) leaders() (list []leader) {
	for i, s := range res.Series {
		score := s.Score()
		sum := score.Summary
		interval, known := s.interval(sum)
		counted, _ := s.counts()
		list = append(list, leader{Title: s.Title(), Colour: i % figure.Colours, Summary: sum, Tasks: rates[0].of(sum),
			Targets: rates[1].of(sum),
			Any:     schema.Tally{Passed: sum.TasksAnyResolved, Total: sum.Tasks}, Submitted: counted.submitted(),
			Low: 100 * interval.Low, High: 100 * interval.High, Known: known,
			Attempts: len(s.Attempts), Requests: score.APIRequests, Incomplete: s.Unjudged()})
	}
	// The best stands first; tables and figures keep the order that was asked for.
	slices.SortStableFunc(list, func(a, b leader) int {
		return cmp.Or(cmp.Compare(share(b.Tasks), share(a.Tasks)), cmp.Compare(share(b.Targets), share(a.Targets)))
	})
	return list
}

// share is a tally in hundredths, for bars and sorting; nothing is -1.
func share(t schema.Tally) float64 {
	if t.Total == 0 {
		return -1
	}
	return 100 * float64(t.Passed) / float64(t.Total)
}

// breakable lets a repository's name go on in a new line behind its owner.
func breakable(repository string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(repository), "/", "/<wbr>"))
}

// state is the class of a task's state: strangers may write any word into a report.
func state(status string) string {
	switch status {
	case schema.StatusResolved:
		return "good"
	case schema.StatusInfra, schema.StatusMissing, schema.StatusDisputed, schema.StatusUnbuilt:
		return "doubt"
	}
	return "bad"
}

// tick is a sign beside the state, so that colour alone tells nothing.
func tick(status string) string {
	switch state(status) {
	case "good":
		return "✓"
	case "doubt":
		return "?"
	}
	return "✗"
}

// Numeric says whether a column is set to the right.
func (t Table) Numeric(column int) bool { return t.numeric(column) }

// Heading is the table's title on the page.
func (t Table) Heading() string { return t.heading() }

// group is rows under a common first cell.
type group struct {
	Title string
	Rows  [][]Cell
}

// Grouped says whether rows repeat their first cell, so that it can stand above them.
func (t Table) Grouped() bool {
	if len(t.Head) < 3 || t.numeric(0) || t.numeric(1) {
		return false
	}
	for i := 1; i < len(t.Rows); i++ {
		if t.Rows[i][0].Text == t.Rows[i-1][0].Text {
			return true
		}
	}
	return false
}

// Columns are the head without what stands above groups.
func (t Table) Columns() []string { return t.Head[t.skip():] }

func (t Table) skip() int {
	if t.Grouped() {
		return 1
	}
	return 0
}

// Groups are the rows, under their first cells where those repeat. What is known of
// nobody, in no group, is left out.
func (t Table) Groups() (list []group) {
	if !t.Grouped() {
		return []group{{Rows: t.Rows}}
	}
	known := map[string]bool{}
	for _, r := range t.Rows {
		known[r[1].Text] = known[r[1].Text] || slices.ContainsFunc(r[2:], func(c Cell) bool { return c.Text != "–" })
	}
	for _, r := range t.Rows {
		if !known[r[1].Text] {
			continue
		}
		if n := len(list); n == 0 || list[n-1].Title != r[0].Text {
			list = append(list, group{Title: r[0].Text})
		}
		list[len(list)-1].Rows = append(list[len(list)-1].Rows, r[1:])
	}
	return list
}

// Right says whether a column of the page's table is set to the right.
func (t Table) Right(column int) bool { return t.numeric(column + t.skip()) }

// Detail is what a share was counted from.
func (c Cell) Detail() string {
	if c.Tally == nil || c.Tally.Total == 0 {
		return ""
	}
	return rate(*c.Tally)
}
