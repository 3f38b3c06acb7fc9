package reference

import "strings"

// readMarkdown finds the place and the context of each find. A text is read in
// parts that mean the same by themselves, and only the parts with finds are parsed:
// most texts are long and name something in one place. What is plainly a comment
// or code need not be parsed at all.
func readMarkdown(source string, found []find) {
	source = source[:blockEnd(source, found[len(found)-1].end)]
	if strings.Contains(source, "]:") { // the definition of a link, which may be used anywhere
		parse(source, 0, found)
		return
	}
	s := splitter{source: source, found: found, fresh: true}
	for s.at < len(source) && len(s.found) > 0 && s.line() {
	}
	s.endPart(len(source))
}

// splitter walks over the lines of a text. Its parts begin where no block of the
// lines above can go on; it stops at a line that may say something of what stands
// far below, such as a tag or the heading of a changelog.
type splitter struct {
	source string
	found  []find // those not read yet
	part   int    // where the part begins
	at     int    // where the line begins
	fresh  bool   // the line above ends whatever was open, lists aside
}

// line passes over one line, or a comment or block of code that begins with it.
func (s *splitter) line() bool {
	end := lineEnd(s.source, s.at)
	line := s.source[s.at:end]
	switch {
	case blank(line):
		s.at, s.fresh = end, true
		return true
	case strings.HasPrefix(line, "<!--"):
		return s.comment()
	case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
		return s.fence(line)
	case farReaching(line):
		return false
	}
	if s.fresh && beginsAnew(line[0]) {
		s.endPart(s.at)
	}
	s.at, s.fresh = end, false
	return true
}

// comment passes over a comment that begins a line and ends one.
func (s *splitter) comment() bool {
	end := strings.Index(s.source[s.at:], "-->")
	if end < len("<!--") {
		return false
	}
	end += s.at + len("-->")
	after := lineEnd(s.source, end)
	if !blank(s.source[end:after]) {
		return false
	}
	s.block(s.at, after, placeComment)
	return true
}

// fence passes over a fenced block of code, to the end where none closes it.
func (s *splitter) fence(first string) bool {
	mark := first[0]
	width := run(first, mark)
	if mark == '`' && strings.IndexByte(first[width:], '`') >= 0 { // a span of code
		return false
	}
	from := s.at + len(first)
	after := from
	for after < len(s.source) {
		begin := after
		after = lineEnd(s.source, begin)
		if closes(s.source[begin:after], mark, width) {
			break
		}
	}
	s.block(from, after, placeCode)
	return true
}

// block gives the finds from..to their place and begins a part behind it. The lines
// of a block end whatever stands above, and finds between the part's end and from,
// in a fence's own line, are markup.
func (s *splitter) block(from, to int, p place) {
	s.endPart(s.at)
	n := 0
	for ; n < len(s.found) && s.found[n].start < to; n++ {
		if s.found[n].start >= from {
			s.found[n].place = p
		}
	}
	s.found = s.found[n:]
	s.part, s.at, s.fresh = to, to, true
}

// endPart parses the part that ends here, where it holds a find.
func (s *splitter) endPart(end int) {
	n := 0
	for n < len(s.found) && s.found[n].start < end {
		n++
	}
	if n > 0 {
		parse(s.source[s.part:end], s.part, s.found[:n])
	}
	s.found, s.part = s.found[n:], end
}

// farReaching says whether a line may change what stands in a later part: tags stay
// open, fences may stand in lists, a changelog goes on to the next heading.
func farReaching(line string) bool {
	if at := strings.IndexByte(line, '<'); at >= 0 {
		for ; at < len(line)-1; at++ {
			if c := line[at+1]; line[at] == '<' && (alnum(c) || c == '/' || c == '!' || c == '?') {
				return true
			}
		}
	}
	return strings.Contains(line, "```") || strings.Contains(line, "~~~") || mayBeChangelog(line)
}

// mayBeChangelog says whether a line could be a heading that begins a changelog, in
// whatever list or quotation.
func mayBeChangelog(line string) bool {
	at := 0
	for at < len(line) && strings.IndexByte(" \t\r\v\f>#*_-+.)0123456789", line[at]) >= 0 {
		at++
	}
	if at == len(line) || strings.IndexByte("cfurwn", line[at]|0x20) < 0 {
		return false
	}
	return changelogTitle(line[at:])
}

// beginsAnew says whether a line below a blank one begins a block of its own by its
// first byte: it is not indented and goes on with no list or quotation.
func beginsAnew(c byte) bool {
	return c > ' ' && c != '-' && c != '*' && c != '+' && c != '>' && !digit(c)
}

// closes says whether a line ends a block of code fenced with so many marks.
func closes(line string, mark byte, width int) bool {
	indent := run(line, ' ')
	if indent > 3 {
		return false
	}
	n := run(line[indent:], mark)
	return n >= width && blank(line[indent+n:])
}

func run(s string, c byte) (n int) {
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

func blank(line string) bool {
	for i := range len(line) {
		if c := line[i]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// lineEnd gives where the line that holds at ends, its newline included.
func lineEnd(s string, at int) int {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(s)
}
