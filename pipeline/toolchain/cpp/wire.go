package cpp

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// cppWiring is how a target's build uses the siblings' trees: FetchContent takes the
// tree for what it would fetch, find_package finds it installed under a folder of the
// run, and a submodule's empty folder is filled with it.
type cppWiring struct {
	define map[string]string // CMake's variable → folder, from the workspace
	prefix []string
	lay    [][2]string
	notes  []string
}

var (
	cppProject = regexp.MustCompile(`(?i)\bproject\s*\(\s*"?([\w.+-]+)`)
	cppFetch   = regexp.MustCompile(`(?is)\b(FetchContent_Declare|CPMAddPackage|ExternalProject_Add)\s*\(([^)]*)\)`)
	cppWord    = regexp.MustCompile(`^\s*(?:NAME\s+)?"?([\w.+-]+)`)
	submodule  = regexp.MustCompile(`(?m)^\s*(path|url)\s*=\s*(\S+)\s*$`)
)

// wireCpp finds what of the target's dependencies the siblings' trees hold: those that
// gold's trees name so, too.
func wireCpp(j kit.Job) cppWiring {
	w := wireCppTrees(j)
	if j.Reference == nil {
		return w
	}
	at := j
	at.Tree, at.Siblings = j.Reference, nil
	for _, s := range j.Siblings {
		at.Siblings = append(at.Siblings, kit.Sibling{Repository: s.Repository, Tree: s.Publisher()})
	}
	return w.among(wireCppTrees(at))
}

// among leaves what gold wires under the same name, from the same sibling.
func (w cppWiring) among(gold cppWiring) cppWiring {
	maps.DeleteFunc(w.define, func(name, folder string) bool {
		at, known := gold.define[name]
		return !known || repositoryOf(at) != repositoryOf(folder)
	})
	w.prefix = slices.DeleteFunc(w.prefix, func(folder string) bool {
		return !slices.ContainsFunc(gold.prefix, func(at string) bool { return repositoryOf(at) == repositoryOf(folder) })
	})
	w.lay = slices.DeleteFunc(w.lay, func(l [2]string) bool { return !slices.Contains(gold.lay, l) })
	return w
}

// repositoryOf is the repository of a folder of the workspace.
func repositoryOf(folder string) string {
	parts := strings.SplitN(folder, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func wireCppTrees(j kit.Job) cppWiring {
	w := cppWiring{define: map[string]string{}, prefix: []string{}, lay: [][2]string{}}
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(i, k int) bool { return siblings[i].Repository < siblings[k].Repository })
	for _, s := range siblings {
		if s.Repository != j.Repository {
			w.sibling(j.Tree, s)
		}
	}
	return w
}

func (w *cppWiring) sibling(t kit.Tree, s kit.Sibling) {
	name := path.Base(s.Repository)
	for _, m := range submodules(t) {
		if namesRepository(m[1], s.Repository) && kit.SafeDir.MatchString(m[0]) && !strings.Contains(m[0], "..") {
			w.lay = append(w.lay, [2]string{m[0], s.Repository})
			w.notes = append(w.notes, fmt.Sprintf("the submodule %s is the tree of %s", m[0], s.Repository))
		}
	}
	roots := cppRoots(s.Tree)
	if len(roots) == 0 || roots[0].runner != cmakeRunner || !kit.SafeDir.MatchString(roots[0].dir) {
		return
	}
	at := path.Join(s.Repository, roots[0].dir)
	names := []string{name}
	if m := cppProject.FindStringSubmatch(kit.Read(s.Tree, roots[0].manifest)); m != nil {
		names = append(names, m[1])
	}
	found := false
	for _, file := range cppManifests(t) {
		text := kit.Read(t, file)
		for _, m := range cppFetch.FindAllStringSubmatch(text, 200) {
			word := cppWord.FindStringSubmatch(m[2])
			if !namesRepository(m[2], s.Repository) {
				continue
			}
			if word == nil || m[1] == "ExternalProject_Add" {
				w.notes = append(w.notes, fmt.Sprintf("%s takes %s by %s: the tree is not wired", file, s.Repository, m[1]))
				continue
			}
			key := "FETCHCONTENT_SOURCE_DIR_" + strings.ToUpper(word[1])
			if m[1] == "CPMAddPackage" {
				key = "CPM_" + word[1] + "_SOURCE"
			}
			w.define[key] = at
			w.notes = append(w.notes, fmt.Sprintf("%s: %s is the tree of %s", file, word[1], s.Repository))
		}
		for _, m := range cppFinds.FindAllStringSubmatch(text, 500) {
			found = found || slices.ContainsFunc(names, func(n string) bool { return m[1] != "" && strings.EqualFold(n, m[1]) })
		}
	}
	if found && !slices.Contains(w.prefix, at) {
		w.prefix = append(w.prefix, at)
		w.notes = append(w.notes, fmt.Sprintf("find_package finds the tree of %s, installed for the run", s.Repository))
	}
}

// namesRepository says that a text holds the address of a repository.
func namesRepository(text, repository string) bool {
	text, repository = strings.ToLower(text), strings.ToLower(repository)
	for {
		_, after, ok := strings.Cut(text, repository)
		if !ok {
			return false
		}
		before := strings.TrimSuffix(text[:len(text)-len(after)], repository)
		end := strings.TrimPrefix(after, ".git")
		if before != "" && strings.ContainsAny(before[len(before)-1:], "/:") && (end == "" || strings.ContainsAny(end[:1],
			"/ \t\r\n\"'#@)")) {
			return true
		}
		text = after
	}
}

// submodules lists path and address of each.
func submodules(t kit.Tree) (out [][2]string) {
	var at string
	for _, m := range submodule.FindAllStringSubmatch(kit.Read(t, ".gitmodules"), 400) {
		if m[1] == "path" {
			at = path.Clean(m[2])
		} else if at != "" {
			out = append(out, [2]string{at, m[2]})
		}
	}
	return out
}
