// Package kit holds what all languages share: the types of a plan and what it is made
// from (trees, jobs, selections, facts), and the tools that write plans (script lines,
// choosing test files, reading manifests, guarding parts of configuration files).
//
// It names no language. What only one language needs is in that language's folder; the
// list of languages, and what asks all of them, is in registry. Everything here plans:
// running the lines is pipeline/testrun's, reading the reports pipeline/testreport's.
// Trees are strangers' bytes: names are quoted, files are read within bounds, and
// nothing of a tree runs here.
package kit
