package workspace

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// section is one file's part of a patch, cut out by its own hunk counts, so that
// a changed line that looks like a header is not taken for one.
type section struct {
	names   []string // every name its headers give, without a/ and b/
	mode    string   // the mode it leaves, '' unchanged or unknown
	link    string   // what a new symbolic link points to
	deletes bool
	creates bool
	lines   [][]byte // with their line ends
	hunk    []bool   // which of lines are inside a hunk
}

var hunkHeader = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// scan divides a patch into sections. It is lenient: what it can't read, git
// apply refuses.
func scan(patch []byte) []section {
	var out []section
	var cur *section
	var minus, plus int
	traditional := false // the section began with ---, without diff --git
	for line := range bytes.Lines(patch) {
		if minus > 0 || plus > 0 {
			cur.add(line, true)
			switch {
			case line[0] == '-':
				minus--
			case line[0] == '+':
				plus--
				if cur.mode == "120000" {
					cur.link += strings.TrimRight(string(line[1:]), "\r\n")
				}
			case line[0] == '\\':
			default:
				minus, plus = minus-1, plus-1
			}
			continue
		}
		text := strings.TrimRight(string(line), "\r\n")
		switch {
		case strings.HasPrefix(text, "diff --git "):
			out = append(out, section{})
			cur, traditional = &out[len(out)-1], false
			cur.names = gitLineNames(text[len("diff --git "):])
		case strings.HasPrefix(text, "--- ") && (cur == nil || traditional):
			out = append(out, section{})
			cur, traditional = &out[len(out)-1], true
		}
		if cur == nil {
			continue // text before the first section, as in a mail
		}
		cur.add(line, false)
		if line[0] == '\\' {
			cur.hunk[len(cur.hunk)-1] = true
		}
		if m := hunkHeader.FindStringSubmatch(text); m != nil {
			minus, plus = count(m[1]), count(m[2])
			continue
		}
		cur.header(text)
	}
	return out
}

func count(s string) int {
	if s == "" {
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func (s *section) add(line []byte, hunk bool) {
	s.lines = append(s.lines, line)
	s.hunk = append(s.hunk, hunk)
}

func (s *section) header(text string) {
	word := func(prefix string) (string, bool) { return strings.CutPrefix(text, prefix) }
	if m, ok := word("new mode "); ok {
		s.mode = m
	} else if m, ok := word("new file mode "); ok {
		s.mode, s.creates = m, true
	} else if _, ok := word("deleted file mode "); ok {
		s.deletes = true
	} else if m, ok := word("index "); ok {
		if _, mode, ok := strings.Cut(m, " "); ok {
			s.mode = mode
		}
	}
	for _, p := range []string{"rename from ", "rename to ", "copy from ", "copy to ", "rename old ", "rename new "} {
		if n, ok := word(p); ok {
			s.name(unquote(n))
		}
	}
	for _, p := range []string{"--- ", "+++ "} {
		n, ok := word(p)
		if !ok {
			continue
		}
		if !strings.HasPrefix(n, `"`) {
			n, _, _ = strings.Cut(n, "\t")
		}
		if n = unquote(n); n == "/dev/null" {
			s.creates, s.deletes = s.creates || p == "--- ", s.deletes || p == "+++ "
			continue
		}
		s.name(stripFirst(n))
	}
}

func (s *section) name(n string) {
	for _, have := range s.names {
		if have == n {
			return
		}
	}
	s.names = append(s.names, n)
}

// stripFirst drops a/ or b/, as git apply -p1 does. A name without a slash, or an
// absolute one, is kept whole for the check to judge.
func stripFirst(n string) string {
	if i := strings.IndexByte(n, '/'); i > 0 {
		return n[i+1:]
	}
	return n
}

// gitLineNames reads the names of a diff --git line where it can be read without
// guessing: quoted names, or two equal ones.
func gitLineNames(rest string) []string {
	if strings.HasPrefix(rest, `"`) || strings.HasSuffix(rest, `"`) {
		var names []string
		for rest != "" {
			var n string
			n, rest = nextName(rest)
			names = append(names, stripFirst(n))
		}
		return names
	}
	half := len(rest) / 2
	if len(rest)%2 == 1 && rest[half] == ' ' {
		if a, b := stripFirst(rest[:half]), stripFirst(rest[half+1:]); a == b {
			return []string{a}
		}
	}
	return nil
}

func nextName(s string) (name, rest string) {
	if !strings.HasPrefix(s, `"`) {
		name, rest, _ = strings.Cut(s, " ")
		return name, rest
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == '"' {
			return unquote(s[:i+1]), strings.TrimPrefix(s[i+1:], " ")
		}
	}
	return s, ""
}

// unquote reads git's C-style quoted name.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

// names lists every path a patch names, sorted, each once.
func names(sections []section) []string {
	seen := map[string]bool{}
	for _, s := range sections {
		for _, n := range s.names {
			seen[n] = true
		}
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Touched lists the paths a patch changes, creates, deletes or renames, sorted.
// It is an [UnsafeError] if one of them may not be written in a tree.
func Touched(patch []byte) ([]string, error) {
	sections, err := check(patch)
	return names(sections), err
}

// check refuses a patch that names a path it may not, or makes a symbolic link
// out of the tree or writes through one that it makes itself.
func check(patch []byte) ([]section, error) {
	if len(patch) > MaxPatch {
		return nil, &FailedError{fmt.Sprintf("larger than %d bytes", MaxPatch)}
	}
	sections := scan(patch)
	links := map[string]bool{}
	for _, s := range sections {
		for _, n := range s.names {
			if why := checkPath(n); why != "" {
				return nil, &UnsafeError{n, why}
			}
		}
		if s.mode != "120000" || s.deletes || len(s.names) == 0 {
			continue
		}
		p := s.names[len(s.names)-1]
		links[p] = true
		if s.link == "" {
			return nil, &UnsafeError{p, "symbolic link whose target can't be read"}
		}
		if why := checkLink(p, s.link); why != "" {
			return nil, &UnsafeError{p, why}
		}
	}
	for _, n := range names(sections) {
		for i, c := range n {
			if c == '/' && links[n[:i]] {
				return nil, &UnsafeError{n, "through the symbolic link " + n[:i] + " of the same patch"}
			}
		}
	}
	return sections, nil
}
