package golang

import (
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// resolve lists the folders of all packages that the selected packages' tests are built
// of, as the go command finds them.
func resolve(j kit.Job) string {
	w := wireGo(j, goModules(j.Tree))
	var lines []string
	for _, g := range j.Selection.Units {
		format := `{{if not .ForTest}}{{.ImportPath}}{{"\t"}}{{.Dir}}{{end}}`
		lines = append(lines, "(cd "+kit.Under("WIDESWE_REPO", g.Module)+" && exec env "+w.env(g.Module)+
			"go list -e -deps -test -f "+kit.Quote(format)+tagFlag(g)+" "+goPattern(g)+")")
	}
	return strings.Join(kit.Unique(lines), "; ")
}
