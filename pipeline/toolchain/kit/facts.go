package kit

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// Facts are what others need to know of a language: the guard of predictions, the
// stress runs, the search for leaks and the builder of images are given them. A fact
// that a language has not is declared with [None] and the reason; a test of the
// registry fails for one that is neither.
type Facts struct {
	// Version changes when the same trees and recipe would now give another recipe,
	// selection or plan of this language. Outcomes of other languages stay.
	Version string

	// OwnsRoot says that the root of a tree is the language's own, so that a manifest of
	// another language that lies in a folder below doesn't make the tree one of that
	// language.
	OwnsRoot Fact[func(Tree) bool]
	// BelowRoot says that only a manifest below the root made Detect recognise a tree.
	BelowRoot Fact[func(Tree) bool]

	// Packages are the packages that trees of the language publish.
	Packages Fact[Packages]
	// BuildFailures are the words of the language's tools for what stops a build.
	BuildFailures Fact[buildfailure.Words]
	// HostCaches are the caches of the machine that builds outside of containers may use.
	HostCaches Fact[HostCaches]

	// Declares gives the names that a file declares for all of its package, each with
	// the package, so that files of different packages never share one. Languages whose
	// compilers refuse two files that declare the same name have it. What is no source
	// of the language declares nothing.
	Declares Fact[func(file string, text []byte) []string]

	// Guard says what of a change to any file of any repository is runner configuration
	// of the language.
	Guard Fact[func(Change) Guard]
	// Describes reports whether a lower-case file name is that of a build or package
	// description in which Guard can tell the parts for tests from those for production.
	Describes Fact[func(base string) bool]
	// InlineTests finds the tests inside a file of production, and what there supports only
	// tests, in the order of the file. It never fails on a file that does not parse.
	InlineTests Fact[func(file string, text []byte) []InlineTest]
	// ByContent says of a file's name, in small letters, that what the file holds decides
	// whether it is runner configuration.
	ByContent Fact[func(base string) bool]

	// Shuffles says what plans run in another order where a job has a Shuffle.
	Shuffles Fact[string]
	// Clock is a command that prints the Unix time in seconds as tests read it. Languages
	// have it whose programs ask the C library, which a preloaded library can shift.
	Clock Fact[string]
	// Canary says where plans add canaries, for a job that has a key for them.
	Canary Fact[string]
	// Resolve is a shell line that asks the language's own resolver where the names of the
	// selected tests and of their runner lead. It prints a name, a tab and a path a line,
	// in the place and with the environment of the tests; it runs no code of the tree.
	Resolve Fact[func(Job) string]
}

// Fact is one fact of a language: a value, or the reason why there is none. The zero
// value is neither, and an omission.
type Fact[T any] struct {
	Value T
	set   bool
	none  string
}

// Known makes a fact of a value.
func Known[T any](v T) Fact[T] { return Fact[T]{Value: v, set: true} }

// None declares that a language has no such fact.
func None[T any](reason string) Fact[T] { return Fact[T]{none: reason} }

// Known says whether there is a value.
func (f Fact[T]) Known() bool { return f.set }

// Omitted says that the fact is neither set nor declared to be none.
func (f Fact[T]) Omitted() bool { return !f.set && f.none == "" }

// Why is the reason why there is none.
func (f Fact[T]) Why() string { return f.none }

// Packages tells how a language's packages are named, in manifests and in caches.
type Packages struct {
	// Manager is the package manager's name in reports.
	Manager string
	// Manifests read the published name from the text of a file of that name; "" where it
	// names none.
	Manifests map[string]func(text string) string
	// Cached reads from a path of an image whose copy of which package lies there; the
	// version is "" where only the file itself names it.
	Cached func(path string) []CachedPackage
	// VersionIn reads the version from such a file, where the path does not name it.
	VersionIn func(data []byte) string
	// Record is the name of the file, beside an installed copy, by which Linked tells that
	// the copy is only a link to a tree; "" where copies are no links. Each file beside a
	// record counts as a copy of its own.
	Record string
	Linked func(record []byte) bool
}

// HostCaches tells where this machine keeps a language's caches.
type HostCaches struct {
	// Command prints the caches' places, a line each.
	Command []string
	// Variables are the environment's variables that name them, in the same order.
	Variables []string
}

// CachedPackage is a package's copy in a cache or among what is installed.
type CachedPackage struct{ Name, Version string }
