// Package registry lists the languages, a line each, and asks them all: which one a
// tree is tested by, what of a patch is runner configuration, what a file declares.
// It knows nothing of any language but its folder.
package registry
