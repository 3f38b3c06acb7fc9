package rust

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// rustWiring is how a target's packages use the siblings' trees: patches in the
// configuration of a cargo home outside the trees, which every cargo reads that
// the tests themselves start, too.
type rustWiring struct {
	patches map[string]map[string]string // source → package → folder, from the workspace
	notes   []string
}

var (
	safeCrate = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)
	safeURL   = regexp.MustCompile(`^[A-Za-z0-9:/._@+~-]{1,300}$`)
)

// rustLocal is a package that a sibling's tree holds.
type rustLocal struct {
	*rustCrate
	repository string
}

func (l rustLocal) place() string { return path.Join(l.repository, l.dir) }

// wireRust finds what of the target's dependencies the siblings' trees hold.
func wireRust(j kit.Job, tree rustTree) rustWiring {
	w := rustWiring{patches: map[string]map[string]string{}}
	local := localCrates(j)
	if len(local) == 0 {
		return w
	}
	own := map[string]bool{}
	for _, c := range tree.crates {
		own[c.name] = true
	}
	wanted := map[string]bool{}
	queue := slices.Clone(tree.crates)
	follow := func(name string) {
		if l, ok := local[name]; ok && !own[name] && !wanted[name] {
			wanted[name] = true
			queue = append(queue, l.rustCrate)
		}
	}
	for _, name := range lockedCrates(tree) { // what only other packages depend on
		follow(name)
	}
	sources := map[string]map[string]bool{"crates-io": {}}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, d := range queue[0].deps {
			follow(d.name)
			if l, ok := local[d.name]; ok && !own[d.name] {
				w.source(d, sources)
				w.check(d, l)
			}
		}
	}
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		for name := range wanted {
			if source == "crates-io" || sources[source][name] {
				w.patch(source, name, local[name])
			}
		}
	}
	sort.Strings(w.notes)
	w.notes = slices.Compact(w.notes)
	return w
}

// localCrates are the siblings' packages by name, the outermost of each.
func localCrates(j kit.Job) map[string]rustLocal {
	local := map[string]rustLocal{}
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(i, k int) bool { return siblings[i].Repository < siblings[k].Repository })
	for _, s := range siblings {
		if s.Repository == j.Repository {
			continue
		}
		known := kit.NameSet(readRust(s.Publisher()).crates, func(c *rustCrate) string { return c.name })
		for _, c := range readRust(s.Tree).crates {
			old, found := local[c.name]
			if known[c.name] && safeCrate.MatchString(c.name) && kit.SafeDir.MatchString(c.dir) &&
				(!found || old.repository == s.Repository && len(c.dir) < len(old.dir)) {
				local[c.name] = rustLocal{c, s.Repository}
			}
		}
	}
	return local
}

func lockedCrates(tree rustTree) (names []string) {
	for dir := range tree.roots {
		for _, m := range lockedName.FindAllStringSubmatch(kit.Read(tree.tree, path.Join(dir, "Cargo.lock")), 20000) {
			names = append(names, m[1])
		}
	}
	sort.Strings(names)
	return slices.Compact(names)
}

// source notes where a dependency is taken from.
func (w *rustWiring) source(d rustDep, sources map[string]map[string]bool) {
	from := d.git
	if from == "" {
		from = d.from
	}
	if from == "" || !safeURL.MatchString(from) {
		return
	}
	if sources[from] == nil {
		sources[from] = map[string]bool{}
	}
	sources[from][d.name] = true
}

// check notes a requirement that the sibling's tree does not meet: cargo leaves a
// patch of another version unused.
func (w *rustWiring) check(d rustDep, l rustLocal) {
	if d.git == "" && d.path == "" && !cargoAdmits(d.version, l.version) {
		w.notes = append(w.notes, fmt.Sprintf("the tree of %s holds %s %s, which the requirement %q does not admit: the "+
			"published version is used",
			l.repository, l.name, l.version, d.version))
	}
}

func (w *rustWiring) patch(source, name string, l rustLocal) {
	if w.patches[source] == nil {
		w.patches[source] = map[string]string{}
	}
	w.patches[source][name] = l.place()
}

