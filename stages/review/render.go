package review

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/schema"
)

// plain makes strangers' text fit for a terminal: nothing that moves the cursor,
// changes colours or turns the direction of reading.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) && r != '\u200d' { // emoji join with it
			return -1
		}
		return r
	}, folder.CleanText(s))
}

// cut shortens a body but keeps its lines.
func cut(s string, most int) string {
	if s = plain(s); len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("\n… (%d more bytes)", len(s)-most)
}

// RenderList writes candidates as a table.
func RenderList(w io.Writer, rows []Row) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "No candidates. wideswe status shows how far the stages before review are.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CANDIDATE\tSTATUS\tKIND\tLATEST MERGE\tPULLS\tTITLE")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Candidate, r.Status, r.Kind, day(r.Latest), strings.Join(r.Pulls, " "),
			shorten(firstTitle(r), 70))
	}
	return t.Flush()
}

func firstTitle(r Row) string {
	if r.Reason != "" && (r.Status == dropped || r.Status == grouped || r.Status == orphaned || r.Status == schema.Stale) {
		return r.Reason
	}
	for _, t := range r.Titles {
		if t != "" {
			return t
		}
	}
	return ""
}

func day(t time.Time) string {
	if t.Year() <= 1 {
		return "-"
	}
	return t.Format(time.DateOnly)
}

// RenderDetail writes all there is of one candidate.
func RenderDetail(w io.Writer, d *Detail) error {
	p := &printer{w: w}
	p.line("candidate %s   %s   %s", d.Candidate, strings.TrimSpace(d.Status+" "+d.Kind+" "+d.Pattern), d.Ecosystem)
	p.line("%d pulls in %d repositories, latest merge %s, span %.1f days%s", len(d.Pulls), len(d.Repositories),
		day(d.Latest), d.Span, prefixed("; flags ", d.Flags))
	if d.Reason != "" {
		p.line("reason: %s", d.Reason)
	}
	if len(d.Was) > 0 {
		p.line("grew out of %s", strings.Join(d.Was, ", "))
	}
	for _, m := range d.Members {
		p.member(m)
	}
	p.section("Links", len(d.Links))
	for _, l := range d.Links {
		p.line("  %s → %s  %s%s%s%s", l.Source, l.Target, l.Location, space(l.Relation), prefixed(" ", l.Flags), may(l))
		p.line("      %s", shorten(l.Snippet, 120))
	}
	p.edges("Edges that hold it together", d.Edges)
	p.edges("Refused neighbours", d.Neighbors)
	p.section("May belong with", len(d.Proposals))
	for _, c := range d.Proposals {
		p.line("  %s  shares %s (%s)", c.Candidate, c.Shared, c.Reason)
	}
	p.section("Reviews", len(d.Reviews))
	for _, r := range d.Reviews {
		p.review(r)
	}
	return p.err
}

// printer keeps the first error of many lines.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) section(name string, n int) {
	if n > 0 {
		p.line("\n%s", name)
	}
}

func (p *printer) member(m MemberDetail) {
	p.line("\n%s  %s", m.Pull, m.Title)
	p.line("  %s  by %s, merged %s, %s → %s", m.URL, m.Author, day(m.MergedAt), plain(m.HeadRef), plain(m.BaseRef))
	if m.Inspected {
		p.line("  +%d −%d  %s; test change: %s; Linux: %s%s", m.Additions, m.Deletions, roles(m.Roles), yes(m.TestSignal),
			yes(m.Linux), parenthesized(m.Reason))
	} else {
		p.line("  not inspected yet")
	}
	for _, f := range m.Files {
		p.line("    %-9s %-8s +%d −%d  %s", f.Role, f.Status, f.Additions, f.Deletions, f.Path)
	}
	if total := sum(m.Roles); total > len(m.Files) {
		p.line("    … and %d more files", total-len(m.Files))
	}
	for _, i := range m.Issues {
		p.line("  issue %s%s  %s", i.Issue, space(i.Relation), i.Title)
	}
	for line := range strings.Lines(m.Body) {
		p.line("  │ %s", strings.TrimRight(line, "\n"))
	}
}

func (p *printer) edges(name string, edges []EdgeDetail) {
	p.section(name, len(edges))
	for _, e := range edges {
		via := e.ViaIssue
		if via != "" {
			via = " via " + via
		}
		p.line("  %s — %s  %d%s%s: %s", e.A, e.B, e.Score, space(e.Relation), via, e.Reason)
	}
}

func (p *printer) review(r schema.Review) {
	stale := ""
	if r.Stale {
		stale = " (stale: given for other pulls)"
	}
	p.line("  %s  %s%s%s, %s%s", r.Reviewer, r.Verdict, space(r.Kind), space(r.Pattern), day(r.ReviewedAt), stale)
	for _, text := range []string{r.Reason, r.Note} {
		if text != "" {
			p.line("      %s", shorten(text, 500))
		}
	}
	p.line("      %s", r.File)
}

func prefixed(prefix string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return prefix + strings.Join(list, ", ")
}

func space(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func parenthesized(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func may(l LinkDetail) string {
	if l.MayGroup {
		return ""
	}
	return strings.TrimSuffix(" — may not join: "+l.Reason, ": ")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func roles(m map[string]int) string {
	if len(m) == 0 {
		return "no files known"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d %s", m[k], k))
	}
	return strings.Join(parts, ", ")
}

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}
