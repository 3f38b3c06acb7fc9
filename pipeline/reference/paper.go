package reference

import (
	"regexp"
	"strconv"
	"strings"
)

// PaperLink is what the authors' rule finds.
type PaperLink struct {
	Owner, Name string
	Number      int
}

// PaperVersion is the version of the authors' rule as written here.
const PaperVersion = "paper-1"

// paperRule is one expression over raw text: no Markdown, no boundaries.
var paperRule = regexp.MustCompile(`(?:https://github\.com/)?([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)(?:/pull/|/issues/|#)(\d+)`)

// PaperLinks finds references by the rule of the authors' released script over
// title and body, duplicates removed, in order of appearance. It exists so that
// counts can be held against the paper's.
//
// A match lies wholly in a run of the bytes that the expression can match, and
// holds a mark before its number. So the expression, which is slow, is asked about
// the runs that hold a mark and no others; the answer is that of the whole text.
func PaperLinks(title, body string) []PaperLink {
	var links []PaperLink
	text := title + "\n" + body
	seen := map[string]bool{}
	marks := newMarks(text)
	for at := marks.next(0); at >= 0; {
		start, end := paperRun(text, at)
		for _, m := range paperRule.FindAllStringSubmatch(text[start:end], -1) {
			n, err := strconv.Atoi(m[3])
			if err != nil || n > 1<<31-1 {
				continue // no pull has such a number
			}
			key := strings.ToLower(m[1]+"/"+m[2]) + "#" + strconv.Itoa(n)
			if !seen[key] {
				seen[key] = true
				links = append(links, PaperLink{m[1], m[2], n})
			}
		}
		at = marks.next(end)
	}
	return links
}

// paperRun is the run of bytes around a mark that a match can reach over.
func paperRun(text string, at int) (start, end int) {
	start, end = at, at
	for start > 0 && paperByte(text[start-1]) {
		start--
	}
	for end < len(text) && paperByte(text[end]) {
		end++
	}
	return start, end
}

// paperByte says whether a byte can be part of a match: a name's, or of the
// address and the marks.
func paperByte(c byte) bool { return nameByte(c) || c == '/' || c == '#' || c == ':' }

// marks finds what stands before a number in every match, each kind once.
type marks struct {
	text  string
	kinds []string
	ahead []int // the next place of each kind, len(text) for none
}

func newMarks(text string) *marks {
	m := &marks{text: text, kinds: []string{"#", "/pull/", "/issues/"}}
	for range m.kinds {
		m.ahead = append(m.ahead, -1)
	}
	return m
}

// next gives the first mark at or after from, -1 for none.
func (m *marks) next(from int) int {
	first := len(m.text)
	for i, kind := range m.kinds {
		if m.ahead[i] < from {
			m.ahead[i] = m.find(kind, from)
		}
		first = min(first, m.ahead[i])
	}
	if first == len(m.text) {
		return -1
	}
	return first
}

func (m *marks) find(kind string, from int) int {
	for {
		i := strings.Index(m.text[from:], kind)
		if i < 0 {
			return len(m.text)
		}
		at := from + i
		after := at + len(kind)
		if at > 0 && nameByte(m.text[at-1]) && after < len(m.text) && digit(m.text[after]) {
			return at
		}
		from = at + 1
	}
}
