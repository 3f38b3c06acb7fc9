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
// that gives what the expression gives, which is slow. No match goes over a line's
// end, so that the two texts can be read one after the other.
func PaperLinks(title, body string) []PaperLink {
	var p paperReader
	p.read(title)
	p.read(body)
	return p.links
}

// paperReader keeps the links read so far, each once.
type paperReader struct {
	links []PaperLink
	seen  map[string]bool // nil as long as the links are few
}

func (p *paperReader) read(text string) {
	hash, path, width := -1, -1, 0
	from, next := 0, 0 // where the last match ended, where the next mark may be
	for {
		if hash < next {
			hash = nextHash(text, next)
		}
		if path < next {
			path, width = nextPath(text, next)
		}
		at, start := hash, hash+1
		if path < hash {
			at, start = path, path+width
		}
		if at == len(text) {
			return
		}
		next = at + 1
		if owner, name, ok := paperNames(text[from:at]); ok {
			for from = start; from < len(text) && digit(text[from]); from++ {
			}
			next = from
			if n, err := strconv.Atoi(text[start:from]); err == nil && n <= 1<<31-1 { // no pull has a higher number
				p.add(PaperLink{owner, name, n})
			}
		}
	}
}

// fewLinks are compared one by one.
const fewLinks = 8

func (p *paperReader) add(l PaperLink) {
	if len(p.links) < fewLinks {
		for _, o := range p.links {
			if o.Number == l.Number && strings.EqualFold(o.Owner, l.Owner) && strings.EqualFold(o.Name, l.Name) {
				return
			}
		}
		p.links = append(p.links, l)
		return
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
		for _, o := range p.links {
			p.seen[o.key()] = true
		}
	}
	if key := l.key(); !p.seen[key] {
		p.seen[key] = true
		p.links = append(p.links, l)
	}
}

func (l PaperLink) key() string {
	return strings.ToLower(l.Owner+"/"+l.Name) + "#" + strconv.Itoa(l.Number)
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

// nextHash gives the first # at or after from that a name ends at and a number
// follows, the text's length for none.
func nextHash(text string, from int) int {
	for {
		i := strings.IndexByte(text[from:], '#')
		if i < 0 {
			return len(text)
		}
		at := from + i
		if between(text, at, at+1) {
			return at
		}
		from = at + 1
	}
}

// nextPath gives the first /pull/ or /issues/ of this kind, and its length.
func nextPath(text string, from int) (at, width int) {
	for {
		i := strings.IndexByte(text[from:], '/')
		if i < 0 {
			return len(text), 0
		}
		at = from + i
		if w := pathMark(text[at:]); w > 0 && between(text, at, at+w) {
			return at, w
		}
		from = at + 1
	}
}

// pathMark gives the length of the mark that a text begins with, 0 for none.
func pathMark(text string) int {
	if len(text) > 6 && text[1] == 'p' && text[:6] == "/pull/" {
		return 6
	}
	if len(text) > 8 && text[1] == 'i' && text[:8] == "/issues/" {
		return 8
	}
	return 0
}

// between says whether a mark at..end stands between a name and a number.
func between(text string, at, end int) bool {
	return at > 0 && end < len(text) && digit(text[end]) && nameByte(text[at-1])
}
