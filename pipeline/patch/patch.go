// Package patch holds diffs as data: what files a patch touches and how, whether
// it may be laid over a tree at all, and its division into a gold patch and hidden
// tests. It keeps every byte: nothing is trimmed, recounted or repaired, since a
// space at the end of a hunk is part of it. It applies nothing; the git program
// does, on trees (pipeline/git) or on disk (pipeline/workspace).
//
// The parser sees at least what git apply sees in the same bytes, in git's own
// format and in the plain one of diff -u, so that [Check] judges every path that
// an application could touch.
package patch

import (
	"fmt"
)

// Bounds on a patch.
const (
	MaxBytes = 64 << 20
	MaxFiles = 50_000
)

// Op is what a section does to its file.
type Op string

// The operations.
const (
	Modify Op = "modify"
	Add    Op = "add"
	Delete Op = "delete"
	Rename Op = "rename"
	Copy   Op = "copy"
)

// Modes as git writes them.
const (
	ModeSymlink   = "120000"
	ModeSubmodule = "160000"
)

// File is one section of a patch.
type File struct {
	Op               Op
	OldPath, NewPath string // raw bytes, without a/ and b/; '' where there is no such side
	OldMode, NewMode string // '' where the patch does not say
	Binary           bool
	BinaryData       bool   // the binary content is there, not only the note that files differ
	Symlink          string // the new target where the section makes or changes a symlink
	HasSymlink       bool
	Added, Deleted   int      // lines
	Raw              []byte   // the section's exact bytes
	names            []string // all the names given
	whole            []string // the names with their first component: git apply guesses how much to strip
	start            int
}

// Path is the file's path after the change, or the one it had.
func (f File) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Paths are all the names the section gives, each once.
func (f File) Paths() []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, p := range append([]string{f.NewPath, f.OldPath}, f.names...) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}

// SyntaxError says where a patch can't be read.
type SyntaxError struct {
	Line   int
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("patch, line %d: %s", e.Line, e.Reason) }

// Stats counts what a patch changes. Binary files count as files only.
type Stats struct {
	Files   int `json:"files"`
	Added   int `json:"added"`
	Deleted int `json:"deleted"`
}

// Stat counts.
func Stat(files []File) Stats {
	s := Stats{Files: len(files)}
	for _, f := range files {
		s.Added += f.Added
		s.Deleted += f.Deleted
	}
	return s
}

// CrossingError says that a rename or copy leads from one part of a split to the
// other; made without renames, the patch can be split.
type CrossingError struct{ Old, New string }

func (e *CrossingError) Error() string {
	return fmt.Sprintf("the rename of %q to %q crosses the border between tests and the rest", e.Old, e.New)
}

// Split divides a patch by its files, byte for byte: the sections of tests, and
// all others.
func Split(diff []byte, isTest func(path string) bool) (gold, tests []byte, err error) {
	files, err := Parse(diff)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		test := isTest(f.Path())
		if f.OldPath != "" && f.NewPath != "" && isTest(f.OldPath) != test {
			return nil, nil, &CrossingError{f.OldPath, f.NewPath}
		}
		if test {
			tests = append(tests, f.Raw...)
		} else {
			gold = append(gold, f.Raw...)
		}
	}
	return gold, tests, nil
}
