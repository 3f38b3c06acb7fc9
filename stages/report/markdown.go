package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Markdown writes a report as Markdown.
func Markdown(w io.Writer, r *Result) error {
	m := &markdown{w: w}
	d := r.Data
	m.line("# %s %s", escape(d.Name), escape(d.Version))
	m.line("")
	m.line("%d tasks, %d targets in %d repositories of %d ecosystems; %d F2P and %d P2P tests.",
		d.Counts.Tasks, d.Counts.Targets, d.Counts.Repositories, d.Counts.Ecosystems, d.Counts.F2P, d.Counts.P2P)
	for _, warning := range r.Warnings {
		m.line("\n> **Note:** %s", escape(warning))
	}
	for _, run := range r.Runs {
		m.run(run)
	}
	m.data(d)
	if r.Scored {
		m.line("\n%s", definitions)
	}
	return m.err
}

const definitions = `A task is resolved when every target passes all its F2P and P2P tests; a repository when it does. F2P-complete and
P2P-preserved count the repositories that pass all such tests, among those that have any. Every task of the release
is in each denominator, predicted or not; a missing test counts as failed.`

// markdown keeps the first error of many lines.
type markdown struct {
	w   io.Writer
	err error
}

func (m *markdown) line(format string, args ...any) {
	if m.err == nil {
		_, m.err = fmt.Fprintf(m.w, format+"\n", args...)
	}
}

func (m *markdown) row(cells ...string) { m.line("| %s |", strings.Join(cells, " | ")) }

func (m *markdown) head(cells ...string) {
	m.row(cells...)
	m.line("|%s", strings.Repeat(" --- |", len(cells)))
}

func (m *markdown) run(r Run) {
	m.line("\n## %s", escape(r.Title()))
	if r.Unfinished > 0 {
		m.line("\n**Incomplete:** %s.", r.Unjudged())
	}
	m.line("")
	m.head(append([]string{"", "Tasks"}, append(figureNames, "API requests")...)...)
	for _, s := range r.Slices {
		cells := []string{escape(s.title()), fmt.Sprint(s.Summary.Tasks)}
		for _, t := range figures(s.Summary) {
			cells = append(cells, both(t))
		}
		m.row(append(cells, requests(s.APIRequests))...)
	}
	m.line("")
	m.head("Task", "Kind", "Status", "Repositories", "F2P", "P2P", "Title")
	for _, t := range r.Tasks {
		s := t.sums()
		m.row("`"+t.ID+"`", escape(t.Kind), escape(t.Verdict.Status), rate(schema.Tally{Passed: s.TargetsResolved, Total: s.Targets}),
			rate(s.F2P), rate(s.P2P), escape(t.Title))
	}
	for _, t := range r.Tasks {
		if !t.Verdict.Resolved && t.Verdict.Status != schema.StatusMissing {
			m.unresolved(t)
		}
	}
}

func (t Row) sums() schema.ReportSummary {
	s := schema.ReportSummary{ByStatus: map[string]int{}}
	add(&s, t)
	return s
}

func both(t schema.Tally) string {
	if t.Total == 0 {
		return rate(t)
	}
	return percent(t) + " (" + rate(t) + ")"
}

func requests(mean float64) string {
	if mean == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", mean)
}

func (m *markdown) unresolved(t Row) {
	m.line("\n### %s: %s\n", t.ID, escape(t.Verdict.Status))
	if t.Verdict.Reason != "" {
		m.line("%s\n", escape(t.Verdict.Reason))
	}
	for _, target := range t.Targets {
		v := target.Verdict
		m.line("- %s: %s, F2P %s, P2P %s%s", escape(target.Repository), escape(v.Status), rate(v.F2P), rate(v.P2P), reason(v.Reason))
		for _, f := range v.Failing {
			m.line("  - %s %s (%s)", f.Class, code(f.ID), outcome(f.Outcome))
		}
	}
}

func reason(s string) string {
	if s == "" {
		return ""
	}
	return ": " + escape(s)
}

func outcome(o schema.TestOutcome) string {
	if o == schema.Missing {
		return "missing"
	}
	return line(string(o), 20)
}

func (m *markdown) data(d *Dataset) {
	m.line("\n## Data set\n")
	m.head("Property", "Value", "Tasks", "Targets", "F2P", "P2P")
	for _, s := range d.Shares {
		m.row(escape(s.Property), escape(s.Value), fmt.Sprint(s.Tasks), fmt.Sprint(s.Targets), fmt.Sprint(s.F2P), fmt.Sprint(s.P2P))
	}
}

// escape makes strangers' text plain in Markdown and in its tables.
func escape(s string) string {
	var b strings.Builder
	for _, r := range line(s, 2*maxID) {
		if strings.ContainsRune("\\`*_{}[]<>#|!~&@$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// code writes a text as code, between more backticks than it holds in a row.
func code(s string) string {
	s = strings.ReplaceAll(line(s, maxID), "|", "¦")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}
