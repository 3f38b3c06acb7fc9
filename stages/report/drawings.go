package report

import (
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/pipeline/figure"
	"github.com/wideswe/wideswe/schema"
)

// Drawing is one figure of a report.
type Drawing struct {
	Name    string `json:"name"` // also of its files
	Paper   string `json:"paper,omitempty"`
	Title   string `json:"title"`
	Caption string `json:"caption"`

	figure figure.Figure
}

// drawings are the figures that there is something for.
func (res *Result) drawings() (list []Drawing) {
	if res.Scored {
		list = append(list, res.successFigure(), res.figure3(), res.figure4())
	}
	if len(res.comparisons) > 0 {
		list = append(list, res.figure5())
	}
	if d := res.Data; len(d.Tasks) > 0 {
		list = append(list, d.figure2(), d.figure6(), d.figure7(), d.figure8())
	}
	return list
}

// legend gives the series' names and colours; one alone needs none.
func (res *Result) legend() (list []figure.Entry) {
	for i, s := range res.Series {
		list = append(list, figure.Entry{Name: s.Title(), Colour: i})
	}
	return list
}

// success is one bar of task success.
func (s Series) success(rows []Row, colour int) figure.Bar {
	sum := summed("", "", rows).Summary
	t := rates[0].of(sum)
	b := figure.Bar{Value: max(0, share(t)), Text: percent(t), Colour: colour}
	if i, known := s.interval(sum); known {
		b.Low, b.High = 100*i.Low, 100*i.High
	}
	return b
}

func (res *Result) successFigure() Drawing {
	bars := figure.Bars{Max: 100}
	for i, s := range res.Series {
		b := s.success(s.rows(all), i)
		b.Text += " (" + rate(rates[0].of(s.Score().Summary)) + ")"
		bars.Rows = append(bars.Rows, figure.Row{Label: s.Title(), Bars: []figure.Bar{b}})
	}
	return Drawing{Name: "success", Title: "Tasks resolved",
		Caption: "Tasks resolved, with Wilson's 95 % interval where there is one attempt.",
		figure:  figure.Figure{Panels: []figure.Panel{{Chart: bars}}}}
}

// figure3 shows how far unresolved tasks came.
func (res *Result) figure3() Drawing {
	bars := figure.Bars{Stacked: true, Max: 100}
	var legend []figure.Entry
	colours := []int{4, 1, 3, 5, figure.Grey}
	used := map[int]bool{}
	for _, r := range res.table("unresolved").Rows {
		row := figure.Row{Label: fmt.Sprintf("%s (%s)", r[0].Text, r[1].Text)}
		for i, c := range r[2:] {
			if c.Number != nil && *c.Number > 0 {
				row.Bars = append(row.Bars, figure.Bar{Value: *c.Number, Text: c.Text, Colour: colours[i]})
				used[i] = true
			}
		}
		bars.Rows = append(bars.Rows, row)
	}
	for i, s := range stops {
		if used[i] {
			legend = append(legend, figure.Entry{Name: s.title, Colour: colours[i]})
		}
	}
	return Drawing{Name: "figure3", Paper: "Figure 3", Title: "How far unresolved tasks came",
		Caption: "Of the unresolved tasks (their number in parentheses), how many have no, some or all repositories " +
			"passing every F2P test.",
		figure: figure.Figure{Legend: legend, Panels: []figure.Panel{{Chart: bars}}}}
}

// figure4 shows success by repository count, and by kind and language families.
func (res *Result) figure4() Drawing {
	var counts, kindsAndFamilies figure.Bars
	counts.Max, kindsAndFamilies.Max = 100, 100
	for _, n := range res.Data.targetCounts() {
		in := func(t DataTask) bool { return len(t.Targets) == n }
		counts.Rows = append(counts.Rows, res.bars(plural(n, "repository", "repositories"), in))
	}
	for _, k := range kinds[:2] {
		for _, f := range families {
			in := func(t DataTask) bool { return t.Kind == k.kind && diversity(t) == f.value }
			if slices.ContainsFunc(res.Data.Tasks, in) {
				kindsAndFamilies.Rows = append(kindsAndFamilies.Rows, res.bars(k.title+", "+f.title, in))
			}
		}
	}
	return Drawing{Name: "figure4", Paper: "Figure 4", Title: "Success by repository count, kind and language families",
		Caption: "Task success in hundredths: (a) by the number of target repositories, (b) by kind and the language " +
			"families of the reference change.",
		figure: figure.Figure{Legend: res.legend(), Panels: []figure.Panel{{Title: "(a) Repositories", Chart: counts},
			{Title: "(b) Kind and families", Chart: kindsAndFamilies}}}}
}

