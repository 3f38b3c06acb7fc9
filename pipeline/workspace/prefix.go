package workspace

import (
	"bytes"
	"strings"
)

// addPrefixes gives a patch that was made without prefixes (git's diff.noprefix) the ones
// that git apply expects. ok is false where any section has prefixes, or none is told.
func addPrefixes(sections []section) (diff []byte, ok bool) {
	var b bytes.Buffer
	for _, s := range sections {
		old, new, bare := bareNames(s)
		if !bare {
			return nil, false
		}
		for i, line := range s.lines {
			text := strings.TrimRight(string(line), "\r\n")
			end := string(line[len(text):])
			switch {
			case s.hunk[i]:
			case strings.HasPrefix(text, "diff --git "):
				text = "diff --git " + prefixed("a/", old) + " " + prefixed("b/", new)
			case strings.HasPrefix(text, "--- ") && text != "--- /dev/null":
				text = "--- " + prefixed("a/", text[4:])
			case strings.HasPrefix(text, "+++ ") && text != "+++ /dev/null":
				text = "+++ " + prefixed("b/", text[4:])
			}
			b.WriteString(text + end)
		}
	}
	return b.Bytes(), len(sections) > 0
}

// bareNames gives both names of a section's head where they have no prefixes: they are
// the same, or those of its rename or copy.
func bareNames(s section) (old, new string, ok bool) {
	if len(s.lines) == 0 {
		return "", "", false
	}
	rest, found := strings.CutPrefix(strings.TrimRight(string(s.lines[0]), "\r\n"), "diff --git ")
	if !found {
		return "", "", false
	}
	if n := len(rest) / 2; len(rest)%2 == 1 && rest[:n] == rest[n+1:] && rest[n] == ' ' {
		return rest[:n], rest[:n], true
	}
	for i, line := range s.lines {
		text := strings.TrimRight(string(line), "\r\n")
		for _, kind := range []string{"rename ", "copy "} {
			if name, is := strings.CutPrefix(text, kind+"from "); is && !s.hunk[i] {
				old = name
			} else if name, is := strings.CutPrefix(text, kind+"to "); is && !s.hunk[i] {
				new = name
			}
		}
	}
	return old, new, old != "" && rest == old+" "+new
}

// prefixed puts a prefix before a name, inside its quotes where it has some.
func prefixed(prefix, name string) string {
	if inside, quoted := strings.CutPrefix(name, `"`); quoted {
		return `"` + prefix + inside
	}
	return prefix + name
}
