package pipeline

import "strings"

// Printable replaces control characters and bad UTF-8, so that a stranger's name or message can be shown.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
