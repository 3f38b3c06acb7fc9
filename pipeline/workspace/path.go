package workspace

import (
	"io/fs"
	"os"
	"strings"

	"github.com/wideswe/wideswe/pipeline/patch"
)

// checkPath gives the reason why a slash path may not be written in a tree, ""
// where it may.
func checkPath(p string) string {
	switch {
	case p == "":
		return "empty"
	case strings.HasPrefix(p, "/"):
		return "absolute"
	case strings.ContainsRune(p, 0):
		return "holds a NUL byte"
	case len(p) > 4096:
		return "too long"
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "" || part == ".":
			return "not in its shortest form"
		case part == "..":
			return "leads upwards"
		case patch.IsGitName(part):
			return "inside .git"
		}
	}
	return ""
}

// linkAbove gives the parent folder of p that is a symbolic link, "" none.
func linkAbove(root *os.Root, p string) string {
	for i, c := range p {
		if c != '/' {
			continue
		}
		if info, err := root.Lstat(p[:i]); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return p[:i]
		}
	}
	return ""
}
