// Package testreport turns the report files of a test run into test results: one
// file per format (gotest: `go test -json`; junit: JUnit XML; tap: TAP 12 to 14).
//
// What it gives is what the files say and no more. A test that no file names is
// missing and is not listed; a word that no format defines is an error, never a
// pass; a test that started and never ended is an error or, where another test
// brought the runner down, not_run. Strangers write these files: sizes, depth
// and counts are bounded, nothing is expanded, invalid UTF-8 becomes U+FFFD.
//
// Running tests, choosing them and comparing runs is left to others:
// pipeline/toolchain writes the commands, pipeline/testrun runs them.
package testreport
