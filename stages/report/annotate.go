package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/schema"
)

// Annotate writes a sheet and the evidence for every unresolved run of evaluations
// into a folder of annotations, for one annotator, and gives how many sheets there
// are and how many have no category yet. What an annotator wrote stays.
func (s Stage) Annotate(dir, annotator string) (sheets, blank int, err error) {
	if annotator == decision || annotator == "" || plainName(annotator) != annotator {
		return 0, 0, pipeline.Usage("%q can't name an annotator; use letters, digits, - and _", annotator)
	}
	s.Annotations = ""
	res, err := s.read()
	if err != nil {
		return 0, 0, err
	}
	for _, series := range res.Series {
		for _, run := range series.Attempts {
			for _, row := range run.Tasks {
				f := res.Failures.find(series.Configuration, row.ID, run.Attempt)
				if f == nil || run.Mode != schema.Joint {
					continue
				}
				folder := filepath.Join(dir, filepath.FromSlash(runFolder(*f)))
				written, err := writeSheet(folder, annotator, *f, row)
				if err != nil {
					return sheets, blank, err
				}
				if sheets++; !written {
					blank++
				}
			}
		}
	}
	return sheets, blank, nil
}

// writeSheet writes what is not there; filled says that the sheet has a category.
func writeSheet(folder, annotator string, f Failure, r Row) (filled bool, err error) {
	if err := save(folder, []File{{"evidence.md", evidence(f, r)}}); err != nil {
		return false, err
	}
	name := filepath.Join(folder, annotator+".yaml")
	if _, err := os.Stat(name); err == nil {
		s, err := readSheet(name)
		return s.Category != "", err
	}
	text, err := yaml.Marshal(sheet{f.Configuration, f.Task, f.Attempt, "", ""})
	if err != nil {
		return false, fmt.Errorf("writing a sheet: %w", err)
	}
	head := "# evidence.md beside this file says what the run did. category is one of:\n"
	for _, c := range categories {
		head += fmt.Sprintf("#   %-10s %s\n", c.key, c.title)
	}
	head += "# The rule proposes: " + f.proposal() + "\n"
	return false, save(folder, []File{{annotator + ".yaml", append([]byte(head), text...)}})
}

func (f Failure) proposal() string {
	switch {
	case f.Unread:
		return "nothing, since the evaluation did not keep every patch"
	case f.Proposed != "":
		return f.Proposed + ", since every target has substantive code changes"
	}
	return "scope or delivery, since there is no substantive code change in " + strings.Join(f.Unchanged, ", ")
}

// Bounds of what evidence repeats.
const (
	maxEvidenceLog   = 8 << 10
	maxEvidencePatch = 64 << 10
)

// evidence writes what there is to know of a run, as Markdown.
func evidence(f Failure, r Row) []byte {
	var b bytes.Buffer
	m := &markdown{w: &b}
	m.line("# %s: %s", escape(f.Configuration), escape(r.Title))
	m.line("\n`%s`, attempt %d: %s%s", r.ID, f.Attempt, escape(r.Verdict.Status), reason(r.Verdict.Reason))
	m.line("\nThe rule proposes %s.", escape(f.proposal()))
	m.line("\n## The request\n\n%s", fenced(r.prompt, maxEvidenceLog))
	if names := r.left(); len(names) > 0 {
		m.line("\n## What the agent left\n")
		for _, n := range names {
			m.line("- %s", code(n))
		}
	}
	for _, t := range r.Targets {
		m.evidence(r, t)
	}
	return b.Bytes()
}

func (m *markdown) evidence(r Row, t TargetRow) {
	v := t.Verdict
	m.line("\n## %s: %s, F2P %s, P2P %s%s\n", escape(t.Repository), escape(v.Status), rate(v.F2P), rate(v.P2P),
		reason(v.Reason))
	for _, f := range v.Failing {
		m.line("- %s %s (%s)", f.Class, code(f.ID), outcome(f.Outcome))
	}
	text, known := r.patch(t.Repository)
	files, err := patch.Parse(text)
	switch {
	case !known:
		m.line("\nThe evaluation did not keep the patch.")
	case err != nil:
		m.line("\nThe patch can't be read: %s", escape(err.Error()))
	case len(files) == 0:
		m.line("\nNothing is changed.")
	default:
		m.line("")
		m.head("File", "Role", "Added", "Deleted", "Changes code")
		for _, f := range files {
			m.row(code(f.Path()), string(filerole.Of(f.Path())), fmt.Sprint(f.Added), fmt.Sprint(f.Deleted),
				yes(substantive([]patch.File{f}, t.code)))
		}
		m.line("\n%s", fenced(string(text), maxEvidencePatch))
	}
	if log := r.log(t, maxEvidenceLog); log != "" {
		m.line("\nThe end of the log:\n\n%s", fenced(log, maxEvidenceLog))
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// fenced writes a bounded text as a block of code that it can't end.
func fenced(s string, most int) string {
	if s = clean(s); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "\n…"
	}
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence
}
