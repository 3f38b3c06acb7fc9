package testreport

import (
	"regexp"
	"strings"
)

// Frame is a piece of what a runner itself writes around a test's words and that
// differs from run to run: durations, numbers of threads. Messages hold none of it,
// so that two runs in which a test said the same have the same message. What a test
// printed stays, whatever it is.
type Frame struct {
	word string // occurs in whatever re matches
	re   *regexp.Regexp
	by   string
}

// Figure matches a number of seconds or the like.
const Figure = `\d+(?:[.,]\d+)?`

// NewFrame makes a frame that replaces a regular expression, in which ^ and $ match
// at lines. word is a text without which the expression can't match.
func NewFrame(word, re, by string) Frame {
	return Frame{word, regexp.MustCompile("(?m)" + re), by}
}

// withoutFraming takes a runner's framing out of a message.
func withoutFraming(frames []Frame, message string) string {
	for _, f := range frames {
		if strings.Contains(message, f.word) {
			message = f.re.ReplaceAllString(message, f.by)
		}
	}
	return message
}
