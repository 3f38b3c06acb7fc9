package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// CleanPaths sorts paths and drops repeats.
func CleanPaths(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, path.Clean(p))
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// StaysInside says whether a path from a folder of the repository stays in the repository.
func StaysInside(dir, p string) bool {
	to := path.Join(dir, p)
	return !path.IsAbs(p) && to != ".." && !strings.HasPrefix(to, "../")
}

// RelativeTo is a path of the repository as a unit's folder sees it.
func RelativeTo(dir, file string) string {
	if dir == "." {
		return file
	}
	return strings.TrimPrefix(file, dir+"/")
}

// InTestFolder says whether a folder of the path is called t, test or tests.
func InTestFolder(name string) bool {
	for _, part := range strings.Split(path.Dir(name), "/") {
		if part == "t" || part == "test" || part == "tests" {
			return true
		}
	}
	return false
}

// StoreName tells stores apart that were filled in different ways.
func StoreName(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// SafeDir matches folders whose names need no quoting anywhere.
var SafeDir = regexp.MustCompile(`^[A-Za-z0-9/._@+-]{1,500}$`)
