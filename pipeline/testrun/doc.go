// Package testrun runs one target's tests: it makes the image a target's tests
// need, lays the workspace, runs wiring, build and tests in a sandbox, reads the
// report and says what became of every test, also where one test's crash hid
// others.
//
// What the commands are is pipeline/toolchain's, what a report means is
// pipeline/testreport's, and comparing base with gold is left to the stages.
package testrun
