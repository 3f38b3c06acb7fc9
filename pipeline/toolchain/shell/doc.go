// Package shell plans builds and test runs of test scripts that print TAP. What another
// language needs, too, is in toolchain/kit.
package shell
