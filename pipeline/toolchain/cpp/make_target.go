package cpp

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

var (
	makeValue = regexp.MustCompile(`(?m)^\s*(?:(?:override|export)\s+)?([A-Za-z0-9_.]+)\s*:{0,3}\??=[ \t]*([^\n#]*)`)
	// automakeMade are the variables in which automake lists what it makes.
	automakeMade  = regexp.MustCompile(`(?m)^\s*\w+_(?:PROGRAMS|SCRIPTS|LIBRARIES|LTLIBRARIES)\s*\+?=([^\n#]*)`)
	makeReference = regexp.MustCompile(`\$[({]([A-Za-z0-9_.]+)[)}]`)
)

// isMakeTarget reports whether a makefile of the tree makes a file: one that is there
// already is not made anew.
func isMakeTarget(t kit.Tree, file string) bool {
	for _, f := range t.Files() {
		dir := path.Dir(f)
		if !makefile(strings.ToLower(path.Base(f))) || dir != "." && !strings.HasPrefix(file, dir+"/") {
			continue
		}
		if slices.ContainsFunc(makeTargets(expandMake(kit.Read(t, f))), func(target string) bool {
			return path.Join(dir, target) == path.Clean(file)
		}) {
			return true
		}
	}
	return false
}

// makeTargets lists the targets of a makefile's rules, and what automake would add.
func makeTargets(text string) []string {
	list := slices.Collect(maps.Keys(readMake([]byte(text)).rules))
	for _, m := range automakeMade.FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", " "), -1) {
		list = append(list, strings.Fields(m[1])...)
	}
	return list
}

// expandMake puts the values of a makefile's own variables in the place of their names,
// also where they name others.
func expandMake(text string) string {
	const rounds, longest = 4, 1 << 20
	values := map[string]string{}
	for _, m := range makeValue.FindAllStringSubmatch(text, -1) {
		values[m[1]] = strings.TrimSpace(m[2])
	}
	for range rounds {
		if len(text) > longest {
			return text
		}
		text = makeReference.ReplaceAllStringFunc(text, func(s string) string {
			if v, ok := values[s[2:len(s)-1]]; ok {
				return v
			}
			return s
		})
	}
	return text
}
