package reference

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// place is what the bytes of a find are in the Markdown.
type place uint8

// The places. Bytes that no node claims are markup: link targets, titles, fences.
const (
	placeMarkup place = iota
	placeText
	placeCode
	placeComment
	placeTag
	placeAttribute // the target of an HTML anchor
)

// context is what a find stands in.
type context uint8

const (
	inQuote context = 1 << iota
	inStruck
	inChangelog
	inDetails
	inHeading
	inLongList
)

var contextFlags = []struct {
	bit  context
	flag Flag
}{{inQuote, Quote}, {inStruck, Struck}, {inChangelog, Changelog}, {inDetails, Details}, {inHeading, Heading},
	{inLongList, List}}

// parser is stateless; every parse has a context of its own.
var parser = goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Table)).Parser()

// Limits beyond which a text is an attack on the parser, whose time grows with
// the square of these; nothing in such a part counts. Bodies of 64 KB that people
// write stay far below.
const (
	maxNesting    = 100  // quote and list markers at a line's begin
	maxBrackets   = 3000 // in one paragraph
	maxDelimiters = 6000 // of emphasis, in one paragraph
)

// parse reads the part of a text that begins at base, as far as its finds need.
func parse(part string, base int, found []find) {
	part = part[:blockEnd(part, found[len(found)-1].end-base)]
	if len(part) > maxBrackets && hostile(part) {
		return
	}
	src := []byte(part)
	r := &reader{src: src, base: base, found: found}
	doc := parser.Parse(text.NewReader(src))
	_ = ast.Walk(doc, r.visit)
	r.countLists()
}

// blockEnd gives where the block that holds the byte before at has surely ended:
// at a blank line. What follows the last find need not be parsed.
func blockEnd(s string, at int) int {
	for _, blank := range []string{"\n\n", "\r\n\r\n"} {
		if i := strings.Index(s[at:], blank); i >= 0 {
			s = s[:at+i+len(blank)]
		}
	}
	return len(s)
}

// hostile says whether a text breaks the limits.
func hostile(s string) bool {
	brackets, delimiters := 0, 0
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == "" {
			brackets, delimiters = 0, 0
			continue
		}
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '[':
				brackets++
			case '*', '_', '~':
				delimiters++
			}
		}
		if markers(line) > maxNesting || brackets > maxBrackets || delimiters > maxDelimiters {
			return true
		}
	}
	return false
}

// markers counts the quote and list markers that a line begins with.
func markers(line string) (n int) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '>':
			n++
		case (c == '-' || c == '*' || c == '+') && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
			n++
		case c != ' ' && c != '\t':
			return n
		}
	}
	return n
}

// reader walks the document in order and keeps what is open.
type reader struct {
	src   []byte
	base  int // where src begins in the text
	found []find

	quotes, struck, heading int
	list, lists, depth      int // the outermost open list, lists so far, lists open
	log                     int // level of the changelog heading that is open, 0 none
	html                    html
}

func (r *reader) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	step := 1
	if !entering {
		step = -1
	}
	switch n := n.(type) {
	case *ast.Blockquote:
		r.quotes += step
	case *east.Strikethrough:
		r.struck += step
	case *ast.Heading:
		r.heading += step
		if entering {
			r.openHeading(n)
		}
	case *ast.List:
		r.openList(entering)
	case *ast.Text:
		if entering {
			r.mark(n.Segment.Start, n.Segment.Stop, placeText)
		}
	case *ast.CodeSpan:
		if entering {
			r.markChildren(n, placeCode)
		}
		return ast.WalkSkipChildren, nil
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		if entering {
			r.markLines(n.Lines(), placeCode)
		}
	case *ast.AutoLink:
		if entering {
			label := n.Label(r.src)
			r.mark(n.Pos(), n.Pos()+len(label)+1, placeText)
		}
	case *ast.RawHTML:
		if entering {
			r.readHTML(n.Segments)
		}
	case *ast.HTMLBlock:
		if entering {
			lines := text.NewSegments()
			lines.AppendAll(n.Lines().Sliced(0, n.Lines().Len()))
			if n.HasClosure() {
				lines.Append(n.ClosureLine)
			}
			r.readHTML(lines)
		}
	}
	if !entering && n.Type() == ast.TypeBlock && n.Kind() != ast.KindListItem && n.Kind() != ast.KindList {
		r.html.endBlock()
	}
	return ast.WalkContinue, nil
}

// openHeading notes where a changelog begins and where it ends: at a heading of
// the same or a higher level.
func (r *reader) openHeading(h *ast.Heading) {
	if r.log >= h.Level {
		r.log = 0
	}
	if r.log == 0 && changelogTitle(string(h.Lines().Value(r.src))) {
		r.log = h.Level
	}
}

