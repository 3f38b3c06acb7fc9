// Package kittest runs plans with the programs of this machine, for the tests of the
// languages.
package kittest
