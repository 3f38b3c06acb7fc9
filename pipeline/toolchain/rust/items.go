package rust

import (
	"regexp"
	"strings"
)

// item is one item of a Rust file: a function, a module, an impl block.
type item struct {
	begin, end  int // from its attributes to its end
	docs        int // where the documentation in front of it begins, begin where there is none
	attributes  string
	head        string // what is behind the attributes, up to the body
	body, after int    // what lies between the braces; both 0 without any
}

// rustItems reads the items between two places of a text.
func rustItems(text string, from, to int) (items []item) {
	s := scanner{text: text[:to], at: from}
	for {
		i, ok := s.item()
		if !ok {
			return items
		}
		items = append(items, i)
	}
}

// scanner passes over a text of Rust. It never fails: what it can't tell it passes over.
type scanner struct {
	text string
	at   int
}

func (s *scanner) rest() string { return s.text[s.at:] }

// item reads the next item; false at the end.
func (s *scanner) item() (item, bool) {
	docs := s.blank()
	if s.at >= len(s.text) {
		return item{}, false
	}
	i := item{begin: s.at, docs: docs}
	for strings.HasPrefix(s.rest(), "#[") || strings.HasPrefix(s.rest(), "#![") {
		inner := strings.HasPrefix(s.rest(), "#![")
		begin := s.at
		s.at += strings.IndexByte(s.rest(), '[')
		s.group()
		if inner {
			return item{begin: begin, end: s.at, docs: begin, head: s.text[begin:s.at]}, true
		}
		i.attributes += s.text[begin:s.at]
		s.blank()
	}
	head := s.at
	s.finish(&i, head)
	i.end = s.at
	if i.head == "" {
		i.head = s.text[head:s.at]
	}
	return i, true
}

// untilSemicolon are items that end with a semicolon, whatever blocks they hold.
var untilSemicolon = regexp.MustCompile(`^(?:pub(?:\s*\([^)]*\))?\s+)?(?:use|static|type|let|const\s+(?:\w+|_)\s*:|` +
	`extern\s+crate)\b`)

// finish passes over the rest of an item.
func (s *scanner) finish(i *item, head int) {
	whole := untilSemicolon.MatchString(s.rest())
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ';':
			s.at++
			return
		case '{':
			begin := s.at
			s.group()
			if !whole {
				i.head, i.body, i.after = s.text[head:begin], begin+1, max(begin+1, s.at-1)
				return
			}
		case '(', '[':
			s.group()
		case '}', ')', ']':
			s.at++ // one too many
			return
		default:
			s.token()
		}
	}
}

// group passes over a bracket and all that it holds.
func (s *scanner) group() {
	for depth := 0; s.at < len(s.text); {
		switch s.text[s.at] {
		case '(', '[', '{':
			depth++
			s.at++
		case ')', ']', '}':
			s.at++
			if depth--; depth <= 0 {
				return
			}
		default:
			s.token()
		}
	}
}

var (
	rawString = regexp.MustCompile(`^(?:b|c|br|cr|r)?r?(#*)"`)
	character = regexp.MustCompile(`^'(?:[^'\\\n]|\\[^\n][^'\n]{0,8})'`)
	name      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
)

// token passes over a comment, a string, a name or one character.
func (s *scanner) token() {
	rest := s.rest()
	switch {
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		s.comment()
	case rest[0] == '"' || strings.IndexByte("brc", rest[0]) >= 0 && rawString.MatchString(rest):
		s.quoted(rest)
	case rest[0] == '\'' && character.MatchString(rest):
		s.at += len(character.FindString(rest))
	default:
		s.at += max(1, len(name.FindString(rest)))
	}
}

func (s *scanner) quoted(rest string) {
	m := rawString.FindStringSubmatch(rest)
	open := 1
	if m != nil {
		open = len(m[0])
	}
	raw := m != nil && strings.Contains(m[0], "r")
	for i := open; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && !raw:
			i++
		case rest[i] == '"' && (!raw || strings.HasPrefix(rest[i+1:], m[1])):
			s.at += i + 1
			if raw {
				s.at += len(m[1])
			}
			return
		}
	}
	s.at = len(s.text)
}

func (s *scanner) comment() {
	if strings.HasPrefix(s.rest(), "//") {
		end := strings.IndexByte(s.rest(), '\n')
		if end < 0 {
			end = len(s.rest())
		}
		s.at += end
		return
	}
	for depth := 0; s.at < len(s.text); s.at++ {
		switch {
		case strings.HasPrefix(s.rest(), "/*"):
			depth++
			s.at++
		case strings.HasPrefix(s.rest(), "*/"):
			s.at++
			if depth--; depth == 0 {
				s.at++
				return
			}
		}
	}
}

// blank passes over white space and comments. It gives where the documentation begins
// that is directly in front of what follows.
func (s *scanner) blank() (docs int) {
	docs = -1
	for s.at < len(s.text) {
		rest := s.rest()
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			s.at++
		case strings.HasPrefix(rest, "///") || strings.HasPrefix(rest, "/**"):
			if docs < 0 {
				docs = s.at
			}
			s.comment()
		case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*"):
			docs = -1
			s.comment()
		default:
			if docs < 0 {
				docs = s.at
			}
			return docs
		}
	}
	return s.at
}
