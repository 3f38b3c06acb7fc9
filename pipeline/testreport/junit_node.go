package testreport

import (
	"path"
	"strings"
)

// The JUnit writers of Node, by the name that they give the whole document.
const (
	jestTests  = "jest tests"  // jest-junit
	mochaTests = "Mocha Tests" // mocha-junit-reporter, which Cypress brings, and mocha's own xunit
	rootSuite  = "Root Suite"  // mocha-junit-reporter's, of the tests outside of suites
)

// nodeKey names the testcases of Node's JUnit writers. vitest's needs no rule of
// its own: its class is the file.
func nodeKey(c *junitCase) (unit, name string, ours bool) {
	switch {
	case c.root == jestTests:
		return c.jestKey()
	case c.root == mochaTests && strings.HasSuffix(c.name, c.class):
		return c.fileOf(), c.name, true // the class is the title, the name all of them
	case c.suite != nil && c.suite.name == mochaTests && c.suite.parent == nil:
		return c.fileOf(), strings.TrimSpace(c.class + " " + c.name), true
	case isNodeJUnit(c):
		name := c.name
		for s := c.suite; s != nil; s = s.parent {
			name = s.name + suiteSep + name
		}
		return c.fileOf(), name, true
	}
	return "", "", false
}

// jestKey: as jest-junit is, class and name both are suites and title; options may
// have it write the suites as the class.
func (c *junitCase) jestKey() (unit, name string, ours bool) {
	name = c.name
	if c.class != c.name {
		name = c.class + " " + c.name
	}
	return c.fileOf(), strings.TrimSpace(name), true
}

// fileOf is the test file of a case: its own, its suite's, or that of the root
// suite before it; without any it is the suite, or at last the report.
func (c *junitCase) fileOf() string {
	for _, file := range []string{c.file, c.suiteAttr("file"), c.before} {
		if file != "" {
			return strings.TrimPrefix(file, "./")
		}
	}
	if c.suite != nil && c.root != "" {
		return c.suite.name
	}
	return strings.TrimSuffix(c.report, path.Ext(c.report))
}

func (c *junitCase) suiteAttr(name string) string {
	if c.suite == nil {
		return ""
	}
	return c.suite.attr[name]
}

// isNodeJUnit knows node's own reporter: every class is "test" or "suite", and its
// suites are those of describe.
func isNodeJUnit(c *junitCase) bool {
	if c.class != "test" && c.class != "suite" || c.root != "" {
		return false
	}
	return c.suite == nil || c.suite.attr["hostname"] != "" && c.suite.attr["disabled"] != ""
}

// nodeNoTest takes out the testcases that stand for a file or for what befell it.
func (p *junitParser) nodeNoTest(c *junitCase) bool {
	bad := rank(c.outcome) > 2
	switch {
	case c.root == jestTests && strings.TrimSpace(c.class) == "Test suite failed to run":
		p.unitProblem(c, CollectionError)
	case c.root == jestTests && strings.HasPrefix(strings.TrimSpace(c.name), "Test execution failure: could be caused by test hooks"):
		p.unitProblem(c, UnitFailed)
	case c.root == "vitest tests" && c.name == c.class && bad:
		p.unitProblem(c, CollectionError)
	case isNodeJUnit(c) && c.suite == nil && path.IsAbs(c.name) && path.Ext(c.name) != "":
		p.nodeFile(c, bad)
	default:
		return false
	}
	return true
}

// nodeFile reads the test that node's runner makes of a file.
func (p *junitParser) nodeFile(c *junitCase, bad bool) {
	switch {
	case !bad:
		p.b.problem(c.name, NoTests, "the file has no test, or its process ended before")
	case strings.Contains(c.message.String(), "signal: 'SIG"):
		p.b.problem(c.name, Crashed, c.text())
	default:
		p.b.problem(c.name, CollectionError, c.text())
	}
}

// unitProblem notes what befell a file, once.
func (p *junitParser) unitProblem(c *junitCase, kind Kind) {
	unit := c.fileOf()
	if c.root == "vitest tests" {
		unit = c.class
	}
	if key := string(kind) + unit; !p.told[key] {
		if p.told == nil {
			p.told = map[string]bool{}
		}
		p.told[key] = true
		p.b.problem(unit, kind, c.text())
	}
}

// pending says whether tests that a suite announces and does not list were
// skipped: mocha-junit-reporter counts those for the whole document only.
func (p *junitParser) pending(s *junitSuite) bool {
	missing := s.announced - s.cases
	if p.root["name"] != mochaTests || s.attr["skipped"] != "" || missing > p.skipped {
		return false
	}
	p.skipped -= missing
	return true
}