func (res *Result) bars(label string, in func(DataTask) bool) figure.Row {
	n := 0
	for _, t := range res.Data.Tasks {
		if in(t) {
			n++
		}
	}
	row := figure.Row{Label: fmt.Sprintf("%s (%d)", label, n)}
	for i, s := range res.Series {
		b := s.success(s.rows(in), i)
		b.Low, b.High = 0, 0
		row.Bars = append(row.Bars, b)
	}
	return row
}

// figure5 shows the paired outcomes.
func (res *Result) figure5() Drawing {
	var panels []figure.Panel
	for _, p := range []struct {
		title string
		of    func([]pair) quadrants
	}{{"(a) Tasks", tasksOf}, {"(b) Repositories", targetsOf}} {
		bars := figure.Bars{Stacked: true, Max: 100}
		for _, c := range res.comparisons {
			for _, k := range []int{2, 0, 1} {
				q := p.of(c.of(kinds[k].kind))
				label := fmt.Sprintf("%s (%d)", kinds[k].title, q.total())
				if len(res.comparisons) > 1 {
					label = c.configuration + ": " + label
				}
				row := figure.Row{Label: label}
				for i, n := range []int{q.both, q.jointOnly, q.independentOnly, q.neither} {
					if n > 0 {
						t := schema.Tally{Passed: n, Total: q.total()}
						row.Bars = append(row.Bars, figure.Bar{Value: share(t), Text: percent(t), Colour: outcomeColours[i]})
					}
				}
				bars.Rows = append(bars.Rows, row)
			}
		}
		panels = append(panels, figure.Panel{Title: p.title, Chart: bars})
	}
	var legend []figure.Entry
	for i, name := range []string{"both", "joint only", "independent only", "neither"} {
		legend = append(legend, figure.Entry{Name: name, Colour: outcomeColours[i]})
	}
	return Drawing{Name: "figure5", Paper: "Figure 5", Title: "Joint against independent",
		Caption: "Paired outcomes in hundredths: what succeeds in both modes, in one only, in neither.",
		figure:  figure.Figure{Legend: legend, Panels: panels}}
}

var outcomeColours = []int{2, 0, 1, figure.Grey}

// maxEcosystems bounds the rows of a figure; the table has all.
const maxEcosystems = 24

// figure2 shows how the tasks were found, and where they are from.
func (d *Dataset) figure2() Drawing {
	var panels []figure.Panel
	caption := "Tasks by ecosystem."
	if rows := d.steps(); len(rows) > 0 {
		panels = append(panels, figure.Panel{Title: "(a) How the tasks were found", Chart: figure.Bars{Log: true,
			Rows: rows}})
		caption = "(a) What each step kept; lengths are logarithmic, and each step counts its own unit. (b) Tasks by " +
			"ecosystem."
	}
	bars, rest := figure.Bars{}, 0
	for i, e := range d.ecosystems() {
		if i >= maxEcosystems {
			rest += e.Tasks
			continue
		}
		bars.Rows = append(bars.Rows, figure.Row{Label: e.Value, Bars: []figure.Bar{{Value: float64(e.Tasks),
			Text: fmt.Sprint(e.Tasks)}}})
	}
	if rest > 0 {
		bars.Rows = append(bars.Rows, figure.Row{Label: fmt.Sprintf("%d more", d.Counts.Ecosystems-maxEcosystems),
			Bars: []figure.Bar{{Value: float64(rest), Text: fmt.Sprint(rest), Colour: figure.Grey}}})
	}
	title := ""
	if len(panels) > 0 {
		title = "(b) Ecosystems"
	}
	panels = append(panels, figure.Panel{Title: title, Chart: bars})
	return Drawing{Name: "figure2", Paper: "Figure 2", Title: "Where the tasks are from", Caption: caption,
		figure: figure.Figure{Panels: panels}}
}

