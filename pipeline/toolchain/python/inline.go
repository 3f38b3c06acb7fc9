package python

import (
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// inlineTests finds the docstrings with examples, which pytest runs as tests where a
// repository asks for it.
func inlineTests(file string, text []byte) []kit.InlineTest {
	if !strings.HasSuffix(file, ".py") || !strings.Contains(string(text), ">>>") {
		return nil
	}
	s := docScanner{text: string(text), documented: true}
	for s.at < len(s.text) {
		s.line()
	}
	return s.found
}

// docScanner reads a module by its logical lines.
type docScanner struct {
	text   string
	at     int
	scopes []pyScope
	// documented says that the next statement, if it is a string, is the documentation of
	// the innermost scope.
	documented bool
	found      []kit.InlineTest
}

// pyScope is a class or function that is open.
type pyScope struct {
	indent int
	name   string
}

var (
	pyScopeHead = regexp.MustCompile(`^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)`)
	pyString    = regexp.MustCompile(`^[A-Za-z]{0,2}("""|'''|"|')`)
)

// line reads one logical line: brackets and strings go on over the ends of lines.
func (s *docScanner) line() {
	begin := s.at
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
	indent, rest := s.at-begin, s.text[s.at:]
	if rest == "" || strings.IndexByte("\n\r#", rest[0]) >= 0 {
		s.skipTo('\n')
		return
	}
	for n := len(s.scopes); n > 0 && s.scopes[n-1].indent >= indent; n-- {
		s.scopes = s.scopes[:n-1]
	}
	statement := s.at
	isString := pyString.MatchString(rest)
	end := s.skipStatement()
	if s.documented && isString {
		s.add(statement, end)
	}
	s.documented = false
	if m := pyScopeHead.FindStringSubmatch(rest); m != nil {
		s.scopes = append(s.scopes, pyScope{indent, m[1]})
		s.documented = true
	}
}

// skipStatement goes behind the end of the logical line and gives where its first string
// ends.
func (s *docScanner) skipStatement() (stringEnd int) {
	depth := 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '#':
			s.skipTo('\n')
			s.at--
		case c == '"' || c == '\'':
			s.skipString()
			if stringEnd == 0 {
				stringEnd = s.at
			}
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth = max(0, depth-1)
		case c == '\\':
			s.at++
		case c == '\n' && depth == 0:
			s.at++
			return stringEnd
		}
		s.at++
	}
	s.at = len(s.text)
	return stringEnd
}

// skipString goes behind a string's end; one in single quotes ends with its line.
func (s *docScanner) skipString() {
	quote := s.text[s.at : s.at+1]
	if strings.HasPrefix(s.text[s.at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	for s.at += len(quote); s.at < len(s.text); s.at++ {
		switch {
		case s.text[s.at] == '\\':
			s.at++
		case strings.HasPrefix(s.text[s.at:], quote):
			s.at += len(quote)
			return
		case len(quote) == 1 && s.text[s.at] == '\n':
			return
		}
	}
	s.at = len(s.text)
}

// skipTo goes behind the next such byte.
func (s *docScanner) skipTo(c byte) {
	i := strings.IndexByte(s.text[s.at:], c)
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + 1
}

// add adds a docstring that has examples.
func (s *docScanner) add(begin, end int) {
	text := s.text[begin:end]
	code := docExamples(text)
	if code == "" {
		return
	}
	name := "examples in the module"
	for i, scope := range s.scopes {
		if i == 0 {
			name = "examples in "
		} else {
			name += "."
		}
		name += scope.name
	}
	s.found = append(s.found, kit.InlineTest{Name: name, Begin: begin, End: end, Code: code, Examples: true})
}

// docExamples are the inputs of a docstring with what they must print.
func docExamples(text string) string {
	var code []string
	inside := false
	for line := range strings.Lines(strings.Trim(text, `"'`)) {
		line = strings.TrimSpace(line)
		inside = strings.HasPrefix(line, ">>>") || inside && line != ""
		if inside {
			code = append(code, line)
		}
	}
	return strings.Join(code, "\n")
}
