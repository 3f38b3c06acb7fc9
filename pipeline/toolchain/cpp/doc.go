// Package cpp plans builds and test runs of C and C++ programs (CMake, Meson, autotools, make). What another
// language needs, too, is in toolchain/kit.
package cpp
