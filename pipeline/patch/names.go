package patch

import (
	"errors"
	"strings"
)

// sideName reads a name of a --- or +++ line: quoted or ended by a tab.
func sideName(value string) (name string, null bool, err error) {
	if end := closingQuote(value); !strings.HasPrefix(value, `"`) {
		value, _, _ = strings.Cut(value, "\t")
	} else if end > 0 && strings.HasPrefix(value[end+1:], "\t") {
		value = value[:end+1] // git ends a quoted name that holds a space with a tab, too
	}
	if name, err = unquote(value); err != nil {
		return "", false, err
	}
	if name == "/dev/null" {
		return "", true, nil
	}
	return name, false, nil
}

// stripFirst removes the first component, as git apply -p1 does: a/ and b/,
// whatever they are called. A
// name without one, and an absolute one, stay as they are for Check to judge.
func stripFirst(name string) string {
	if first, rest, found := strings.Cut(name, "/"); found && first != "" {
		return rest
	}
	return name
}

// headerNames reads the two names of a "diff --git" line. Names that hold spaces
// are not quoted, so the line is divided where both halves name the same file; a
// rename has lines of its own that say it plainly.
func headerNames(value string) (a, b string, ok bool) {
	if len(value) > 20_000 {
		return "", "", false // no path is that long, and the search below is quadratic
	}
	if strings.HasPrefix(value, `"`) {
		end := closingQuote(value)
		if end < 0 || end+1 >= len(value) || value[end+1] != ' ' {
			return "", "", false
		}
		return pair(value[:end+1], value[end+2:])
	}
	if i := strings.Index(value, ` "`); i >= 0 && strings.HasSuffix(value, `"`) {
		return pair(value[:i], value[i+1:])
	}
	for i := 0; i < len(value); i++ {
		if value[i] != ' ' {
			continue
		}
		if a, b, ok := pair(value[:i], value[i+1:]); ok && stripFirst(a) == stripFirst(b) {
			return a, b, true
		}
	}
	if left, right, found := strings.Cut(value, " "); found && !strings.Contains(right, " ") {
		return pair(left, right)
	}
	return "", "", false
}

func pair(left, right string) (a, b string, ok bool) {
	a, err := unquote(left)
	if err != nil {
		return "", "", false
	}
	if b, err = unquote(right); err != nil {
		return "", "", false
	}
	return a, b, a != "" && b != ""
}

// closingQuote is the place of the quote that ends a quoted name.
func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\',
	'"': '"'}

var errQuote = errors.New("a quoted name that can't be read")

// unquote undoes git's C-style quoting; other names are themselves.
func unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	if end := closingQuote(s); end < 0 || end != len(s)-1 {
		return "", errQuote
	}
	var b strings.Builder
	for i := 1; i < len(s)-1; i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c, known := escapes[s[i]]; {
		case known:
			b.WriteByte(c)
		case i+2 < len(s)-1 && s[i] >= '0' && s[i] <= '3' && octal(s[i+1]) && octal(s[i+2]):
			b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
			i += 2
		default:
			return "", errQuote
		}
	}
	return b.String(), nil
}

func octal(c byte) bool { return c >= '0' && c <= '7' }
