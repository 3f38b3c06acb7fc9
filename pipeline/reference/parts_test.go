package reference

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// placed is what reading the Markdown says of a find.
type placed struct {
	Start   int
	Place   place
	Context context
}

func places(found []find) (all []placed) {
	for _, f := range found {
		p := placed{f.start, f.place, f.context}
		if p.Place == placeCode || p.Place == placeComment {
			p.Context = 0 // asked of no one
		}
		all = append(all, p)
	}
	return all
}

// finds are all that the Markdown is read for.
func finds(text string) []find {
	found := scan(text)
	if len(found) == 0 {
		found = numbersAlone(text)
	}
	return found
}

// samePlaces holds reading in parts against reading the whole.
func samePlaces(t *testing.T, text string) {
	t.Helper()
	whole, parts := finds(text), finds(text)
	if len(whole) == 0 || hostile(text) { // what the whole's bounds refuse, parts may be read of
		return
	}
	parse(text, 0, whole)
	readMarkdown(text, parts)
	if d := cmp.Diff(places(whole), places(parts)); d != "" {
		t.Fatalf("%q (-whole +parts)\n%s", text, d)
	}
}

var partTexts = []string{
	"<!-- a/b#1 -->\n\na/b#2\n\n```\na/b#3\n```\na/b#4",
	"<!-- a/b#1 --> a/b#2\n\na/b#3",
	"<!-->a/b#1\n\na/b#2 --> a/b#3",
	"- one\n\n- a/b#1\n\n<!-- x -->\n- a/b#2",
	"- one\n  ```\n  a/b#1\n\na/b#2\n  ```\na/b#3",
	"> one\na/b#1\n\na/b#2",
	"## Changelog\n\nwords\n\na/b#1\n\n# End\n\na/b#2",
	"Release notes\n===\n\na/b#1",
	"1. # Changelog\n\na/b#1",
	"<details>\n\na/b#1\n\n</details>\n\na/b#2",
	"```\na/b#1\n ````  \na/b#2\n\n~~~ a/b#3\n```\n\na/b#4\n\n\na/b#5",
	"[x][l] a/b#1\n\n[l]: https://github.com/a/b/pull/2",
	"a\n\n    a/b#1\n\nb\n\n\ta/b#2",
	"a `b\n\na/b#1` c\r\n\r\na/b#2",
	"- a/b#1\n- a/b#2\n- a/b#3\n- a/b#4\n\n- a/b#5\n- a/b#6\n\nx a/b#7",
	"| a |\n|---|\n| a/b#1 |\n\na/b#2\n\n* * *\n\na/b#3",
	"# \fChangelog\n\na/b#1",
	"# \vChangelog\n\na/b#1",
	"fixes #1\n\n```go\nfixes #2\n```\n\nfixes #3 <b>x</b>\n\nfixes #4",
}

func TestPartsGiveWhatTheWholeGives(t *testing.T) {
	for _, text := range partTexts {
		samePlaces(t, text)
		samePlaces(t, strings.ReplaceAll(text, "\n", "\r\n"))
	}
}

func FuzzParts(f *testing.F) {
	for _, text := range partTexts {
		f.Add(text)
	}
	if spec, err := os.ReadFile("testdata/link_cases.tsv"); err == nil {
		for line := range strings.Lines(string(spec)) {
			if c := strings.Split(line, "\t"); len(c) == 9 {
				f.Add(strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(c[4]))
			}
		}
	}
	f.Fuzz(samePlaces)
}
