package junit

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
)

// The JUnit writers of Node, by the name that they give the whole document.
const (
	jestTests  = "jest tests"  // jest-junit
	mochaTests = "Mocha Tests" // mocha-junit-reporter, which Cypress brings, and mocha's own xunit
	rootSuite  = "Root Suite"  // mocha-junit-reporter's, of the tests outside of suites
	vitest     = "vitest tests"
)

// nodeDocument is what the writers of Node say about the whole document.
type nodeDocument struct {
	before  string // the file of the root suite
	skipped int    // tests that are skipped and not listed
	told    map[string]bool
}

func (d *nodeDocument) suite(attr map[string]string) {
	if attr["name"] == rootSuite {
		d.before = attr["file"]
	}
}

// lists reports whether the tests that a suite announces and does not list were
// skipped: mocha-junit-reporter counts those for the whole document only.
func (d *nodeDocument) lists(p *parser, s *suite) bool {
	missing := s.announced - s.cases
	if p.root["name"] != mochaTests || s.attr["skipped"] != "" || missing > d.skipped {
		return false
	}
	d.skipped -= missing
	return true
}

// once reports whether a problem of a unit was not told before.
func (d *nodeDocument) once(unit string, kind testreport.Kind) bool {
	key := string(kind) + unit
	if d.told == nil {
		d.told = map[string]bool{}
	}
	first := !d.told[key]
	d.told[key] = true
	return first
}

// nodeKey names the testcases of Node's JUnit writers. vitest's needs no rule of
// its own: its class is the file.
func nodeKey(c *Case) (unit, name string, ours bool) {
	switch {
	case c.root == jestTests:
		return c.jestKey()
	case c.root == mochaTests && strings.HasSuffix(c.Name, c.Class):
		return c.fileOf(), c.Name, true // the class is the title, the name all of them
	case c.suite != nil && c.suite.name == mochaTests && c.suite.parent == nil:
		return c.fileOf(), strings.TrimSpace(c.Class + " " + c.Name), true
	case isNodeJUnit(c):
		name := c.Name
		for s := c.suite; s != nil; s = s.parent {
			name = s.name + testreport.SuiteSep + name
		}
		return c.fileOf(), name, true
	}
	return "", "", false
}

// jestKey: as jest-junit is, class and name both are suites and title; options may
// have it write the suites as the class.
func (c *Case) jestKey() (unit, name string, ours bool) {
	name = c.Name
	if c.Class != c.Name {
		name = c.Class + " " + c.Name
	}
	return c.fileOf(), strings.TrimSpace(name), true
}

// fileOf is the test file of a case: its own, its suite's, or that of the root
// suite before it; without any it is the suite, or at last the report.
func (c *Case) fileOf() string {
	for _, file := range []string{c.file, c.suiteAttr("file"), c.before} {
		if file != "" {
			return strings.TrimPrefix(file, "./")
		}
	}
	if c.suite != nil && c.root != "" {
		return c.suite.name
	}
	return strings.TrimSuffix(c.document.file, path.Ext(c.document.file))
}

func (c *Case) suiteAttr(name string) string {
	if c.suite == nil {
		return ""
	}
	return c.suite.attr[name]
}

// isNodeJUnit knows node's own reporter: every class is "test" or "suite", and its
// suites are those of describe.
func isNodeJUnit(c *Case) bool {
	if c.Class != "test" && c.Class != "suite" || c.root != "" {
		return false
	}
	return c.suite == nil || c.suite.attr["hostname"] != "" && c.suite.attr["disabled"] != ""
}

const jestHookFailure = "Test execution failure: could be caused by test hooks"

// nodeNoTest takes out the testcases that stand for a file or for what befell it.
func (p *parser) nodeNoTest(c *Case) bool {
	bad := testreport.IsBad(c.Outcome)
	switch {
	case c.root == jestTests && strings.TrimSpace(c.Class) == "Test suite failed to run":
		p.unitProblem(c, testreport.CollectionError)
	case c.root == jestTests && strings.HasPrefix(strings.TrimSpace(c.Name), jestHookFailure):
		p.unitProblem(c, testreport.UnitFailed)
	case c.root == vitest && c.Name == c.Class && bad:
		p.unitProblem(c, testreport.CollectionError)
	case isNodeJUnit(c) && c.suite == nil && path.IsAbs(c.Name) && path.Ext(c.Name) != "":
		p.nodeFile(c, bad)
	default:
		return false
	}
	return true
}

// nodeFile reads the test that node's runner makes of a file.
func (p *parser) nodeFile(c *Case, bad bool) {
	switch {
	case !bad:
		p.b.Problem(c.Name, testreport.NoTests, "the file has no test, or its process ended before")
	case strings.Contains(c.message.String(), "signal: 'SIG"):
		p.b.Problem(c.Name, testreport.Crashed, c.text())
	default:
		p.b.Problem(c.Name, testreport.CollectionError, c.text())
	}
}

// unitProblem notes what befell a file, once.
func (p *parser) unitProblem(c *Case, kind testreport.Kind) {
	unit := c.fileOf()
	if c.root == vitest {
		unit = c.Class
	}
	if p.node.once(unit, kind) {
		p.b.Problem(unit, kind, c.text())
	}
}
