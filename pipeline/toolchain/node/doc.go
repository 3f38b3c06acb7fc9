// Package node plans builds and test runs of JavaScript and TypeScript packages (jest, vitest,
// mocha, ava, tap, node:test). What another
// language needs, too, is in toolchain/kit.
package node
