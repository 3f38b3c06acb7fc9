package reference_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/reference"
)

// FuzzExtract holds what is true of any text: no panic, offsets that lie in the
// text in order, and an answer that hangs on nothing but the text.
func FuzzExtract(f *testing.F) {
	for _, row := range specRows(f) {
		f.Add(row.text)
	}
	for _, s := range []string{"> <div>\n> <!-- acme/api#1\n> --> acme/api#2",
		"<details><summary>Changelog</summary>acme/api#1", "[a]: <https://github.com/a/b/pull/1>\n[a]", "a/b#1|c/d#2\n-|-\n",
		"\xc3\x28a/b#1\u200b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		refs := reference.Extract(text, person)
		last := 0
		for _, r := range refs {
			if r.Offset < last || r.Length <= 0 || r.Offset+r.Length > len(text) {
				t.Fatalf("%d+%d of %d after %d", r.Offset, r.Length, len(text), last)
			}
			last = r.Offset + r.Length
			if r.Written != text[r.Offset:last] {
				t.Fatalf("written %q, text %q", r.Written, text[r.Offset:last])
			}
			if len(r.Snippet) > 80 || !utf8.ValidString(r.Snippet) {
				t.Fatalf("snippet %q", r.Snippet)
			}
			if (r.Kind == reference.Commit) != (r.SHA != "") || (r.Number > 0) == (r.SHA != "") {
				t.Fatalf("%+v", r)
			}
			if len(r.Owner) > 39 || len(r.Name) > 100 {
				t.Fatalf("%+v", r)
			}
		}
		if d := cmp.Diff(refs, reference.Extract(strings.Clone(text), person)); d != "" {
			t.Fatal(d)
		}
		// What follows a blank line changes nothing before it, lists aside.
		if more := reference.Extract(text+"\n\nthe end", person); len(more) != len(refs) {
			t.Fatalf("%d references, with a paragraph more %d", len(refs), len(more))
		}
		for _, o := range reference.ExtractOwn(text, person) {
			if o.Offset < 0 || o.Offset+o.Length > len(text) || o.Number <= 0 {
				t.Fatalf("%+v", o)
			}
		}
	})
}

var paperRule = regexp.MustCompile(`(?:https://github\.com/)?([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)(?:/pull/|/issues/|` +
	`#)(\d+)`)

// FuzzPaperLinks holds the reading by hand against the expression alone.
func FuzzPaperLinks(f *testing.F) {
	for _, row := range specRows(f) {
		f.Add(row.text)
	}
	f.Add("a/b#1/c#2 https://github.com/a/b/pull/3/issues/4 a/b/pull/5#6 x/y#7:z/w#8")
	f.Fuzz(func(t *testing.T, text string) {
		want := map[string]bool{}
		for _, m := range paperRule.FindAllStringSubmatch("\n"+text, -1) {
			if n, err := strconv.Atoi(m[3]); err == nil && n <= 1<<31-1 {
				want[strings.ToLower(m[1]+"/"+m[2])+"#"+strconv.Itoa(n)] = true
			}
		}
		got := map[string]bool{}
		for _, l := range reference.PaperLinks("", text) {
			got[strings.ToLower(l.Owner+"/"+l.Name)+"#"+strconv.Itoa(l.Number)] = true
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

// mixed is text as pulls have it: most bodies name no other repository.
func mixed() []string {
	prose := strings.Repeat("This change makes the retry loop honour the deadline of its context, and adds a test. See "+
		"#12 for why.\n\n* first point: `x.go` is split\n* second point (email mia@example.org)\n", 12)
	template := "<!-- Thanks for the pull request! Read CONTRIBUTING.md first. -->\n## What\n\n" + prose +
		"\n## How to test\n\n```sh\nmake test # all\n```\n- [x] docs\n"
	var all []string
	for i := range 100 {
		text := template
		switch {
		case i%32 == 0: // half of the people begin with it, half end with it
			text = "Depends on https://github.com/acme/api/pull/12 and acme/sdk#3\n\n" + text
		case i%16 == 0:
			text += "\nDepends on https://github.com/acme/api/pull/12 and acme/sdk#3\n"
		case i%10 == 0:
			text += "\nhttps://github.com/acme/web/blob/main/a.go#L12 and https://example.org/x#1\n"
		}
		all = append(all, text)
	}
	return all
}

func BenchmarkExtract(b *testing.B) {
	texts, size, links := mixed(), 0, 0
	for _, t := range texts {
		size += len(t)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		links = 0
		for _, t := range texts {
			links += len(reference.Extract(t, person))
		}
	}
	if links != 14 {
		b.Fatal(links)
	}
}
