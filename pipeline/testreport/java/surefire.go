// Package java reads what Maven and Gradle leave.
package java

import (
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/junit"
)

// Surefire is what one Maven run of a module leaves: surefire's XML files, one per
// class, and Maven's own log (.log) beside them. A file's folder is the module's,
// and part of the unit: two modules may have a class of the same name.
func Surefire() testreport.Format {
	return testreport.Format{
		Name: "surefire", Version: "4",
		Unit: testreport.ClassUnit, Proof: "Maven's line of each of its classes and the report, and no JVM that died in it",
		Apart: true, Places: places("pom.xml"), Contained: true,
		Doc:     "the JUnit XML of Maven's surefire, a file per class, with Maven's log beside it",
		Read:    readClasses(readMavenLog),
		Framing: framing,
	}
}

var framing = []testreport.Frame{
	testreport.NewFrame("Time elapsed: ", `(Time elapsed): `+testreport.Figure+` s(?:ec)?\b`, "$1"),
	testreport.NewFrame("Total time", `^\[INFO\] Total time(?: \([^)]*\))?: .*(?:\n|$)`, ""),
	testreport.NewFrame("Finished at", `^\[INFO\] Finished at: .*(?:\n|$)`, ""),
	testreport.NewFrame("BUILD ", `^(BUILD (?:SUCCESSFUL|FAILED)) in .*$`, "$1"),
}

// readClasses reads the XML file of a class, or the build's log beside those.
func readClasses(readLog testreport.ReadFunc) testreport.ReadFunc {
	return func(b *testreport.Builder, name string, data []byte) {
		switch {
		case path.Ext(name) == testreport.LogExt:
			b.NotAReport()
			readLog(b, name, data)
		case emptySuite.Match(data) && !strings.Contains(string(data), "<testcase"): // it only holds nested classes
		default:
			key := func(c *junit.Case) (unit, test string) { return unitOf(name, c.Class), testOf(c) }
			junit.Read(b, name, data, junit.Source{Key: key})
		}
	}
}

var emptySuite = regexp.MustCompile(`<testsuite\s[^>]*\btests="0"`)

// unitOf makes the unit of a class: the module and the class.
func unitOf(file, class string) string { return path.Join(path.Dir(file), class) }

// places are what decides whether a class ended: its outermost class, then its module.
func places(build string) func(unit string) []string {
	return func(unit string) []string {
		outer := path.Join(path.Dir(unit), outerOf(path.Base(unit)))
		return []string{outer, path.Join(path.Dir(unit), build)}
	}
}

// testOf names a test. What befalls a whole class (before-all, after-all, a
// constructor) carries no name or the class's own.
func testOf(c *junit.Case) string {
	if c.Name == "" || c.Name == c.Class {
		return "(class)"
	}
	return c.Name
}
