package registry

import (
	"bytes"
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// RunnerConfig asks every toolchain about a change.
func RunnerConfig(c kit.Change) kit.Guard {
	if c.Before != nil && bytes.Equal(c.Before, c.After) {
		return kit.Guard{}
	}
	var found kit.Guard
	for _, t := range All() {
		g := t.Facts().Guard
		if !g.Known() {
			continue
		}
		switch one := g.Value(c); {
		case !one.Touched:
		case found.Touched: // two claims on one file: all of it goes back
			found = kit.Whole
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

// Describes says whether a file is a build description of which some language tells the
// parts that concern tests from those that concern production.
func Describes(file string) bool {
	base := strings.ToLower(path.Base(file))
	for _, t := range All() {
		if d := t.Facts().Describes; d.Known() && d.Value(base) {
			return true
		}
	}
	return false
}

// InlineTests asks the toolchain that a file belongs to for the tests inside it.
func InlineTests(file string, text []byte) []kit.InlineTest {
	for _, t := range All() {
		if f := t.Facts().InlineTests; f.Known() {
			if list := f.Value(file, text); len(list) > 0 {
				return list
			}
		}
	}
	return nil
}
