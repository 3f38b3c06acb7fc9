package workspace

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// checkPath gives the reason why a slash path may not be written in a tree, ”
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
		case isDotGit(part):
			return "inside .git"
		}
	}
	return ""
}

// isDotGit knows the spellings that some file system takes for .git.
func isDotGit(part string) bool {
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff, r == 0x200c:
			return -1
		}
		return r
	}, part)
	s, _, _ = strings.Cut(s, ":")
	s = strings.ToLower(strings.TrimRight(s, ". "))
	return s == ".git" || s == "git~1"
}

// checkLink gives the reason why a symbolic link at p to target may not be in a
// tree that a patch makes, ” where it may.
func checkLink(p, target string) string {
	if strings.HasPrefix(target, "/") {
		return "symbolic link to an absolute path"
	}
	if joined := path.Join(path.Dir(p), target); joined == ".." || strings.HasPrefix(joined, "../") {
		return "symbolic link out of the tree"
	}
	return ""
}

// linkAbove gives the parent folder of p that is a symbolic link, ” none.
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
