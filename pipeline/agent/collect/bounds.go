package collect

import (
	"github.com/wideswe/wideswe/pipeline/patch"
)

// Bounds limits the part of one run that is collected.
type Bounds struct {
	Stream  int64 // bytes of all that lies in the workspace
	Entries int   // files, folders and links in it
	File    int64 // one changed file
	Patch   int64 // one repository's patch
	Changes int   // changed files of one repository
}

// DefaultBounds allow what evaluate accepts in a patch, and a large workspace after builds of everything in it.
var DefaultBounds = Bounds{Stream: 40 << 30, Entries: 4_000_000, File: 32 << 20, Patch: patch.MaxBytes,
	Changes: patch.MaxFiles}

// OverError says that a workspace held more than the bounds allow.
type OverError struct{ What string }

func (e *OverError) Error() string { return "the workspace holds more than is collected: " + e.What }

// filter decides what may enter a patch.
type filter struct {
	bounds  Bounds
	secrets Secrets
}
