// Package workspace lays repository trees on disk and changes them: it unpacks
// snapshots, applies patches, overlays hidden tests, and makes the one-commit
// repositories that agents get.
//
// Everything it reads is a stranger's: archives, patches, and the trees that
// earlier patches left. No write follows a symbolic link, none lands outside the
// tree or in .git, and a patch is applied wholly or not at all.
//
// What a diff says is pipeline/patch's; which trees a task needs is its callers'.
//
// The git program serves for `git apply` (binary patches, the exact rules that
// gold patches are made for) and `git fast-import` (one process writes a whole
// commit byte for byte, untouched by attributes and ignore files); it runs
// outside any repository and without anyone's configuration.
package workspace

import "fmt"

// UnsafeError says that a patch or archive names a path it may not: outside the
// tree, in .git, or through a symbolic link.
type UnsafeError struct{ Path, Reason string }

func (e *UnsafeError) Error() string { return fmt.Sprintf("unsafe path %q: %s", e.Path, e.Reason) }

// FailedError says that a patch does not go on this tree; Why is the tool's first
// line that says so.
type FailedError struct{ Why string }

func (e *FailedError) Error() string { return "patch does not apply: " + e.Why }

// InjectionError says that a layer of hidden tests does not go on its own base.
type InjectionError struct {
	Layer string
	Err   error
}

func (e *InjectionError) Error() string { return fmt.Sprintf("layer %s: %v", e.Layer, e.Err) }

// Unwrap gives the cause.
func (e *InjectionError) Unwrap() error { return e.Err }
