// Package golang plans builds and test runs of Go modules (go test). What another
// language needs, too, is in toolchain/kit.
package golang
