package assemble

import (
	"regexp"
	"strings"
)

// gap stands where a reference was until its sentence is tidied.
const gap = "\x00"

var (
	// sentenceEnd ends a sentence at a stop that a space or the line's end follows.
	sentenceEnd = regexp.MustCompile(`.*?(?:[.!?]+(?:\s+|$)|$)`)
	gaps        = regexp.MustCompile(`[ \t]*\x00(?:[ \t]*(?:,|&|\band\b)?[ \t]*\x00)*[ \t]*`)
)

// proseLinks is [plainLinks] for a line that people read: sentences that had nothing
// but references to say go, and no hole is left where one was.
func proseLinks(line string) string {
	line = strings.ReplaceAll(line, gap, "")
	had := line
	text := strings.TrimLeft(unlink(line, gap), " \t")
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	var out strings.Builder
	for _, s := range sentenceEnd.FindAllString(text, -1) {
		if !strings.Contains(s, gap) || !hollow.MatchString(strings.ReplaceAll(s, gap, "")) {
			out.WriteString(s)
		}
	}
	return tidyBrackets(had, strings.TrimRight(indent+closeGaps(out.String()), " \t"))
}

// closeGaps leaves a space where words stand on both sides, and nothing elsewhere.
func closeGaps(s string) string {
	var out strings.Builder
	end := 0
	for _, at := range gaps.FindAllStringIndex(s, -1) {
		out.WriteString(s[end:at[0]])
		end = at[1]
		before, after := s[:at[0]], s[end:]
		if before != "" && after != "" && !strings.ContainsAny(before[len(before)-1:], "([`\"") &&
			!strings.ContainsAny(after[:1], ".,;:!?)]`\"") {
			out.WriteByte(' ')
		}
	}
	out.WriteString(s[end:])
	return out.String()
}
