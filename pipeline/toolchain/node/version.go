package node

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// distroNode is the major version of the distribution's Node.
const distroNode = 20

// nodeMajors are those tried where the distribution's does not fit: long-term
// ones first, from the nearest.
var nodeMajors = []int{distroNode, 22, 24, 18, 16, 14, 12, 26, 10, 8, 23, 21, 19, 17, 25, 15, 13}

// nodeWanted is the major version a tree is run with.
type nodeWanted struct {
	major int
	from  string
}

var (
	leadingMajor = regexp.MustCompile(`^v?(\d+)(?:\.|$|\s)`)
	ltsNames     = map[string]int{"lts/fermium": 14, "lts/gallium": 16, "lts/hydrogen": 18, "lts/iron": 20, "lts/jod": 22,
		"lts/krypton": 24}
	ciNodeList   = regexp.MustCompile(`node(?:[-_]?version)?s?["']?:[ \t]*(\[[^\]]*\]|(?:\n\s*-\s*[^\n]+)+|[^\n]+)`)
	ciNodeNumber = regexp.MustCompile(`(?:^|[\s\["',v])(\d{1,2})(?:\.[\dx.]+)?(?:[\s\],"']|$)`)
)

// nodeVersion is the distribution's where manifest, version file and CI admit it.
func nodeVersion(t kit.Tree, root nodePackage) nodeWanted {
	admits := func(int) bool { return true }
	from := "nothing rules it out"
	if root.engines != "" {
		admits = func(n int) bool { return nodeRange(root.engines, n) }
		from = root.manifest + " says " + root.engines
	}
	if n, file := nodeFile(t, root); n > 0 {
		if n == distroNode || n < 8 {
			return nodeWanted{distroNode, file}
		}
		return nodeWanted{n, file}
	}
	if ci, file := ciNode(t); len(ci) > 0 {
		ci = slices.DeleteFunc(ci, func(n int) bool { return !admits(n) })
		from += fmt.Sprintf("; %s uses %s", file, strings.Trim(fmt.Sprint(ci), "[]"))
		if len(ci) > 0 && !slices.Contains(ci, distroNode) {
			// Written before the distribution's, or after: the newest of before, the
			// oldest of after.
			if last := ci[len(ci)-1]; last < distroNode {
				return nodeWanted{last, from}
			}
			for _, n := range ci {
				if n > distroNode {
					return nodeWanted{n, from}
				}
			}
		}
	}
	for _, n := range nodeMajors {
		if admits(n) {
			return nodeWanted{n, from}
		}
	}
	return nodeWanted{distroNode, from + ", which no version known here meets"}
}

// nodeFile reads the files that name one version.
func nodeFile(t kit.Tree, root nodePackage) (major int, file string) {
	for _, name := range []string{".nvmrc", ".node-version"} {
		text := strings.ToLower(strings.TrimSpace(kit.Read(t, path.Join(root.dir, name))))
		if m := leadingMajor.FindStringSubmatch(text); m != nil {
			return kit.LeadingInt(m[1]), path.Join(root.dir, name)
		}
		if n := ltsNames[text]; n > 0 {
			return n, path.Join(root.dir, name)
		}
	}
	if m := leadingMajor.FindStringSubmatch(root.volta); m != nil {
		return kit.LeadingInt(m[1]), root.manifest + " (volta)"
	}
	return 0, ""
}

// ciNode lists the versions that CI files name, ascending.
func ciNode(t kit.Tree) (majors []int, file string) {
	for _, name := range t.Files() {
		if !strings.HasPrefix(name, ".github/workflows/") && name != ".travis.yml" && name != ".gitlab-ci.yml" {
			continue
		}
		for _, m := range ciNodeList.FindAllStringSubmatch(kit.Read(t, name), 50) {
			for _, n := range ciNodeNumber.FindAllStringSubmatch(strings.ReplaceAll(m[1], ",", " , "), 50) {
				if major := kit.LeadingInt(n[1]); major >= 8 && major <= 30 {
					majors = append(majors, major)
					if file == "" {
						file = name
					}
				}
			}
		}
	}
	slices.Sort(majors)
	return slices.Compact(majors), file
}

var nodeTerm = regexp.MustCompile(`(>=|<=|>|<|\^|~|=)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?[^\s|]*`)

// nodeRange checks whether a range admits the newest release of a major version.
func nodeRange(spec string, major int) bool {
	for alternative := range strings.SplitSeq(spec, "||") {
		if from, to, ok := strings.Cut(alternative, " - "); ok {
			alternative = ">=" + strings.TrimSpace(from) + " <=" + strings.TrimSpace(to)
		}
		if nodeAdmits(alternative, major) {
			return true
		}
	}
	return false
}

func nodeAdmits(terms string, major int) bool {
	for _, m := range nodeTerm.FindAllStringSubmatch(terms, 20) {
		n, inside := kit.LeadingInt(m[2]), m[3] != "" && m[3] != "0" && !strings.ContainsAny(m[3], "xX*")
		if strings.ContainsAny(m[2], "xX*") {
			continue
		}
		ok := major == n // ^18, ~18, 18.x, =18
		switch m[1] {
		case ">=":
			ok = major >= n
		case ">":
			ok = major > n || inside && major == n
		case "<":
			ok = major < n || inside && major == n
		case "<=":
			ok = major <= n
		}
		if !ok {
			return false
		}
	}
	return true
}
