package node

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// nodeRepo is a repository whose dependencies are installed for a run: the target,
// or a sibling whose working tree takes a published package's place.
type nodeRepo struct {
	repository string
	root       string // shell word of its tree
	store      string // shell word of where its packages are kept
	salt       string
	installs   []nodeInstall
	wires      []nodeWired // packages that come from other trees
	builds     []string
	why        string
}

// nodeWired is a package that a tree of the workspace holds.
type nodeWired struct {
	nodePackage
	repository string
}

func (w nodeWired) place() string {
	return kit.Under("WIDESWE_WORKSPACE", path.Join(w.repository, w.dir))
}

// nodeWire finds the siblings' packages that the target's packages name, and
// theirs in turn: packages that gold has under the same name. The first of the list is
// the target.
func nodeWire(j kit.Job, list []nodePackage) []nodeRepo {
	local := map[string]nodeWired{}
	trees := map[string]kit.Tree{j.Repository: j.Tree}
	name := func(p nodePackage) string { return p.name }
	known := map[string]map[string]bool{j.Repository: kit.NameSet(nodePackages(j.RunnerTree()), name)}
	packages := map[string][]nodePackage{j.Repository: list}
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(i, k int) bool { return siblings[i].Repository < siblings[k].Repository })
	for _, s := range siblings {
		trees[s.Repository] = s.Tree
		known[s.Repository] = kit.NameSet(nodePackages(s.Publisher()), name)
		packages[s.Repository] = nodePackages(s.Tree)
	}
	for _, repository := range sortedKeys(packages) {
		for _, p := range packages[repository] {
			old, found := local[p.name]
			if p.name != "" && known[repository][p.name] && nodeName(p.name) && (!found || len(p.dir) < len(old.dir) &&
				old.repository == repository) {
				local[p.name] = nodeWired{p, repository}
			}
		}
	}
	seen := map[string]bool{j.Repository: true}
	queue := []string{j.Repository}
	var repos []nodeRepo
	for len(queue) > 0 {
		repository := queue[0]
		queue = queue[1:]
		own := packages[repository]
		r := nodeRepo{repository: repository, root: kit.Under("WIDESWE_WORKSPACE", repository), store: `"$cache"/store/` +
			kit.Quote(schema.FileName(repository))}
		recipe, units := schema.Recipe{}, []kit.Unit{}
		if repository == j.Repository {
			recipe, units, r.root = j.Recipe, j.Selection.Units, `"$WIDESWE_REPO"`
		}
		names := map[string]bool{}
		for _, p := range own {
			for dep := range p.deps {
				if w, ok := local[dep]; ok && w.repository != repository {
					names[dep] = true
				}
			}
		}
		for _, name := range sortedKeys(names) {
			w := local[name]
			r.wires = append(r.wires, w)
			if !seen[w.repository] {
				seen[w.repository] = true
				queue = append(queue, w.repository)
			}
		}
		if repository != j.Repository {
			for _, w := range local { // a package in a folder of its own may need an install there
				if w.repository == repository && wiredTo(repos, w.name) {
					units = append(units, kit.Unit{Dir: w.dir})
				}
			}
			sort.Slice(units, func(i, k int) bool { return units[i].Dir < units[k].Dir })
			recipe, _ = Toolchain{}.Detect(trees[repository])
			r.why = repository + " takes the place of its published packages"
		}
		r.installs = nodeInstalls(trees[repository], recipe, own, units)
		r.builds = nodeBuilds(trees[repository], own, units, r.root, repository != j.Repository, j.Recipe.Build)
		parts := append([]string{recipe.Runtime, j.Recipe.Runtime}, sortedKeys(names)...)
		for _, in := range r.installs {
			parts = append(parts, in.dir, strings.Join(in.lines, "\n"))
		}
		r.salt = kit.StoreName(parts...)
		repos = append(repos, r)
	}
	return repos
}

// wiredTo says that one of the repositories so far is wired to a package.
func wiredTo(repos []nodeRepo, name string) bool {
	return slices.ContainsFunc(repos, func(r nodeRepo) bool {
		return slices.ContainsFunc(r.wires, func(w nodeWired) bool { return w.name == name })
	})
}

// nodeName keeps out names that would be read as paths.
func nodeName(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if part == "" || part[0] == '.' {
			return false
		}
	}
	return strings.Count(name, "/") <= 1 && !strings.ContainsAny(name, "=\\\x00\n")
}

