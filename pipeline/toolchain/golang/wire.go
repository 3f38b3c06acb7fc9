package golang

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// goWiring is how the modules of a target use the siblings' trees: a copy of
// go.mod outside the tree with a replace for each sibling module that the target
// depends on, given by -modfile with -mod=mod. A go.work that names both would
// still look up the sibling's published version, and make imports ambiguous.
type goWiring struct {
	lines []string
	notes []string
	wired map[string]bool // module folders that have a copy
}

// env sets the flags for a command in a module that is not the root.
func (w goWiring) env(dir string) string {
	switch {
	case dir == ".":
		return ""
	case w.wired[dir]:
		return `GOFLAGS="$goflags ` + modFlags(dir) + `" `
	case w.wired["."]:
		return `GOFLAGS="$goflags" `
	}
	return ""
}

func modFlags(dir string) string { return "-modfile=$WIDESWE_TMP/" + modCopy(dir) + " -mod=mod" }

// modCopy is where the copy of a module's go.mod lies, below $WIDESWE_TMP. The
// folder's name is made of safe letters, since it stands in a flag.
func modCopy(dir string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, dir)
	if dir == "." {
		safe = "root"
	}
	return "go/" + safe + "/go.mod"
}

// localModule is a module that a tree of the workspace holds.
type localModule struct {
	goModule
	place string // shell word of its folder
	sum   string // shell word of its go.sum
}

func wireGo(j kit.Job, mods []goModule) goWiring {
	w := goWiring{wired: map[string]bool{}}
	w.lines = append(w.lines, releaseLines(j.Recipe)...)
	w.lines = append(w.lines, kit.PathLines(j.Recipe)...)
	local := localModules(j, mods)
	for _, m := range usedModules(j, mods) {
		w.module(m, local)
	}
	if len(w.wired) == 0 {
		return w
	}
	w.lines = append(w.lines, "export GOWORK=off", `goflags="${GOFLAGS:-}"`)
	if w.wired["."] {
		w.lines = append(w.lines, `export GOFLAGS="$goflags `+modFlags(".")+`"`)
	}
	if kit.Has(j.Tree, "vendor/modules.txt") && w.wired["."] {
		w.notes = append(w.notes, "vendor/ is not used: the sibling's working tree takes its place, and what it needs is "+
			"fetched")
	}
	return w
}

// usedModules are the root and the modules with selected tests.
func usedModules(j kit.Job, mods []goModule) []goModule {
	dirs := map[string]bool{".": true}
	for _, g := range j.Selection.Units {
		dirs[g.Module] = true
	}
	var used []goModule
	for _, m := range mods {
		if dirs[m.dir] {
			used = append(used, m)
		}
	}
	return used
}

// localModules are the siblings' modules by path, and the repository's own where
// a go.work joins them (which the wiring turns off): those alone that gold publishes,
// so that none takes a library's place.
func localModules(j kit.Job, mods []goModule) map[string]localModule {
	local := map[string]localModule{}
	add := func(m goModule, place func(string) string) {
		if p := m.path(); module.CheckImportPath(p) == nil {
			if old, found := local[p]; !found || len(m.dir) < len(old.dir) {
				local[p] = localModule{m, place(m.dir), place(path.Join(m.dir, "go.sum"))}
			}
		}
	}
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(i, k int) bool { return siblings[i].Repository < siblings[k].Repository })
	for _, s := range siblings {
		if s.Repository == j.Repository {
			continue
		}
		known := kit.NameSet(goModules(s.Publisher()), goModule.path)
		for _, m := range goModules(s.Tree) {
			if !known[m.path()] {
				continue
			}
			add(m, func(dir string) string { return kit.Under("WIDESWE_WORKSPACE", path.Join(s.Repository, dir)) })
		}
	}
	if work, err := modfile.ParseWork("go.work", []byte(kit.Read(j.Tree, "go.work")), nil); err == nil {
		known := kit.NameSet(goModules(j.RunnerTree()), goModule.path)
		for _, use := range work.Use {
			for _, m := range mods {
				if m.dir == path.Clean(use.Path) && known[m.path()] {
					add(m, func(dir string) string { return kit.Under("WIDESWE_REPO", dir) })
				}
			}
		}
	}
	return local
}

// wanted follows the requirements of a module through the local ones.
func wanted(m goModule, local map[string]localModule) []string {
	found, queue := map[string]bool{m.path(): true}, []goModule{m}
	var paths []string
	for len(queue) > 0 {
		for _, req := range queue[0].file.Require {
			if l, ok := local[req.Mod.Path]; ok && !found[req.Mod.Path] {
				found[req.Mod.Path] = true
				paths = append(paths, req.Mod.Path)
				queue = append(queue, l.goModule)
			}
		}
		queue = queue[1:]
	}
	sort.Strings(paths)
	return paths
}

// module writes the copy of one go.mod.
func (w *goWiring) module(m goModule, local map[string]localModule) {
	paths := wanted(m, local)
	if len(paths) == 0 {
		return
	}
	w.wired[m.dir] = true
	file := kit.Under("WIDESWE_TMP", modCopy(m.dir))
	sum := kit.Under("WIDESWE_TMP", path.Join(path.Dir(modCopy(m.dir)), "go.sum"))
	edits := []string{}
	for _, rep := range m.file.Replace {
		_, ours := slices.BinarySearch(paths, rep.Old.Path)
		old := rep.Old.Path
		if rep.Old.Version != "" {
			old += "@" + rep.Old.Version
		}
		switch {
		case ours:
			edits = append(edits, "-dropreplace="+kit.Quote(old))
		case modfile.IsDirectoryPath(rep.New.Path) && !path.IsAbs(rep.New.Path):
			edits = append(edits, "-replace="+kit.Quote(old)+"="+kit.Under("WIDESWE_REPO", path.Join(m.dir, rep.New.Path)))
		}
	}
	sums := []string{kit.Under("WIDESWE_REPO", path.Join(m.dir, "go.sum"))}
	for _, p := range paths {
		edits = append(edits, "-replace="+kit.Quote(p)+"="+local[p].place)
		sums = append(sums, local[p].sum)
	}
	w.lines = append(w.lines,
		"mkdir -p "+kit.Under("WIDESWE_TMP", path.Dir(modCopy(m.dir))),
		"cp "+kit.Under("WIDESWE_REPO", path.Join(m.dir, "go.mod"))+" "+file,
		"chmod u+w "+file,
		"go mod edit "+strings.Join(edits, " ")+" "+file,
		// The siblings' sums too, so that what only they need is still verified.
		"cat "+strings.Join(sums, " ")+" 2>/dev/null | sort -u >"+sum)
}