// steps are the rows of the funnel that a reader follows from the top down.
func (d *Dataset) steps() (rows []figure.Row) {
	for _, s := range []struct{ stage, unit, status, title string }{
		{"rank", "ecosystem", "done", "ecosystems"}, {"crawl", "repository", "done", "repositories"}, {"crawl", "pull",
			"done", "merged pulls"},
		{"link", "pull", "done", "pulls linked to another repository"}, {"group", "candidate", "done", "candidates"},
		{"dedupe", "candidate", "done", "candidates that repeat no other"},
		{"inspect", "candidate", "done", "with tests, available, for Linux"}, {"review", "candidate", "done",
			"accepted in review"},
		{"validate", "task", "runnable", "runnable tasks"}, {"validate", "task", "eligible", "eligible tasks"},
		{"balance", "task", "done", "tasks in the release"},
	} {
		n, found := int64(0), false
		for _, r := range d.Funnel {
			if r.Stage == s.stage && r.Unit == s.unit && r.Status == s.status {
				n, found = n+r.Items, true
			}
		}
		if found {
			rows = append(rows, figure.Row{Label: s.title, Bars: []figure.Bar{{Value: float64(n), Text: grouped(n)}}})
		}
	}
	return rows
}

// grouped writes a number with its thousands apart.
func grouped(n int64) string {
	if n < 0 {
		return fmt.Sprint(n)
	}
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// figure6 shows the context repositories of tasks.
func (d *Dataset) figure6() Drawing {
	most := 0
	for _, t := range d.Tasks {
		most = max(most, t.Context)
	}
	counts := make([]int, most+1)
	for _, t := range d.Tasks {
		counts[t.Context]++
	}
	return Drawing{Name: "figure6", Paper: "Figure 6", Title: "Context repositories",
		Caption: "How many tasks have how many repositories to read beside their targets.",
		figure: figure.Figure{Panels: []figure.Panel{{Chart: figure.Columns{X: "context repositories", Y: "tasks",
			Counts: counts}}}}}
}

// figure7 shows the size of reference changes, by kind.
func (d *Dataset) figure7() Drawing {
	panel := func(title, x string, of func(DataTask) int) figure.Panel {
		curves := figure.Curves{X: x, Y: "tasks"}
		for i, k := range kinds[:2] {
			curves.Curves = append(curves.Curves, figure.Curve{Values: d.perTask(of)(ofKind(k.kind)), Colour: i})
		}
		return figure.Panel{Title: title, Chart: curves}
	}
	return Drawing{Name: "figure7", Paper: "Figure 7", Title: "Size of the reference changes",
		Caption: "The share of tasks whose whole reference change has no more files, or lines added and deleted, than the " +
			"axis says.",
		figure: figure.Figure{Legend: []figure.Entry{{Name: "bug fixes", Colour: 0}, {Name: "features", Colour: 1}},
			Panels: []figure.Panel{
				panel("(a) Files", "files changed", func(t DataTask) int { return t.Size().Files }),
				panel("(b) Lines", "lines changed", func(t DataTask) int { return t.Size().Lines() })}}}
}

// figure8 shows the number of tests, of targets and of tasks.
func (d *Dataset) figure8() Drawing {
	panel := func(title, x string, of func(DataTarget) int) figure.Panel {
		return figure.Panel{Title: title, Chart: figure.Curves{X: x, Curves: []figure.Curve{
			{Values: d.perTarget(of)(all), Colour: 0}, {Values: d.perTask(func(t DataTask) int { return t.tests(of) })(all),
				Colour: 1, Dashed: true}}}}
	}
	return Drawing{Name: "figure8", Paper: "Figure 8", Title: "Tests",
		Caption: "The share of targets, and of tasks with all their targets, that have no more tests than the axis says.",
		figure: figure.Figure{Legend: []figure.Entry{{Name: "of a target", Colour: 0}, {Name: "of a task", Colour: 1,
			Dashed: true}},
			Panels: []figure.Panel{panel("(a) F2P", "F2P tests", f2pOf), panel("(b) P2P", "P2P tests", p2pOf)}}}
}
