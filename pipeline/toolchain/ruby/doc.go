// Package ruby plans builds and test runs of Bundler projects (RSpec, minitest). What another
// language needs, too, is in toolchain/kit.
package ruby
