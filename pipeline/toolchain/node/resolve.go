package node

import (
	_ "embed"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

//go:embed resolve.js
var resolveScript string

var requiredName = regexp.MustCompile(`(?:\bfrom|\bimport|\brequire(?:\.resolve)?\s*\(|` +
	`\bimport\s*\()\s*["']((?:@[\w.~-]+/)?[\w~-][\w.~-]*)(?:/[^"'\n]*)?["']`)

// resolve follows node's rule for packages, from the folder of each selected test: the
// nearest node_modules that has the name, links followed.
func resolve(j kit.Job) string {
	t := j.RunnerTree()
	names := map[string]map[string]bool{}
	add := func(dir string, list ...string) {
		if names[dir] == nil {
			names[dir] = map[string]bool{}
		}
		for _, n := range list {
			names[dir][n] = true
		}
	}
	files := t.Files()
	for _, u := range j.Selection.Units {
		add(u.Dir, u.Runner)
		for _, file := range u.Files {
			dir := path.Dir(file)
			for _, f := range files {
				if path.Dir(f) != dir || !slices.Contains(nodeExts, path.Ext(f)) {
					continue
				}
				for _, m := range requiredName.FindAllStringSubmatch(kit.Read(t, f), 2000) {
					add(dir, m[1])
				}
			}
		}
	}
	var args []string
	for _, dir := range slices.Sorted(maps.Keys(names)) {
		args = append(args, dir+"="+strings.Join(slices.Sorted(maps.Keys(names[dir])), ","))
	}
	return `"$ownnode" -e ` + kit.Quote(resolveScript) + " " + kit.QuoteAll(args)
}
