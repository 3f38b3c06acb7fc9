package kit

import (
	"regexp"
)

// VendoredFolder matches files of a library that repositories keep a copy of, in a
// folder that has one of the names.
func VendoredFolder(names string) *regexp.Regexp {
	return regexp.MustCompile(`(^|/)(vendor|third[-_]?party|3rd[-_]?party|extern(al)?|deps|subprojects|contrib|` +
		`submodules?|bundle)/(.*/)?(` + names + `)([-.]v?[0-9][^/]*)?/`)
}
