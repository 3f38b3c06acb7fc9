package assemble

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParagraphs(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"plain", "One.\r\n\r\nTwo\nlines.", []string{"One.", "Two\nlines."}},
		{"comments of templates", "<!-- Thank you\n\nfor this -->\nReal.", []string{"Real."}},
		{"comment without an end", "Real.\n\n<!-- Thank you", []string{"Real."}},
		{"checklists", "Real.\n\n- [ ] I have read\n- [x] I signed\n", []string{"Real."}},
		{"links keep their words", "As [the spec](https://example.org/x) says, see https://github.com/o/r/pull/5.",
			[]string{"As the spec says, see."}},
		{"references go", "The queue of o/lib#5 stalls (#12).", []string{"The queue of stalls."}},
		{"sentences of nothing but references", "Fixes o/tracker#5 for Go. The tools need the same.\n\nFixes o/tracker#5. " +
			"Same fix as o/lib#7. It was wrong, see o/x#1, o/x#2.",
			[]string{"Fixes for Go. The tools need the same.", "It was wrong, see."}},
		{"a reference in an item keeps the indent", "- list:\n  - o/x#1 is  wide", []string{"- list:\n  - is  wide"}},
		{"lines of nothing but references", "Closes #5\nFixes: o/r#6, #7\nDepends on https://github.com/o/r/pull/8\nPart " +
			"of o/r#4, goes with o/r#8\n- https://github.com/o/r/issues/9\n\nReal.", []string{"Real."}},
		{"labels of nothing but a link", "boxo: https://github.com/o/r/pull/8\nSee https://example.org/x for more " +
			"details.\nIn [the config](https://example.org):\n\n- a", []string{"In the config:", "- a"}},
		{"a line that says something stays", "Closes the channel.", []string{"Closes the channel."}},
		{"template headings", "## Description\n\nReal.\n\n## Checklist\n\n- [x] a\n\n### Screenshots\n",
			[]string{"## Description", "Real."}},
		{"code stays whole", "```go\nx := 1\n\n// y\n```\n\nAfter.", []string{"```go\nx := 1\n\n// y\n```", "After."}},
		{"no link in code", "```\ncurl https://github.com/o/r/commit/abc\n```", []string{"```\ncurl\n```"}},
		{"trailers", "Real.\n\nSigned-off-by: A <a@example.org>\nCo-authored-by: B <b@example.org>", []string{"Real."}},
		{"signatures of programs", "Real.\n\n🤖 Generated with [Tool](https://example.org)\n\nMore of it.", []string{"Real."}},
		{"images and tags", "<details><summary>Log</summary>\n![x](https://example.org/x.png)\n<b>Real</b>\n</details>",
			[]string{"Log\nReal"}},
		{"tables", "| a | b |\n|---|---|\n| 1 | 2 |", []string{"| a | b |\n|---|---|\n| 1 | 2 |"}},
		{"bad bytes", "caf\xff.", []string{"caf."}},
	} {
		if d := cmp.Diff(c.want, paragraphs(c.body)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

var later = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

func TestDraftMergesRepeatsAndNamesNoPull(t *testing.T) {
	body := "The queue must be cleared.\n\nSee https://github.com/o/app/pull/7 and o/app#7."
	c := candidate{Repositories: []repository{
		{Name: "o/app", Pulls: []pull{{Pull: Pull{Number: 7, MergedAt: later}, Title: "fix: use it (#7)",
			Body: "the queue must be cleared!\n\nApp part."}}},
		{Name: "o/lib", Pulls: []pull{{Pull: Pull{Number: 5}, Title: "Clear queue", Body: body}}},
	}}
	got := draft(c)
	want := []paragraph{
		{text: "The queue must be cleared.", source: "o/lib#5 body; o/app#7 body"},
		{text: "Use it.", source: "o/app#7 title"},
		{text: "App part.", source: "o/app#7 body"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(paragraph{})); d != "" {
		t.Error(d)
	}
	if text := join(got); strings.Contains(text, "#7") || strings.Contains(text, "o/lib") || strings.Contains(text,
		"o/app") {
		t.Error("the draft names the answer")
	}
}

func FuzzParagraphs(f *testing.F) {
	f.Add("a\n\n```\nb\n```\n<!-- c -->\n- [ ] d\n[e](f) #5")
	f.Fuzz(func(t *testing.T, body string) {
		for _, p := range paragraphs(body) {
			if strings.TrimSpace(p) == "" || bareLink.MatchString(p) && strings.Contains(p, "https://github.com/") {
				t.Errorf("%q leaves %q", body, p)
			}
		}
	})
}
