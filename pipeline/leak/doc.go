// Package leak looks for what an agent must not see of a task: the gold change and
// the hidden tests, in the workspace's git objects, in an image's layers and the
// package caches they hold, in the prompt.
//
// It compares content, so that a copy is found under any name: a file that gold or
// the hidden tests bring and that base does not have is a secret, and so is a
// released version of a sibling that came after base. Compiled code is not looked
// into; that none is made from gold is the image's makers' duty (pipeline/testrun).
package leak
