package toolchain

import (
	"path"
	"slices"
)

// javadeclares lists the top-level types of a Java or Kotlin file.
func javadeclares(file string, text []byte) []string {
	if !slices.Contains([]string{".java", ".kt"}, path.Ext(file)) {
		return nil
	}
	return typesOf(string(text), 0)
}
