package testrun

import (
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// unreadFiles lists the watched files that the run's lists of sources don't have; none
// where its toolchain makes no lists.
func (q Request) unreadFiles(lists []kit.SourceList, files map[string][]byte) (unread []string) {
	if len(lists) == 0 {
		return nil
	}
	read := map[string]bool{}
	for _, l := range lists {
		for _, name := range sourceNames(string(files[l.File])) {
			read[q.placeOf(name, l.Dir)] = true
		}
	}
	for _, f := range q.Watched {
		if !read[path.Clean(f)] {
			unread = append(unread, f)
		}
	}
	slices.Sort(unread)
	return slices.Compact(unread)
}

// placeOf is a file's path from the repository's root: absolute names have it behind the
// repository's folder, others begin at dir.
func (q Request) placeOf(name, dir string) string {
	if !path.IsAbs(name) {
		return path.Join(dir, name)
	}
	_, rest, found := strings.Cut(name, path.Join(workspaceDir, q.Repository)+"/")
	if !found {
		return ""
	}
	return path.Clean(rest)
}

// sourceNames are the words of a list of sources. A line of a comment has none.
func sourceNames(text string) (names []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.ReplaceAll(line, `\ `, "\x00")
		for _, word := range strings.Fields(line) {
			names = append(names, strings.TrimSuffix(strings.ReplaceAll(word, "\x00", " "), ":"))
		}
	}
	return names
}

// Unread lists the watched files that the first run was not seen to read.
func (r *Report) Unread() []string { return r.First().Unread }
