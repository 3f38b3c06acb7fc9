package database

import (
	"regexp"
	"strings"
)

// sqlPiece matches, at the beginning of a text, what may hold a semicolon that ends
// nothing: a comment, a string, a quoted name. What is left open reaches to the end,
// and the database says so.
var sqlPiece = regexp.MustCompile(`^(?s:` + strings.Join([]string{
	`--[^\n]*`,
	`/\*.*?(?:\*/|\z)`,
	`[eE]'(?:\\.|''|[^'\\])*(?:'|\z)`,
	`'(?:''|[^'])*(?:'|\z)`,
	`"(?:""|[^"])*(?:"|\z)`,
}, "|") + `)`)

// dollarQuote begins a string such as $$it's$$ or $tag$…$tag$.
var dollarQuote = regexp.MustCompile(`^\$(?:[A-Za-z_][A-Za-z_0-9]*)?\$`)

// splitQueries cuts a text at the semicolons that end a query. Pieces that hold
// nothing but comments are left out.
func splitQueries(text string) []string {
	var list []string
	start, said := 0, false
	end := func(i int) {
		if said {
			list = append(list, strings.TrimSpace(text[start:i]))
		}
		start, said = i+1, false
	}
	for i := 0; i < len(text); {
		n := pieceLength(text, i)
		switch c := text[i]; {
		case c == ';':
			end(i)
		case n > 1 && (c == '-' || c == '/'):
		case !strings.ContainsRune(" \t\r\n", rune(c)):
			said = true
		}
		i += n
	}
	end(len(text))
	return list
}

// pieceLength says how many bytes from i on belong together.
func pieceLength(text string, i int) int {
	if i > 0 && isWord(text[i-1]) && isWord(text[i]) {
		return 1 // inside a name: the e of name'…' begins no string with escapes
	}
	rest := text[i:]
	if n := len(sqlPiece.FindString(rest)); n > 0 {
		return n
	}
	if tag := dollarQuote.FindString(rest); tag != "" {
		if j := strings.Index(rest[len(tag):], tag); j >= 0 {
			return 2*len(tag) + j
		}
		return len(rest)
	}
	return 1
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
