package python

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// distroPython is the 3.N of the base image.
const distroPython = 13

// debianPythons are the Pythons that Debian's releases bring, in the order in which
// they are taken: a machine that reaches Debian's archive has them all, while an
// image of another version must be pulled.
var debianPythons = []struct {
	minor int
	image string
}{{distroPython, kit.DistroImage}, {11, "debian:bookworm"}}

// otherPythons come in images of their own, the newest first.
var otherPythons = []int{14, 12, 10, 9, 8, 7, 6}

// pythonImage is the image that has 3.MINOR; debian says that it comes from Debian's
// packages.
func pythonImage(minor int) (image string, debian bool) {
	for _, d := range debianPythons {
		if d.minor == minor {
			return d.image, true
		}
	}
	suite := "trixie"
	switch { // the last one for which these versions were built
	case minor <= 6:
		suite = "bullseye"
	case minor <= 8:
		suite = "bookworm"
	}
	return fmt.Sprintf("python:3.%d-%s", minor, suite), false
}

// pythonVersion is the first of Debian's that the project admits, else the newest
// that it admits.
func pythonVersion(t kit.Tree, p pythonInfo) (minor int, from string) {
	from = "nothing rules it out"
	if p.requires != "" {
		from = p.requiresFrom + " says " + p.requires
	}
	if ci, file := ciPython(t); ci > 0 {
		from += fmt.Sprintf("; %s uses 3.%d", file, ci)
	}
	var known []int
	for _, d := range debianPythons {
		known = append(known, d.minor)
	}
	for _, minor := range append(known, otherPythons...) {
		if admits(p.requires, minor) {
			return minor, from
		}
	}
	return distroPython, from + ", which no version known here meets"
}

var ciPythonVersion = regexp.MustCompile(`python-version:?\s*\[?\s*["']?3\.(\d+)`)

func ciPython(t kit.Tree) (minor int, file string) {
	for _, name := range t.Files() {
		if !strings.HasPrefix(name, ".github/workflows/") && name != ".gitlab-ci.yml" {
			continue
		}
		for _, m := range ciPythonVersion.FindAllStringSubmatch(kit.Read(t, name), 50) {
			if n := kit.LeadingInt(m[1]); n > minor {
				minor, file = n, name
			}
		}
	}
	return minor, file
}

var specifier = regexp.MustCompile(`(===?|>=|<=|>|<|!=|~=|\^)\s*v?3(?:\.(\d+))?(?:\.(\d+|\*))?`)

// admits checks 3.MINOR against a version specifier.
func admits(spec string, minor int) bool {
	if strings.Contains(spec, "||") || strings.Contains(spec, " or ") {
		return true
	}
	for _, m := range specifier.FindAllStringSubmatch(spec, 20) {
		n, given, patch := kit.LeadingInt(m[2]), m[2] != "", m[3] != "" && m[3] != "*" && m[3] != "0"
		ok := true
		switch m[1] {
		case ">=", "^":
			ok = minor >= n
		case ">":
			ok = minor > n || patch && minor == n
		case "<":
			ok = minor < n || patch && minor == n
		case "<=":
			ok = minor <= n
		case "~=":
			ok = minor >= n && (m[3] == "" || minor == n)
		case "==", "===":
			ok = !given || minor == n
		case "!=":
			ok = !given || patch || minor != n
		}
		if !ok {
			return false
		}
	}
	return true
}
