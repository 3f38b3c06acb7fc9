// Package toolchain knows how repositories are built and tested: one file per
// language. It detects a recipe from a tree, names the tests of the files that
// hidden tests touch, and writes the shell lines that wire, set up, build and
// test a target.
//
// It only plans. Running the lines is pipeline/sandbox's and pipeline/testrun's,
// reading the reports pipeline/testreport's. Trees are strangers' bytes: names
// are quoted, files are read within bounds, and nothing of a tree runs here.
package kit
