package dotnet

import (
	"path"
	"regexp"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

var (
	typePartial   = regexp.MustCompile(`\bpartial\s+(?:class|interface|record|struct)\s+\w+`)
	typeNamespace = regexp.MustCompile(`(?m)^\s*namespace\s+[\w.]+\s*\{`)
)

// dotnetdeclares lists the top-level types of a C# file, but for those that may be in parts.
func declares(file string, text []byte) []string {
	if path.Ext(file) != ".cs" {
		return nil
	}
	plain := typePartial.ReplaceAllString(string(text), "")
	depth := 0
	if typeNamespace.MatchString(plain) {
		depth = 1
	}
	return kit.TopLevelTypes(plain, depth)
}
