package cpp

import (
	"strings"
)

// cmakeCall is one call of a CMake file.
type cmakeCall struct {
	name string   // in small letters
	args []string // quotes and brackets taken off
	text string   // as written
}

// key is the call without what of its writing does not matter.
func (c cmakeCall) key() string { return c.name + "\x00" + strings.Join(c.args, "\x00") }

// arg is the n-th argument, "" where there are fewer.
func (c cmakeCall) arg(n int) string {
	if n >= len(c.args) {
		return ""
	}
	return c.args[n]
}

// parseCMake reads the calls of a file; false where it can't be read.
func parseCMake(text string) (calls []cmakeCall, ok bool) {
	p := cmakeParser{text: text}
	for {
		p.skipBlank()
		if p.at >= len(p.text) {
			return calls, true
		}
		call, ok := p.call()
		if !ok {
			return nil, false
		}
		calls = append(calls, call)
	}
}

type cmakeParser struct {
	text string
	at   int
}

// skipBlank passes over white space and comments.
func (p *cmakeParser) skipBlank() {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			p.at++
		case c != '#':
			return
		default:
			p.comment()
		}
	}
}

func (p *cmakeParser) comment() {
	rest := p.text[p.at+1:]
	if body, length, ok := bracket(rest); ok {
		_ = body
		p.at += 1 + length
		return
	}
	end := strings.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	p.at += 1 + end
}

// bracket reads [[…]] or [=[…]=] at the beginning of a text.
func bracket(text string) (body string, length int, ok bool) {
	if !strings.HasPrefix(text, "[") {
		return "", 0, false
	}
	n := 1
	for n < len(text) && text[n] == '=' {
		n++
	}
	if n >= len(text) || text[n] != '[' {
		return "", 0, false
	}
	closing := "]" + strings.Repeat("=", n-1) + "]"
	end := strings.Index(text[n+1:], closing)
	if end < 0 {
		return "", 0, false
	}
	return text[n+1 : n+1+end], n + 1 + end + len(closing), true
}

func (p *cmakeParser) call() (cmakeCall, bool) {
	begin := p.at
	for p.at < len(p.text) && word(p.text[p.at]) {
		p.at++
	}
	name := strings.ToLower(p.text[begin:p.at])
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	if name == "" || p.at >= len(p.text) || p.text[p.at] != '(' {
		return cmakeCall{}, false
	}
	p.at++
	args, ok := p.arguments()
	return cmakeCall{name, args, p.text[begin:p.at]}, ok
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// arguments reads up to the closing bracket of a call; brackets inside are arguments.
func (p *cmakeParser) arguments() (args []string, ok bool) {
	for depth := 1; ; {
		p.skipBlank()
		if p.at >= len(p.text) {
			return nil, false
		}
		switch c := p.text[p.at]; c {
		case '(', ')':
			p.at++
			if c == '(' {
				depth++
			} else if depth--; depth == 0 {
				return args, true
			}
			args = append(args, string(c))
		default:
			arg, ok := p.argument()
			if !ok {
				return nil, false
			}
			args = append(args, arg)
		}
	}
}

func (p *cmakeParser) argument() (string, bool) {
	rest := p.text[p.at:]
	if body, length, ok := bracket(rest); ok {
		p.at += length
		return body, true
	}
	if rest[0] == '"' {
		end := closingQuote(rest)
		if end < 0 {
			return "", false
		}
		p.at += end + 1
		return rest[1:end], true
	}
	n := 0
	for n < len(rest) && !strings.ContainsRune(" \t\r\n\f()#", rune(rest[n])) {
		if rest[n] == '\\' && n+1 < len(rest) {
			n++
		}
		n++
	}
	p.at += n
	return rest[:n], true
}

func closingQuote(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}
