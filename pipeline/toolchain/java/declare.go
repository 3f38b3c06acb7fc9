package java

import (
	"path"
	"slices"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// javadeclares lists the top-level types of a Java or Kotlin file.
func declares(file string, text []byte) []string {
	if !slices.Contains([]string{".java", ".kt"}, path.Ext(file)) {
		return nil
	}
	return kit.TopLevelTypes(string(text), 0)
}
