package collect

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// LeftOut describes files of a workspace that no patch holds.
type LeftOut struct {
	Path   string `json:"path"` // a folder ends in a slash
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
}

// leftOut gathers the files that no patch holds.
type leftOut struct {
	rows   []LeftOut
	groups map[string]*LeftOut
	rules  map[string][]LeftOut // by the ignore pattern
}

// The list is for people: of many files that one rule ignores, a few are named.
const (
	namedPerRule = 20
	MaxLeftOut   = 2000
)

func (l *leftOut) add(name string, size int64, reason string) {
	l.rows = append(l.rows, LeftOut{pipeline.Printable(name), 1, size, reason})
}

// group adds a file to the row of its folder.
func (l *leftOut) group(folder string, size int64, reason string) {
	if l.groups == nil {
		l.groups = map[string]*LeftOut{}
	}
	g := l.groups[folder]
	if g == nil {
		g = &LeftOut{Path: pipeline.Printable(folder), Reason: reason}
		l.groups[folder] = g
	}
	g.Files++
	g.Bytes += size
}

func (l *leftOut) ignored(name string, size int64, pattern string) {
	if l.rules == nil {
		l.rules = map[string][]LeftOut{}
	}
	l.rules[pattern] = append(l.rules[pattern], LeftOut{pipeline.Printable(name), 1, size,
		"ignored by " + pipeline.Printable(pattern)})
}

// list returns the rows, sorted.
func (l *leftOut) list() []LeftOut {
	out := slices.Clone(l.rows)
	for _, g := range l.groups {
		out = append(out, *g)
	}
	for _, rows := range l.rules {
		out = append(out, summed(rows)...)
	}
	slices.SortFunc(out, func(a, b LeftOut) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Reason, b.Reason))
	})
	if len(out) > MaxLeftOut {
		rest := LeftOut{Path: "…", Reason: "not named"}
		for _, r := range out[MaxLeftOut:] {
			rest.Files += r.Files
			rest.Bytes += r.Bytes
		}
		out = append(out[:MaxLeftOut], rest)
	}
	return out
}

// summed returns few rows of one rule as they are, and many as one row of their common folder.
func summed(rows []LeftOut) []LeftOut {
	if len(rows) <= namedPerRule {
		return rows
	}
	sum := LeftOut{Path: path.Dir(rows[0].Path) + "/", Reason: rows[0].Reason}
	for _, r := range rows {
		for sum.Path != "./" && !strings.HasPrefix(r.Path, sum.Path) {
			sum.Path = path.Dir(path.Clean(sum.Path)) + "/"
		}
		sum.Files += r.Files
		sum.Bytes += r.Bytes
	}
	return []LeftOut{sum}
}
