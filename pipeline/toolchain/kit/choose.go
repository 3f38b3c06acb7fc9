package kit

import (
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/schema"
)

// Choose selects what runs for the hidden files, as the recipe widens or narrows
// them: whatever the toolchain, the test files that Wider names count as hidden, and
// the files that Narrower names don't. What Narrower keeps out is left, with the reason.
func Choose(tc Toolchain, t Tree, r schema.Recipe, hidden []string) (Selection, error) {
	var files []string
	var left []Left
	for _, f := range hidden {
		if matchesAny(r.Narrower, f) {
			left = append(left, Left{f, "the recipe leaves it out (narrower)"})
		} else {
			files = append(files, f)
		}
	}
	if len(r.Wider) > 0 {
		for _, f := range t.Files() {
			if filerole.Of(f) == filerole.Test && matchesAny(r.Wider, f) && !matchesAny(r.Narrower, f) && !slices.Contains(files,
				f) {
				files = append(files, f)
			}
		}
	}
	s, err := tc.Select(t, r, files)
	s.Left = append(s.Left, left...)
	return s, err
}

func matchesAny(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Matches(p, file) })
}

// Matches says whether a pattern names a file: the file itself, a folder above it,
// or a pattern in which * and ? stay within a name and ** is any number of folders.
func Matches(pattern, file string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if pattern == "." || pattern == file || strings.HasPrefix(file, pattern+"/") {
		return true
	}
	return matchParts(strings.Split(pattern, "/"), strings.Split(file, "/"))
}

func matchParts(pattern, parts []string) bool {
	// ends[i] says whether the pattern read so far can end before part i: a pattern of
	// many ** costs no more than its length times the path's.
	ends := make([]bool, len(parts)+1)
	ends[0] = true
	for _, p := range pattern {
		next := make([]bool, len(parts)+1)
		for i := range ends {
			switch {
			case p == "**":
				next[i] = ends[i] || i > 0 && next[i-1]
			case i > 0 && ends[i-1]:
				ok, err := path.Match(p, parts[i-1])
				next[i] = ok && err == nil
			}
		}
		ends = next
	}
	return ends[len(parts)]
}
