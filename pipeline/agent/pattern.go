package agent

import (
	"path"
	"regexp"
	"strings"
)

// splitPattern divides a pattern of files at its first part that is not plain: the
// folder, or file, before it, and an expression for paths below that folder, nil
// where the pattern is one file.
func splitPattern(p string) (prefix string, below *regexp.Regexp) {
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
