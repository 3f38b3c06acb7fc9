package reference

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/text"
)

// html is what the HTML read so far has left open.
type html struct {
	pre     int // <pre>
	verb    int // <code>, <kbd>, <samp>, <tt>
	struck  int // <s>, <del>, <strike>
	quote   int // <blockquote>
	summary bool
	details []bool // one an open <details>: does its summary name a changelog?
}

func (h *html) code() bool { return h.pre > 0 || h.verb > 0 }

func (h *html) log() bool {
	for _, l := range h.details {
		if l {
			return true
		}
	}
	return false
}

// endBlock closes what a browser closes, or a reader would, at a block's end: a
// forgotten </code> does not hide the rest of the text.
func (h *html) endBlock() { h.verb, h.struck, h.summary = 0, 0, false }

// readHTML reads tags, comments and the text between them. The segments are the
// lines of one piece of HTML.
func (r *reader) readHTML(lines *text.Segments) {
	p := newPiece(r.src, lines)
	for at := 0; at < len(p.bytes); {
		rest := p.bytes[at:]
		next := strings.IndexByte(rest, '<')
		switch {
		case next < 0:
			next = len(rest)
			fallthrough
		case next > 0:
			r.htmlText(&p, at, at+next)
			at += next
		case strings.HasPrefix(rest, "<!--"):
			end := strings.Index(rest[4:], "-->")
			if end < 0 {
				end = len(rest) - 4
			}
			r.markPiece(&p, at, min(at+4+end+3, len(p.bytes)), placeComment)
			at = min(at+4+end+3, len(p.bytes))
		case len(rest) > 1 && (alnum(rest[1]) || rest[1] == '/' || rest[1] == '!' || rest[1] == '?'):
			end := tagEnd(rest)
			r.htmlTag(&p, at, at+end)
			at += end
		default:
			r.htmlText(&p, at, at+1)
			at++
		}
	}
}

// piece is text that lies in the source in stretches: the lines of a quoted
// block without their markers.
type piece struct {
	bytes  string
	starts []int // where each stretch begins in bytes
	source []int // and in the source
}

func newPiece(src []byte, lines *text.Segments) piece {
	var p piece
	var all strings.Builder
	for i := range lines.Len() {
		s := lines.At(i)
		p.starts = append(p.starts, all.Len())
		p.source = append(p.source, s.Start)
		all.Write(src[s.Start:s.Stop])
	}
	p.bytes = all.String()
	return p
}

// markPiece marks the bytes from..to of a piece in the source.
func (r *reader) markPiece(p *piece, from, to int, as place) {
	// The stretch that holds from is the last that begins at it or before.
	i := sort.Search(len(p.starts), func(i int) bool { return p.starts[i] > from }) - 1
	for ; i >= 0 && i < len(p.starts) && p.starts[i] < to; i++ {
		start, end := p.starts[i], len(p.bytes)
		if i+1 < len(p.starts) {
			end = p.starts[i+1]
		}
		if lo, hi := max(from, start), min(to, end); lo < hi {
			r.mark(p.source[i]+lo-start, p.source[i]+hi-start, as)
		}
	}
}

func (r *reader) htmlText(p *piece, from, to int) {
	if r.html.summary {
		if n := len(r.html.details); n > 0 && changelogTitle(p.bytes[from:to]) {
			r.html.details[n-1] = true
		}
	}
	r.markPiece(p, from, to, placeText)
}

// tagEnd gives the end of the tag that s begins with; quoted values may hold ">".
func tagEnd(s string) int {
	var quote byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && s[i-1] == '=':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(s)
}

func (r *reader) htmlTag(p *piece, from, to int) {
	tag := p.bytes[from:to]
	r.markPiece(p, from, to, placeTag)
	closing := strings.HasPrefix(tag, "</")
	name := strings.TrimPrefix(strings.TrimPrefix(tag, "<"), "/")
	end := 0
	for end < len(name) && alnum(name[end]) {
		end++
	}
	name = strings.ToLower(name[:end])
	if name == "a" && !closing {
		if at := hrefValue(tag); at > 0 {
			r.markPiece(p, from+at, from+at+1, placeAttribute)
		}
	}
	r.html.tag(name, closing)
}

// hrefValue finds where the value of a tag's href begins, 0 if it has none.
func hrefValue(tag string) int {
	lower := asciiLower(tag)
	at := strings.Index(lower, "href")
	if at < 1 || alnum(lower[at-1]) || lower[at-1] == '-' {
		return 0
	}
	at += len("href")
	for at < len(lower) && strings.IndexByte(" \t\n\r=", lower[at]) >= 0 {
		at++
	}
	if at < len(lower) && (lower[at] == '"' || lower[at] == '\'') {
		at++
	}
	return at
}

// asciiLower keeps every byte's position, which strings.ToLower does not.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func (h *html) tag(name string, closing bool) {
	count := func(n *int) {
		if !closing {
			*n++
		} else if *n > 0 {
			*n--
		}
	}
	switch name {
	case "pre":
		count(&h.pre)
	case "code", "kbd", "samp", "tt":
		count(&h.verb)
	case "s", "del", "strike":
		count(&h.struck)
	case "blockquote":
		count(&h.quote)
	case "summary":
		h.summary = !closing
	case "details":
		if !closing {
			h.details = append(h.details, false)
		} else if n := len(h.details); n > 0 {
			h.details = h.details[:n-1]
		}
	}
}
