// Package filerole says what a path in a repository is: source, test, fixture,
// docs, config, build, generated or vendored. One set of rules, by the path alone,
// serves every stage: the same file can't be a test in one and source in another.
// It reads no file; what a change means is for the stages.
//
// Hidden from agents are tests and fixtures ([Hidden]); a gold patch is the rest.
// Support code of tests (testutil, conftest.py, what is under a test folder) is
// hidden with them, since the hidden tests can't be built without it.
package filerole

import (
	"path"
	"strings"
)

// Version changes when a path's role does.
const Version = "2"

// Role is what a path is.
type Role string

// The roles.
const (
	Source    Role = "source"
	Test      Role = "test"
	Fixture   Role = "fixture"
	Docs      Role = "docs"
	Config    Role = "config"
	Build     Role = "build"
	Generated Role = "generated"
	Vendored  Role = "vendored"
)

// Of gives the role of a path, written with slashes.
func Of(p string) Role {
	f := look(p)
	for _, rule := range rules {
		if rule.is(f) {
			return rule.role
		}
	}
	return Source
}

// Hidden says whether a path belongs to the hidden tests: test or fixture.
func Hidden(p string) bool {
	r := Of(p)
	return r == Test || r == Fixture
}

// rules in order; the first that holds decides.
var rules = []struct {
	role Role
	is   func(file) bool
}{
	{Vendored, vendored},
	{Fixture, fixture},
	{Docs, prose},
	{Test, testName},
	{Docs, docsFolder},
	{Test, func(f file) bool { return f.inTest && f.programming }},
	{Fixture, func(f file) bool { return f.inTest }},
	{Generated, generated},
	{Build, build},
	{Config, config},
	{Docs, docsName},
}

// file is a path taken apart.
type file struct {
	path        string
	folders     []string // as written
	base        string   // the last component, as written
	lower       string   // base in lower case
	stem, ext   string   // of lower: before the first dot that counts, and from the last dot
	programming bool     // written in a programming language, judging by the name
	inTest      bool     // under a folder of tests
}

func look(p string) file {
	f := file{path: p, base: path.Base(p)}
	if dir := path.Dir(p); dir != "." && dir != "/" {
		f.folders = strings.Split(dir, "/")
	}
	f.lower = strings.ToLower(f.base)
	f.ext = path.Ext(f.lower)
	f.stem = strings.TrimSuffix(f.lower, f.ext)
	f.programming = isProgramming(f.base)
	for _, folder := range f.folders {
		f.inTest = f.inTest || testFolder(strings.ToLower(folder), folder, f)
	}
	return f
}

// has says whether one of the folders above the file has one of these names.
func (f file) has(names map[string]bool) bool {
	for _, folder := range f.folders {
		if names[strings.ToLower(folder)] {
			return true
		}
	}
	return false
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
