package results

import (
	"slices"
	"strings"
	"unicode"
)

// Plain is strangers' text as a terminal may show it: no control character but line
// ends and tabs, and so no sequence that moves the cursor or renames the window.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) ||
			slices.Contains([]rune{'\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068',
				'\u2069'}, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
