package patch

import (
	"path"
	"strings"
)

// UnsafeError names a path that no patch may touch.
type UnsafeError struct{ Path, Reason string }

func (e *UnsafeError) Error() string { return "unsafe patch: " + e.Path + ": " + e.Reason }

// Check refuses a patch that could touch anything outside the tree it is laid
// over, or git's own files, by any of the names it gives.
func Check(files []File) error {
	links := map[string]string{} // folded path of a link the patch makes → as written
	for _, f := range files {
		for _, p := range append(f.Paths(), f.whole...) {
			if reason := CheckPath(p); reason != "" {
				return &UnsafeError{p, reason}
			}
		}
		if !f.HasSymlink {
			continue
		}
		if f.Binary {
			return &UnsafeError{f.NewPath, "a symlink written as binary content"}
		}
		if reason := checkTarget(f.NewPath, f.Symlink); reason != "" {
			return &UnsafeError{f.NewPath, reason}
		}
		links[fold(f.NewPath)] = f.NewPath
	}
	if len(links) == 0 {
		return nil
	}
	for _, f := range files {
		for _, p := range f.Paths() {
			for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
				if link, ok := links[fold(dir)]; ok {
					return &UnsafeError{p, "it leads through the symlink " + link + ", which the patch itself makes"}
				}
			}
		}
	}
	return nil
}

// CheckPath says why a path must not be touched, "" if it may.
func CheckPath(p string) string {
	switch {
	case p == "":
		return "an empty path"
	case len(p) > 4096:
		return "a path of more than 4096 bytes"
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, `\`), len(p) > 1 && p[1] == ':' && isLetter(p[0]):
		return "an absolute path"
	}
	for i := range len(p) {
		if p[i] < 0x20 || p[i] == 0x7f {
			return "a control character in the path"
		}
	}
	// On some systems the backslash divides a path, too.
	for part := range strings.SplitSeq(strings.ReplaceAll(p, `\`, "/"), "/") {
		switch {
		case part == "":
			return "an empty component in the path"
		case part == ".", part == "..":
			return "the path leaves its folder"
		case IsGitName(part):
			return "the path is inside a .git folder"
		}
	}
	return ""
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsGitName sees .git in all the spellings that some file system takes for it:
// other case, trailing dots and spaces, short names, streams, and the characters
// that HFS+ ignores.
func IsGitName(part string) bool {
	s := fold(part)
	s, _, _ = strings.Cut(s, ":")
	s = strings.TrimRight(s, ". ")
	return s == ".git" || strings.HasPrefix(s, "git~") && len(s) > 4 && strings.Trim(s[4:], "0123456789") == ""
}

// fold makes spellings equal that a file system may take for the same name.
func fold(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0x00ad,
			r == 0x034f:
			return -1
		}
		return r
	}, s))
}

// checkTarget says why a symlink's target is refused: it must stay in the tree.
func checkTarget(link, target string) string {
	switch {
	case target == "":
		return "a symlink without a target"
	case strings.HasPrefix(target, "/"), strings.HasPrefix(target, `\`), len(target) > 1 && target[1] == ':' &&
		isLetter(target[0]):
		return "a symlink to the absolute path " + target
	case strings.ContainsRune(target, 0):
		return "a symlink with a NUL in its target"
	}
	to := path.Join(path.Dir(link), strings.ReplaceAll(target, `\`, "/"))
	if to == ".." || strings.HasPrefix(to, "../") {
		return "a symlink that points outside, to " + target
	}
	for part := range strings.SplitSeq(to, "/") {
		if IsGitName(part) {
			return "a symlink into a .git folder"
		}
	}
	return ""
}