// setup installs what the manifests ask for and moves it out of the tree. The
// packages that the workspace holds itself are dropped: no store keeps a
// published release of them.
func (r nodeRepo) setup() []string {
	helper := func(command string) string {
		return `"$ownnode" "$lay" ` + command + " " + r.store + " " + r.root + " " + r.salt
	}
	lines := []string{
		"mkdir -p " + r.store,
		"if " + helper("has") + "; then echo 'packages are kept already'; else",
		`"$ownnode" "$lay" before ` + r.root + ` "$WIDESWE_TMP/node/before"`,
	}
	for _, in := range r.installs {
		at := r.root
		if in.dir != "." {
			at += "/" + kit.Quote(in.dir)
		}
		lines = append(lines, "(cd "+at+" || exit 1", strings.Join(in.lines, "\n"), ")")
	}
	keep := helper("keep") + ` "$WIDESWE_TMP/node/before"`
	for _, w := range r.wires {
		keep += " " + kit.Quote(w.name)
	}
	return []string{strings.Join(append(lines, keep, "fi"), "\n")}
}

// lay puts the packages in place.
func (r nodeRepo) lay() string {
	line := `"$ownnode" "$lay" lay ` + r.store + " " + r.root + " " + r.salt
	for _, w := range r.wires {
		line += " " + kit.Quote(w.name) + "=" + w.place()
	}
	return line
}

var buildScripts = []string{"build", "compile", "bundle", "dist", "prepare", "prepublishOnly", "prepublish", "prepack"}

// buildScript is the script that makes what a package's entries name.
func buildScript(p nodePackage) string {
	for i, name := range buildScripts {
		if text := p.scripts[name]; text != "" && (i < 4 || buildWords.MatchString(text)) {
			return name
		}
	}
	return ""
}

// nodeBuild says whether a root has to be built before tests: an entry of it, or
// of a member of its workspace, is no file of the tree.
func nodeBuild(t kit.Tree, root nodePackage, list []nodePackage) (script, why string) {
	if script = buildScript(root); script == "" {
		return "", ""
	}
	for _, p := range list {
		if p.dir == root.dir || nodeMember(root, p.dir) {
			if missing := missingEntry(t, p); missing != "" && (p.dir == root.dir || buildScript(p) != "") {
				return script, p.manifest + " names " + missing + ", which the tree does not have"
			}
		}
	}
	return "", ""
}

// missingEntry is an entry of a package that the tree does not have.
func missingEntry(t kit.Tree, p nodePackage) string {
	for _, entry := range p.entries {
		if !resolves(t, path.Join(p.dir, entry)) {
			return entry
		}
	}
	return ""
}

func resolves(t kit.Tree, file string) bool {
	for _, ext := range []string{"", ".js", ".cjs", ".mjs", ".json", ".node", ".ts", ".tsx", "/index.js", "/index.ts",
		"/index.json"} {
		if kit.Has(t, file+ext) {
			return true
		}
	}
	return false
}

// nodeBuilds builds the packages that units and wires need, and the members of
// the workspace that those depend on, deepest first. A build that ends badly does
// not end the run: the tests say what it broke.
func nodeBuilds(t kit.Tree, list []nodePackage, units []kit.Unit, root string, sibling bool, own []string) []string {
	line := func(p nodePackage, script string) string {
		at := root
		if p.dir != "." {
			at += "/" + kit.Quote(p.dir)
		}
		return "(cd " + at + " && npm run " + kit.Quote(script) + `) || echo "a build ended badly"`
	}
	if len(list) == 0 {
		return nil
	}
	var lines []string
	if len(own) == 0 || sibling {
		if script, _ := nodeBuild(t, list[0], list); script != "" && sibling {
			return []string{line(list[0], script)}
		}
	}
	done := map[string]bool{}
	var visit func(p nodePackage, depth int)
	visit = func(p nodePackage, depth int) {
		if done[p.dir] || depth > 30 {
			return
		}
		done[p.dir] = true
		for _, dep := range sortedKeys(p.deps) {
			if i := slices.IndexFunc(list, func(o nodePackage) bool { return o.name == dep && dep != "" }); i >= 0 {
				visit(list[i], depth+1)
			}
		}
		if script := buildScript(p); script != "" && p.dir != "." && missingEntry(t, p) != "" {
			lines = append(lines, line(p, script))
		}
	}
	for _, u := range units {
		p, ok := nodePackageOf(list, u.Dir)
		if !ok {
			continue
		}
		if len(own) == 0 {
			visit(p, 0)
		}
		if pre := p.scripts["pretest"]; buildWords.MatchString(pre) && !lintWords.MatchString(pre) {
			lines = append(lines, line(p, "pretest"))
		}
	}
	return kit.Unique(lines)
}
