package workspace

import "syscall"

// errNotDir is how the system says that a parent of a path is a file.
var errNotDir error = syscall.ENOTDIR
