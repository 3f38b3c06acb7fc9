package kit

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// PickFiles is the selection of a toolchain whose tests are files: those that the
// recipe names, else those that the hidden files select of all there are.
func PickFiles(t Tree, r schema.Recipe, tests, hidden []string, alone string) (Selection, error) {
	if r.Select != nil {
		return ChosenFiles(t, r.Select)
	}
	return selectFiles(t, tests, hidden, alone), nil
}

// ChosenFiles is a recipe's own selection of files; an entry may go on with ::.
func ChosenFiles(t Tree, entries []string) (Selection, error) {
	for _, e := range entries {
		if file, _, _ := strings.Cut(e, "::"); !Has(t, path.Clean(file)) {
			return Selection{}, fmt.Errorf("the recipe selects %q: the tree does not have it", e)
		}
	}
	return Selection{Files: slices.Clone(entries)}, nil
}

// selectFiles picks of a tree's test files the hidden ones, and for what is no
// test file the ones of the nearest folder that holds any.
func selectFiles(t Tree, tests, hidden []string, alone string) Selection {
	var s Selection
	var rest []string
	picked := map[string]bool{}
	for _, name := range CleanPaths(hidden) {
		switch {
		case !Has(t, name):
			s.Left = append(s.Left, Left{name, "the tree does not have it"})
		case slices.Contains(tests, name):
			picked[name] = true
		default:
			rest = append(rest, name)
		}
	}
	named := len(picked)
	for _, name := range rest {
		if !PickBeside(tests, name, picked, named > 0) {
			s.Left = append(s.Left, Left{name, alone})
		}
	}
	for name := range picked {
		s.Files = append(s.Files, name)
	}
	sort.Strings(s.Files)
	return s
}

// PickBeside picks the tests in the nearest folder above a file, the root's only
// where the file is in none.
func PickBeside(tests []string, name string, picked map[string]bool, some bool) bool {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		var here []string
		selected := false
		for _, test := range tests {
			if path.Dir(test) == dir || dir != "." && strings.HasPrefix(test, dir+"/") {
				here = append(here, test)
				selected = selected || some && picked[test]
			}
		}
		if len(here) > 0 && !selected {
			for _, test := range here {
				picked[test] = true
			}
		}
		if len(here) > 0 || dir == "." {
			return len(here) > 0
		}
	}
}

// WantsFile says whether a file has a test among the ids; no ids, every file.
func WantsFile(only []string, file string) bool {
	for _, id := range only {
		if unit, _ := schema.SplitTestID(id); unit == file {
			return true
		}
	}
	return len(only) == 0
}
