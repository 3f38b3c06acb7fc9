package report

import (
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/release"
)

// Size is how much a reference change changes: production code, tests, generated
// files, documentation and configuration alike. Binary files count as files only.
type Size struct {
	Files   int `json:"files"`
	Added   int `json:"added"`
	Deleted int `json:"deleted"`
}

// Lines are those added and those deleted.
func (s Size) Lines() int { return s.Added + s.Deleted }

func (s Size) add(o Size) Size {
	return Size{s.Files + o.Files, s.Added + o.Added, s.Deleted + o.Deleted}
}

// reference measures the whole reference change of a target: its gold patch and its
// hidden tests. A file that several layers change is one file.
func reference(h release.Target) (size Size, gold []patch.File, err error) {
	if gold, err = patch.Parse(h.Gold); err != nil {
		return size, nil, fmt.Errorf("gold patch of %s: %w", h.Repository, err)
	}
	names := map[string]bool{}
	count := func(files []patch.File) {
		stat := patch.Stat(files)
		size.Added, size.Deleted = size.Added+stat.Added, size.Deleted+stat.Deleted
		for _, f := range files {
			names[f.Path()] = true
		}
	}
	count(gold)
	for _, l := range h.Layers {
		files, err := patch.Parse(l.Patch)
		if err != nil {
			return size, nil, fmt.Errorf("hidden tests %s of %s: %w", l.Name, h.Repository, err)
		}
		count(files)
	}
	size.Files = len(names)
	return size, gold, nil
}

// codeRoles are what a substantive change of a target changes: source files, or,
// where the reference itself changes none, whatever of configuration, build and
// generated files it does change.
func codeRoles(gold []patch.File) []filerole.Role {
	var others []filerole.Role
	for _, f := range gold {
		switch r := filerole.Of(f.Path()); r {
		case filerole.Source:
			return []filerole.Role{filerole.Source}
		case filerole.Config, filerole.Build, filerole.Generated, filerole.Vendored:
			others = append(others, r)
		}
	}
	slices.Sort(others)
	return append([]filerole.Role{filerole.Source}, slices.Compact(others)...)
}
