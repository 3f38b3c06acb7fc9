package agentfile

import (
	"path"
	"regexp"
	"strings"
)

// SplitPattern divides a pattern of files at its first part with * or ?. It returns the folder before that part and
// an expression for paths below the folder; below is nil where the pattern names one file.
func SplitPattern(p string) (prefix string, below *regexp.Regexp) {
	parts := strings.Split(path.Clean(p), "/")
	i := 0
	for i < len(parts) && !strings.ContainsAny(parts[i], "*?") {
		i++
	}
	prefix = strings.Join(parts[:i], "/")
	if i == len(parts) {
		return prefix, nil
	}
	var re strings.Builder
	for j, part := range parts[i:] {
		if part == "**" {
			if re.WriteString("(?:[^/]+/)*"); j == len(parts[i:])-1 {
				re.WriteString("[^/]+")
			}
			continue
		}
		for _, r := range part {
			switch r {
			case '*':
				re.WriteString("[^/]*")
			case '?':
				re.WriteString("[^/]")
			default:
				re.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		if j < len(parts[i:])-1 {
			re.WriteByte('/')
		}
	}
	return prefix, regexp.MustCompile("^" + re.String() + "$")
}