// lines write cargo's configuration.
func (w rustWiring) lines() []string {
	var text []string
	for _, source := range slices.Sorted(maps.Keys(w.patches)) {
		text = append(text, fmt.Sprintf("[patch.%q]", source))
		for _, name := range slices.Sorted(maps.Keys(w.patches[source])) {
			text = append(text, fmt.Sprintf(`%s = { path = "$WIDESWE_WORKSPACE/%s" }`, name, w.patches[source][name]))
		}
	}
	return []string{"cat >\"$CARGO_HOME/config.toml\" <<END_OF_CONFIG\n" + strings.Join(append(text, "END_OF_CONFIG"),
		"\n")}
}

var cargoRequirement = regexp.MustCompile(`^\s*(\^|~|=|>=|<=|>|<)?\s*(\d+|\*|x)(?:\.(\d+|\*|x))?(?:\.(\d+|\*|` +
	`x))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?\s*$`)

// cargoAdmits checks a version against a requirement by cargo's rules, near enough
// to warn: what it can't read it takes for admitted.
func cargoAdmits(requirement, version string) bool {
	v := cargoRequirement.FindStringSubmatch(version)
	if v == nil || requirement == "" {
		return true
	}
	have := [3]int{kit.LeadingInt(v[2]), kit.LeadingInt(v[3]), kit.LeadingInt(v[4])}
	named := false
	for part := range strings.SplitSeq(requirement, ",") {
		m := cargoRequirement.FindStringSubmatch(part)
		if m == nil {
			return true
		}
		named = named || m[5] != "" && m[2]+m[3]+m[4] == v[2]+v[3]+v[4]
		if !cargoMeets(m, have) {
			return false
		}
	}
	return v[5] == "" || named // a pre-release is taken only where one is asked for
}

func cargoMeets(m []string, have [3]int) bool {
	given := 0
	var want [3]int
	for i := range want {
		if s := m[2+i]; s != "" && s != "*" && s != "x" && given == i {
			want[i], given = kit.LeadingInt(s), i+1
		}
	}
	c := slices.Compare(have[:given], want[:given])
	switch m[1] {
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	case "<":
		return slices.Compare(have[:], want[:]) < 0
	case "<=":
		return c <= 0
	case "=":
		return c == 0
	case "~":
		return slices.Compare(have[:], want[:]) >= 0 && slices.Equal(have[:min(2, given)], want[:min(2, given)])
	}
	if given < 3 && (m[2] == "*" || m[3] == "*" || m[4] == "*") {
		return c == 0
	}
	fixed := 0 // the first part that is not zero, and those before it, stay
	for fixed < given-1 && want[fixed] == 0 {
		fixed++
	}
	return slices.Compare(have[:], want[:]) >= 0 && slices.Equal(have[:min(fixed+1, given)], want[:min(fixed+1, given)])
}

// rustLock is a workspace whose lock file is made, or made anew, by setup, and
// kept outside the tree for the runs.
type rustLock struct {
	root string // the workspace's folder
	key  string // of all that decides the versions
	kept bool   // the tree's own is used
}

// locks lists the workspaces of the selected packages.
func (r rustTree) locks(j kit.Job, w rustWiring) []rustLock {
	h := sha256.New()
	add := func(t kit.Tree) {
		for _, name := range t.Files() {
			if base := path.Base(name); base == "Cargo.toml" || base == "Cargo.lock" {
				fmt.Fprintf(h, "%q %q\n", name, kit.Read(t, name))
			}
		}
	}
	add(r.tree)
	for _, s := range j.Siblings {
		add(s.Tree)
	}
	fmt.Fprintf(h, "%q", w.lines())
	roots := map[string]bool{}
	if len(r.crates) > 0 {
		roots[r.workspaceOf(r.crates[0].dir)] = true
	}
	for _, u := range j.Selection.Units {
		roots[r.workspaceOf(u.Dir)] = true
	}
	var out []rustLock
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		sum := sha256.Sum256(append(h.Sum(nil), root...))
		out = append(out, rustLock{root, hex.EncodeToString(sum[:12]), len(w.patches) == 0 && kit.Has(r.tree, path.Join(root,
			"Cargo.lock"))})
	}
	return out
}
