package reference

import (
	"regexp"
	"strings"
)

// People who try a change on an unmerged one of a sibling write "boxo main with PR 12":
// the number is the sibling's, whose branch stands before it.
var (
	siblingBranch = regexp.MustCompile(`(?i)([\w.-]+)(?:@|['’]s |\s)(?:main|master|trunk|develop)(?: branch)?$`)
	withPull      = regexp.MustCompile(`(?i)^(?:the )?(?:(?:pr|pull request) ?#?|#)[1-9]`)
)

// builtWith is what stands between the branch and the pull.
const builtWith = " with "

// branchBytes bounds the words before it.
const branchBytes = 160

// scanBuiltWith looks at each "with" between a sibling's branch and a pull's number.
func scanBuiltWith(text string, found []find) []find {
	for at := 0; ; {
		i := strings.Index(text[at:], builtWith)
		if i < 0 {
			return found
		}
		with := at + i
		at = with + len(builtWith)
		m := siblingBranch.FindStringSubmatchIndex(text[max(0, with-branchBytes):with])
		digits := withPull.FindString(text[at:min(len(text), at+32)])
		if m == nil || digits == "" {
			continue
		}
		number, end, ok := readNumber(text, at+len(digits)-1)
		if !ok {
			continue
		}
		start, owner, name, ok := readNameBefore(text, max(0, with-branchBytes)+m[3])
		if !ok {
			continue
		}
		f := find{start: start, end: end, form: Shorthand, owner: owner, name: name, number: number, kind: Pull}
		if owner == "" {
			f.form = NameOnly
		}
		found = append(found, f)
		at = end
	}
}

// isBuiltWith reports whether a reference's text has that form.
func isBuiltWith(written string) bool { return strings.Contains(written, builtWith) }
