package reference

import (
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

// PaperLinks finds references by the rule of the authors' released script over
// title and body, duplicates removed, in order of appearance. It exists so that
// counts can be held against the paper's.
//
// It reads the two names before each mark of a number, as far as the last match;
// that gives what the expression gives, which is slow.
func PaperLinks(title, body string) []PaperLink {
	var links []PaperLink
	text := title + "\n" + body
	seen := map[string]bool{}
	marks := newMarks(text)
	from := 0 // where the last match ended
	for at := marks.next(0); at >= 0; at = marks.next(max(from, at+1)) {
		owner, name, ok := paperNames(text[from:at])
		if !ok {
			continue
		}
		start := at + marks.length(at)
		for from = start; from < len(text) && digit(text[from]); from++ {
		}
		n, err := strconv.Atoi(text[start:from])
		if err != nil || n > 1<<31-1 {
			continue // no pull has such a number
		}
		key := strings.ToLower(owner+"/"+name) + "#" + strconv.Itoa(n)
		if !seen[key] {
			seen[key] = true
			links = append(links, PaperLink{owner, name, n})
		}
	}
	return links
}

// paperNames reads owner/name at the end of a text.
func paperNames(text string) (owner, name string, ok bool) {
	slash := len(text)
	for slash > 0 && nameByte(text[slash-1]) {
		slash--
	}
	if slash--; slash < 0 || text[slash] != '/' || slash == len(text)-1 {
		return "", "", false
	}
	start := slash
	for start > 0 && nameByte(text[start-1]) {
		start--
	}
	return text[start:slash], text[slash+1:], start < slash
}

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

// length is that of the mark at a place that next gave.
func (m *marks) length(at int) int {
	for i, kind := range m.kinds {
		if m.ahead[i] == at {
			return len(kind)
		}
	}
	return 0
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
