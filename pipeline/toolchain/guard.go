package toolchain

import (
	"bytes"
	"path"
	"strings"
)

// Change is what a patch does to one file of a repository: its bytes before and
// after, nil where it is not there.
type Change struct {
	Path          string
	Before, After []byte
}

// name is the file's name in small letters.
func (c Change) name() string { return strings.ToLower(path.Base(c.Path)) }

// Guard says what of a change decides how tests are found, run or reported, rather
// than what the code does.
type Guard struct {
	Touched bool
	// Restored is the file with nothing but that part as before; nil where the file is
	// all of it, and goes back as a whole.
	Restored []byte
}

// whole is the guard of a file that is runner configuration by its name, or by
// something that can't be told from the rest of it.
var whole = Guard{Touched: true}

// RunnerConfig asks every toolchain about a change.
func RunnerConfig(c Change) Guard {
	if c.Before != nil && bytes.Equal(c.Before, c.After) {
		return Guard{}
	}
	var found Guard
	for _, t := range All() {
		g := t.Facts().Guard
		if !g.Known() {
			continue
		}
		switch one := g.Value(c); {
		case !one.Touched:
		case found.Touched: // two claims on one file: all of it goes back
			found = whole
		default:
			found = one
		}
	}
	return found
}

// ByContent says whether what a file holds decides that it is runner configuration,
// so that one that can't be read, a symbolic link say, has to be taken for it.
func ByContent(file string) bool {
	base := strings.ToLower(path.Base(file))
	for _, t := range All() {
		if b := t.Facts().ByContent; b.Known() && b.Value(base) {
			return true
		}
	}
	return false
}
