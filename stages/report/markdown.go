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
	m.line("%s", d.Counts.sentence())
	for _, text := range r.Sentences() {
		m.line("\n%s", escape(text))
	}
	for _, warning := range r.Warnings {
		m.line("\n> **Note:** %s", escape(warning))
	}
	for _, t := range r.Tables {
		m.table(t)
	}
	if r.Scored {
		m.tasks(r)
		m.line("\n%s", definitions)
	}
	return m.err
}

const definitions = `A task is resolved when every target passes all its F2P and P2P tests, as submitted and in the second run where there is one; a
repository when it does. Every task of the release
is in each denominator, predicted or not; a missing test counts as failed, and whatever is not known counts in nobody's favour.`

func (c Counts) sentence() string {
	before := ""
	if c.PassedBefore > 0 {
		before = fmt.Sprintf(" Of the F2P, %d are new behaviour and %d passed before with base's own test files.",
			c.F2P-c.PassedBefore, c.PassedBefore)
	}
	return fmt.Sprintf("%s, %s in %s of %s; %d F2P and %d P2P tests.%s", plural(c.Tasks, "task", "tasks"),
		plural(c.Targets, "target", "targets"),
		plural(c.Repositories, "repository", "repositories"), plural(c.Ecosystems, "ecosystem", "ecosystems"), c.F2P, c.P2P,
		before)
}

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

func (m *markdown) table(t Table) {
	m.line("\n## %s\n", escape(t.heading()))
	if t.Incomplete != "" {
		m.line("*Incomplete:* %s.\n", escape(t.Incomplete))
	}
	head := make([]string, len(t.Head))
	for i, h := range t.Head {
		head[i] = escape(h)
	}
	m.head(head...)
	for _, r := range t.Rows {
		var cells []string
		for _, c := range r {
			text := escape(c.plain())
			if c.Best {
				text = "**" + text + "**"
			}
			cells = append(cells, text)
		}
		m.row(cells...)
	}
	if t.Note != "" {
		m.line("\n%s", escape(t.Note))
	}
}

// heading is a table's title with the number that the paper gives it.
func (t Table) heading() string {
	text := t.Title
	if t.Paper != "" {
		text = t.Paper + ": " + text
	}
	if t.Incomplete != "" {
		text += " (incomplete)"
	}
	return text
}

// tasks lists every task with its state in each run, then why it is not resolved.
func (m *markdown) tasks(r *Result) {
	m.line("\n## Tasks\n")
	head := []string{"Task", "Kind", "Title"}
	for _, s := range r.Series {
		for _, run := range s.Attempts {
			head = append(head, escape(s.runTitle(run)))
		}
	}
	m.head(head...)
	for i, t := range r.Data.Tasks {
		cells := []string{code(t.ID), escape(t.Kind), escape(t.Title)}
		for _, s := range r.Series {
			for _, run := range s.Attempts {
				row := run.Tasks[i]
				cells = append(cells, escape(row.Verdict.Status)+" "+rate(schema.Tally{Passed: row.solved(),
					Total: len(row.Targets)}))
			}
		}
		m.row(cells...)
	}
	for _, s := range r.Series {
		for _, run := range s.Attempts {
			for _, t := range run.Tasks {
				if failedRun(t) || t.Verdict.Status == schema.StatusInfra {
					m.unresolved(s.runTitle(run), t)
				}
			}
		}
	}
}

// runTitle names one attempt of a series.
func (s Series) runTitle(r Run) string {
	if len(s.Attempts) > 1 {
		return fmt.Sprintf("%s, attempt %d", s.Title(), r.Attempt)
	}
	return s.Title()
}

func (t Row) sums() schema.ReportSummary {
	s := schema.ReportSummary{ByStatus: map[string]int{}}
	add(&s, t)
	return s
}

func (m *markdown) unresolved(run string, t Row) {
	m.line("\n### %s, %s: %s\n", code(t.ID), escape(run), escape(t.Verdict.Status))
	if t.Verdict.Reason != "" {
		m.line("%s\n", escape(t.Verdict.Reason))
	}
	for _, target := range t.Targets {
		v := target.Verdict
		m.line("- %s: %s, F2P %s, P2P %s%s", escape(target.Repository), escape(v.Status), rate(v.F2P), rate(v.P2P),
			reason(v.Reason))
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

// escape makes strangers' text plain in Markdown and in its tables.
func escape(s string) string {
	var b strings.Builder
	for _, r := range line(s, 8*maxID) {
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