func (r *reader) openList(entering bool) {
	if !entering {
		if r.depth--; r.depth == 0 {
			r.list = 0
		}
		return
	}
	if r.depth++; r.depth == 1 {
		r.lists++
		r.list = r.lists
	}
}

// mark gives the finds that begin in a stretch of the text their place.
func (r *reader) mark(start, stop int, p place) {
	start, stop = start+r.base, stop+r.base
	i := sort.Search(len(r.found), func(i int) bool { return r.found[i].start >= start })
	for ; i < len(r.found) && r.found[i].start < stop; i++ {
		f := &r.found[i]
		f.place = p
		if p == placeText && r.html.code() {
			f.place = placeCode
		}
		f.context, f.list = r.context(), r.list
	}
}

func (r *reader) context() (c context) {
	if r.quotes > 0 || r.html.quote > 0 {
		c |= inQuote
	}
	if r.struck > 0 || r.html.struck > 0 {
		c |= inStruck
	}
	if r.log > 0 || r.html.log() {
		c |= inChangelog
	}
	if len(r.html.details) > 0 {
		c |= inDetails
	}
	if r.heading > 0 {
		c |= inHeading
	}
	return c
}

func (r *reader) markChildren(n ast.Node, p place) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			r.mark(t.Segment.Start, t.Segment.Stop, p)
		}
	}
}

func (r *reader) markLines(lines *text.Segments, p place) {
	for i := range lines.Len() {
		s := lines.At(i)
		r.mark(s.Start, s.Stop, p)
	}
}

// longList is how many references a list may hold before it is an enumeration.
const longList = 5

func (r *reader) countLists() {
	count := map[int]int{}
	for _, f := range r.found {
		if f.list > 0 && f.place != placeCode && f.place != placeComment {
			count[f.list]++
		}
	}
	for i := range r.found {
		if count[r.found[i].list] > longList {
			r.found[i].context |= inLongList
		}
	}
}

// countable keeps the finds that the Markdown lets count: text, targets of links
// and of HTML anchors. What the label of a link that counts names is no link of its own.
func countable(text string, found []find) []find {
	kept := found[:0]
	for _, f := range found {
		switch f.place {
		case placeText:
		case placeAttribute, placeMarkup:
			if f.form == Shorthand || f.form == NameOnly || f.form == CommitShorthand {
				continue
			}
			if f.place == placeMarkup {
				if !linkTarget(text, f.start) || repeats(kept, f) && definition(text, f.start) {
					continue
				}
				kept = f.takeLabel(text, kept)
			}
		default:
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// linkTarget says whether an address in markup is the target of a link: it
// follows "](", or "]:" of a definition.
func linkTarget(text string, start int) bool {
	at := bracket(text, start)
	return at >= 0 && (text[at+1] == '(' || text[at+1] == ':')
}

// definition says whether a link's target is that of a definition.
func definition(text string, start int) bool { return text[bracket(text, start)+1] == ':' }

// bracket gives where the bracket is that ends the label before an address, -1 for none.
func bracket(text string, start int) int {
	at := start
	if at > 0 && text[at-1] == '<' {
		at--
	}
	for at > 0 && start-at < 64 && (text[at-1] == ' ' || text[at-1] == '\t' || text[at-1] == '\n') {
		at--
	}
	if at > 1 && text[at-2] == ']' {
		return at - 2
	}
	return -1
}

// repeats says whether a find that counts names the same already.
func repeats(kept []find, f find) bool {
	for i := range kept {
		k := &kept[i]
		if k.number == f.number && strings.EqualFold(k.owner, f.owner) && strings.EqualFold(k.name, f.name) &&
			strings.EqualFold(k.sha, f.sha) {
			return true
		}
	}
	return false
}

// labelBytes bounds a label.
const labelBytes = 300

// takeLabel drops the finds of the label that a link's target follows. The words
// before the link end where they began.
func (f *find) takeLabel(text string, kept []find) []find {
	end := bracket(text, f.start)
	if text[end+1] != '(' {
		return kept
	}
	open, depth := end, 1
	for depth > 0 && open > 0 && end-open < labelBytes {
		open--
		switch text[open] {
		case ']':
			depth++
		case '[':
			depth--
		}
	}
	if depth > 0 {
		return kept
	}
	for n := len(kept); n > 0 && kept[n-1].start > open && kept[n-1].end <= end; n-- {
		f.label, f.named = open, kept[n-1].start
		kept = kept[:n-1]
	}
	return kept
}
