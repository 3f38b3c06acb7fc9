// Package rust plans builds and test runs of Cargo packages (cargo test). What another
// language needs, too, is in toolchain/kit.
package rust
