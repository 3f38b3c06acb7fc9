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
func PaperLinks(title, body string) []PaperLink {
	var links []PaperLink
	text := title + "\n" + body
	if !paperGate(text) {
		return nil
	}
	seen := map[string]bool{}
	for _, m := range paperRule.FindAllStringSubmatch(text, -1) {
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
	return links
}

// paperGate looks for a byte sequence that every match holds: the expression
// itself takes a thousand times as long.
func paperGate(text string) bool {
	if strings.Contains(text, "/pull/") || strings.Contains(text, "/issues/") {
		return true
	}
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '#')
		if i < 0 {
			return false
		}
		at += i + 1
		if at > 1 && at < len(text) && digit(text[at]) && nameByte(text[at-2]) {
			return true
		}
	}
}
