package junit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// parser walks one document. A testcase's children decide its outcome: none is a
// pass, one that no dialect defines is an error.
type parser struct {
	Source
	b      *testreport.Builder
	file   string
	suites []*suite
	open   *Case
	text   *testreport.Tail // where character data goes; nil drops it
	depth  int
	cases  int
	root   map[string]string // the attributes of testsuites
	pytest pytestCases
	node   nodeDocument
}

// suite is an open testsuite.
type suite struct {
	name, file string
	announced  int // its tests attribute, -1 where there is none
	cases      int // testcases directly inside
	nested     bool
	attr       map[string]string
	parent     *suite // nil at the top
}

// Start implements [testreport.XMLReader].
func (p *parser) Start(element string, attr map[string]string) {
	p.depth++
	if p.open != nil {
		p.child(element, attr)
		return
	}
	switch element {
	case "testsuites":
		p.root = attr
		p.node.skipped, _ = strconv.Atoi(attr["skipped"])
	case "testsuite":
		p.openSuite(attr)
	case "testcase":
		p.openCase(attr)
	}
}

func (p *parser) openSuite(attr map[string]string) {
	p.node.suite(attr)
	s := &suite{name: attr["name"], file: attr["file"], announced: -1, attr: attr}
	if n, err := strconv.Atoi(attr["tests"]); err == nil && n >= 0 {
		s.announced = n
	}
	if s.parent = p.suite(); s.parent != nil {
		s.parent.nested = true
	}
	p.suites = append(p.suites, s)
}

// suite is the innermost open testsuite; nil where there is none.
func (p *parser) suite() *suite {
	if len(p.suites) == 0 {
		return nil
	}
	return p.suites[len(p.suites)-1]
}

func (p *parser) openCase(attr map[string]string) {
	c := &Case{
		Class: attr["classname"], Name: attr["name"], Outcome: schema.Pass,
		file: attr["file"], attr: attr, depth: p.depth, suite: p.suite(), document: p,
		root: p.root["name"], before: p.node.before,
	}
	if c.suite != nil {
		c.suite.cases++
	}
	c.seconds, _ = strconv.ParseFloat(strings.ReplaceAll(attr["time"], ",", ""), 64)
	c.status(attr)
	p.open = c
}

// childOutcomes are the elements that give a testcase its outcome. A flaky test
// failed first: what the runner's own repeats made of it is not believed.
var childOutcomes = map[string]schema.TestOutcome{
	"failure": schema.Fail, "flakyFailure": schema.Fail, "rerunFailure": schema.Fail,
	"error": schema.Error, "flakyError": schema.Error, "rerunError": schema.Error,
	"skipped": schema.Skip, "disabled": schema.Skip, "ignored": schema.Skip,
}

func (p *parser) child(element string, attr map[string]string) {
	p.text = nil
	if p.depth > p.open.depth+1 { // inside a child: a property, a stack trace
		return
	}
	switch element {
	case "warning":
		p.phpunitWarning()
		return
	case "system-out":
		if isBats(p.open) {
			p.text = &p.open.printed
		}
		return
	case "system-err", "properties", "property", "attachments", "attachment":
		return
	}
	outcome, known := childOutcomes[element]
	if !known {
		p.open.set(schema.Error, fmt.Sprintf("unknown element %.100q", element), "")
		return
	}
	if outcome == schema.Skip && p.open.Outcome == schema.Skip && attr["message"] != "" {
		p.open.Said = attr["message"] // the status said so without a reason
	}
	if rank(outcome) > rank(p.open.Outcome) {
		p.open.set(outcome, attr["message"], attr["type"])
		p.text = &p.open.message
	}
}

// Chars implements [testreport.XMLReader].
func (p *parser) Chars(text string) {
	if p.text != nil {
		p.text.Add(text)
	}
}

// End implements [testreport.XMLReader].
func (p *parser) End(element string) {
	switch {
	case p.open != nil && p.depth == p.open.depth:
		p.closeCase(p.open)
		p.open, p.text = nil, nil
	case p.open != nil:
		p.text = nil
	case element == "testsuite" && len(p.suites) > 0:
		s := p.suite()
		p.suites = p.suites[:len(p.suites)-1]
		p.closeSuite(s)
	}
	p.depth--
}

// closeSuite holds what a suite announces against what it lists. Announcing fewer is
// common (a test that failed twice); more is a loss.
func (p *parser) closeSuite(s *suite) {
	if s.announced <= s.cases || s.nested || p.countsAssertions(s) || p.node.lists(p, s) || s.name == pytestSuite {
		return
	}
	p.b.Problem(p.file, testreport.PlanMismatch, fmt.Sprintf("the suite %q announces %d tests and lists %d",
		testreport.Truncate(s.name, 200), s.announced, s.cases))
}

// countsAssertions says that a suite's "tests" are its assertions, as those of Catch2
// are, whose host is always "tbd".
func (p *parser) countsAssertions(s *suite) bool {
	return p.CountsAssertions || s.attr["hostname"] == "tbd"
}

func (p *parser) closeCase(c *Case) {
	p.cases++
	if isPytest(c) {
		p.pytest.close(p, c)
		return
	}
	if p.phpunitNoTest(c) || p.nodeNoTest(c) {
		return
	}
	p.batsEnd(c)
	if phpunitMild(c) {
		c.Outcome = schema.Pass
	}
	p.add(c)
}

// add adds the result of a testcase.
func (p *parser) add(c *Case) {
	unit, name := c.key()
	p.b.Add(p.b.ID(unit, name), c.Outcome, c.seconds, c.text())
}
