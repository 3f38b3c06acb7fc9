package testreport

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Masks make names the same from run to run. A masked part is written as a word
// in capitals, so that a reader (and a skip pattern) sees that it varied.
var masks = []struct {
	re *regexp.Regexp
	by string
}{
	{ansi, ""},
	{regexp.MustCompile(`(127\.\d+\.\d+\.\d+|0\.0\.0\.0|localhost|\[::1?\]):\d{2,5}`), "$1:PORT"},
	{regexp.MustCompile(`(/(?:ip4|ip6|dns4?)/(?:127\.0\.0\.1|0\.0\.0\.0|localhost|::1?)/(?:tcp|udp)/)\d{2,5}`),
		"${1}PORT"},
	{regexp.MustCompile(`\b0x(?:c[0-9a-f]{9}|[0-9a-f]{12})\b`), "0xADDR"},
	{regexp.MustCompile(`( (?:at|object) )0x[0-9a-fA-F]{6,16}\b`), "${1}0xADDR"},
	{regexp.MustCompile(`(^|[\s'"(\[=,:</])(?:/private)?/(?:var/tmp|tmp|var/folders|dev/shm)/[^\s'"\]),:;]+`), "${1}/TMP"},
	{regexp.MustCompile(`(^|[\s'"(\[=,:</])/workspace/[^/\s'"]+/[^/\s'"]+/`), "$1"},
}

var ansi = regexp.MustCompile("\x1b(?:\\[[0-9;:?<=>]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

// maskName takes out of a runner's own name what differs from run to run.
func maskName(s string) string {
	s = Truncate(s, MaxName)
	for _, m := range masks {
		if strings.ContainsAny(s, "\x1b:/0") {
			s = m.re.ReplaceAllString(s, m.by)
		}
	}
	return s
}

// maskWords are what the masks leave in a name.
var maskWords = regexp.MustCompile(`:PORT\b|/PORT\b|\b0xADDR\b|/TMP\b`)

// HasMask reports whether an id hides a part that varies, so that no runner's filter can
// find its test.
func HasMask(id string) bool { return maskWords.MatchString(id) }

// MaskUnit takes out of a unit what differs from run to run; an absolute path keeps its end only.
func MaskUnit(s string) string {
	s = maskName(s)
	if strings.HasPrefix(s, "/") {
		s = s[strings.LastIndexByte(s, '/')+1:]
	}
	return s
}

// CleanText makes text of what a stranger wrote: valid UTF-8, no colours, no NUL.
func CleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = ansi.ReplaceAllString(s, "")
	}
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}

// LastPart keeps the end of a message.
func LastPart(s string) string {
	if len(s) > 2*MaxMessage {
		s = s[len(s)-2*MaxMessage:]
	}
	s = strings.TrimSpace(CleanText(s))
	if len(s) <= MaxMessage {
		return s
	}
	s = s[len(s)-MaxMessage+len("…"):]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return "…" + s
}

// Truncate keeps the first n bytes of a name.
func Truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// keep is the length of a [Tail]: more than a message, so that the message's cut is seen.
const keep = MaxMessage + 512

// Tail keeps the last bytes written to it.
type Tail struct{ b []byte }

// Add appends to the tail.
func (t *Tail) Add(s string) {
	if len(s) > keep {
		s = s[len(s)-keep:]
	}
	t.b = append(t.b, s...)
	if len(t.b) > 2*keep {
		t.b = append(t.b[:0], t.b[len(t.b)-keep:]...)
	}
}

// String gives the last bytes.
func (t *Tail) String() string { return string(t.b) }

// SuiteSep stands between suites and names in the ids of Node's tests.
const SuiteSep = " > "
