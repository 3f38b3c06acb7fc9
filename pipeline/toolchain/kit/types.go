package kit

import (
	"regexp"
	"strings"
)

var (
	typePackage  = regexp.MustCompile(`(?m)^\s*(?:package|namespace)\s+([\w.]+)`)
	typeDeclared = regexp.MustCompile(`\b(?:class|interface|enum|record|object|struct|@interface)\s+(\w+)`)
	typeLiterals = regexp.MustCompile(`(?s)"""(?:.*?)"""|/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`)
)

// TopLevelTypes lists the types that begin at a depth of braces.
func TopLevelTypes(text string, depth int) (names []string) {
	plain := typeLiterals.ReplaceAllString(text, " ")
	scope := ""
	if m := typePackage.FindStringSubmatch(plain); m != nil {
		scope = m[1]
	}
	for _, m := range typeDeclared.FindAllStringSubmatchIndex(plain, -1) {
		before := plain[:m[0]]
		if strings.Count(before, "{")-strings.Count(before, "}") == depth {
			names = append(names, scope+"."+plain[m[2]:m[3]])
		}
	}
	return names
}
