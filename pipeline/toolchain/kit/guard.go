package kit

import (
	"path"
	"strings"
)

// Change is what a patch does to one file of a repository: its bytes before and
// after, nil where it is not there.
type Change struct {
	Path          string
	Before, After []byte
	// Tree is the tree that Before is from, for what one file alone does not tell; nil
	// where only the file is known.
	Tree Tree
}

// Name is the file's name in lower case.
func (c Change) Name() string { return strings.ToLower(path.Base(c.Path)) }

// Guard says what of a change decides how tests are found, run or reported, rather
// than what the code does.
type Guard struct {
	Touched bool
	// Restored is the file with nothing but that part as before; nil where the file is
	// all of it, and goes back as a whole.
	Restored []byte
}

// Whole is the guard of a file that is runner configuration by its name, or by
// something that can't be told from the rest of it.
var Whole = Guard{Touched: true}
