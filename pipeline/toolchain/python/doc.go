// Package python plans builds and test runs of Python projects (pytest). What another
// language needs, too, is in toolchain/kit.
package python
