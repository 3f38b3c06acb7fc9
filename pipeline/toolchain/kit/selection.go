package kit

import (
	"slices"
)

// Selection is which tests run. It is stored as JSON and used for base and gold
// alike.
type Selection struct {
	// Files are test files, or ids of single tests where a recipe names them.
	Files []string `json:"files,omitempty"`
	// Units are runs of a runner inside a package of the repository, for toolchains
	// whose tests belong to packages rather than to files.
	Units []Unit `json:"units,omitempty"`
	// Left are hidden files for which nothing runs, each with the reason.
	Left []Left `json:"left,omitempty"`
}

// AllFiles lists the test files of a selection, those of its units too.
func (s Selection) AllFiles() []string {
	files := slices.Clone(s.Files)
	for _, u := range s.Units {
		files = append(files, u.Files...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Unit is one run of a runner inside a package (a workspace member, a crate, a
// module) of the repository.
type Unit struct {
	// Dir is the package's folder, from the repository's root, "." for the root.
	Dir string `json:"dir"`
	// Runner is who runs it, where the toolchain knows several.
	Runner string `json:"runner,omitempty"`
	// Target is the part of the package that is built and run: a program of tests,
	// a label; empty is all.
	Target string `json:"target,omitempty"`
	// Files are the test files, from the repository's root.
	Files []string `json:"files,omitempty"`
	// Tests are the names that the runner filters by: classes, suites, test names.
	Tests []string `json:"tests,omitempty"`
	// Module is the folder of the package's module, "." for the root, where a package is
	// part of one.
	Module string `json:"module,omitempty"`
	// Tags are the build tags that the files need.
	Tags []string `json:"tags,omitempty"`
	// First is the package clause of the tests that run first, Last of those that run
	// last, where files of one folder may have two.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// Left is a hidden file for which nothing runs.
type Left struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Empty says that nothing would run.
func (s Selection) Empty() bool { return len(s.Files) == 0 && len(s.Units) == 0 }
