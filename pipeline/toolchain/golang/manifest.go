package golang

import (
	"path"
	"slices"
	"sort"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// goDownload is what Detect has a root module set up with.
const goDownload = "go mod download || go mod download"

// goManifests are the files that decide which modules setup fetches: those of every
// module of the tree, since one may replace, use or require another. A recipe with a
// setup of its own may read any file.
func goManifests(setup []string, t kit.Tree, mods []goModule) []string {
	if len(setup) > 0 && !slices.Equal(setup, []string{goDownload}) {
		return nil
	}
	var files []string
	add := func(name string) {
		if kit.Has(t, name) {
			files = append(files, name)
		}
	}
	for _, m := range mods {
		add(path.Join(m.dir, "go.mod"))
		add(path.Join(m.dir, "go.sum"))
	}
	add("go.work")
	add("go.work.sum")
	sort.Strings(files)
	return files
}
