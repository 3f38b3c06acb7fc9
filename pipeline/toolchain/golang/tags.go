package golang

import (
	"go/ast"
	"go/build/constraint"
	"path"
	"slices"
	"strings"
)

var (
	otherSystems = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js nacl netbsd openbsd plan9 " +
		"solaris wasip1 windows zos")
	otherArchs = strings.Fields("386 arm arm64 armbe loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv riscv64 " +
		"s390x sparc sparc64 wasm")
	fixedFalse = strings.Fields("ignore race msan asan gccgo purego appengine")
)

// maxTags bounds how many tags of one file are tried together.
const maxTags = 8

// goTags gives the build tags that a file needs on Linux, the fewest that do, or
// why it can't be built there.
func goTags(name string, file *ast.File) (tags []string, left string) {
	parts := strings.Split(strings.TrimSuffix(path.Base(name), "_test.go"), "_")
	for _, part := range parts[1:][max(0, len(parts)-3):] {
		if slices.Contains(otherSystems, part) || slices.Contains(otherArchs, part) && part == parts[len(parts)-1] {
			return nil, "its name is for " + part
		}
	}
	expr := goConstraint(file)
	if expr == nil {
		return nil, ""
	}
	asked := map[string]bool{}
	expr.Eval(func(tag string) bool { asked[tag] = true; return true })
	expr.Eval(func(tag string) bool { asked[tag] = true; return false })
	var free []string
	for tag := range asked {
		if _, fixed := fixedTag(tag); !fixed {
			free = append(free, tag)
		}
	}
	slices.Sort(free)
	if len(free) > maxTags {
		return nil, "its build constraint has too many tags: " + expr.String()
	}
	best := -1
	for set := range 1 << len(free) {
		ok := expr.Eval(func(tag string) bool {
			if value, fixed := fixedTag(tag); fixed {
				return value
			}
			i, _ := slices.BinarySearch(free, tag)
			return set&(1<<i) != 0
		})
		if ok && (best < 0 || bits(set) < bits(best)) {
			best = set
		}
	}
	if best < 0 {
		return nil, "its build constraint excludes Linux: " + expr.String()
	}
	for i, tag := range free {
		if best&(1<<i) != 0 {
			tags = append(tags, tag)
		}
	}
	return tags, ""
}

// goConstraint is the //go:build line, else the // +build lines joined.
func goConstraint(file *ast.File) constraint.Expr {
	var plus constraint.Expr
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, c := range group.List {
			x, err := constraint.Parse(c.Text)
			switch {
			case err != nil:
			case constraint.IsGoBuild(c.Text):
				return x
			case plus == nil:
				plus = x
			default:
				plus = &constraint.AndExpr{X: plus, Y: x}
			}
		}
	}
	return plus
}

// fixedTag gives the value of a tag that is not ours to choose.
func fixedTag(tag string) (value, fixed bool) {
	switch {
	case tag == "linux", tag == "unix", tag == "gc", tag == "cgo", tag == "amd64", strings.HasPrefix(tag, "go1."):
		return true, true
	case slices.Contains(otherSystems, tag), slices.Contains(otherArchs, tag), slices.Contains(fixedFalse, tag):
		return false, true
	}
	return false, false
}

func bits(n int) int {
	count := 0
	for ; n > 0; n &= n - 1 {
		count++
	}
	return count
}
