package junit

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// Case is a testcase.
type Case struct {
	Class, Name string
	Outcome     schema.TestOutcome
	Said        string // the outcome's own message attribute

	document     *parser
	suite        *suite // nil outside of one
	file         string
	attr         map[string]string
	root, before string // the document's name, and the file of the root suite before it
	seconds      float64
	message      testreport.Tail
	printed      testreport.Tail // by bats
	kind         string          // the outcome's type attribute
	depth        int
}

// status reads the attributes with which some dialects give the outcome.
func (c *Case) status(attr map[string]string) {
	for _, key := range []string{"status", "result"} {
		switch word := strings.ToLower(attr[key]); word {
		case "", "run", "completed", "passed", "pass", "success", "successful", "ok":
		case "notrun", "skipped", "skip", "suppressed", "disabled", "ignored", "pending":
			c.set(schema.Skip, word, "")
		case "failed", "fail", "failure":
			c.set(schema.Fail, word, "")
		default:
			c.set(schema.Error, "unknown "+key+" "+word, "")
		}
	}
}

// set keeps the worst outcome of a testcase.
func (c *Case) set(outcome schema.TestOutcome, said, kind string) {
	if rank(outcome) > rank(c.Outcome) {
		c.Outcome, c.Said, c.kind = outcome, said, kind
		c.message = testreport.Tail{}
	}
}

// rank orders outcomes from good to bad.
func rank(o schema.TestOutcome) int {
	switch o {
	case schema.Pass:
		return 1
	case schema.Skip:
		return 2
	case schema.Fail:
		return 3
	case schema.Error:
		return 4
	}
	return 0
}

func (c *Case) text() string {
	return strings.TrimSpace(c.kind + " " + c.Said + "\n" + c.message.String())
}

// dialects are the writers whose testcases carry unit and name elsewhere than the
// common rule looks. The first that knows a testcase names it.
var dialects = []func(c *Case) (unit, name string, ours bool){
	pytestKey,
	formatKey,
	phpunitKey,
	unitKey,
	nodeKey,
}

// key gives the unit and the name of a testcase.
func (c *Case) key() (unit, name string) {
	for _, dialect := range dialects {
		if unit, name, ours := dialect(c); ours {
			return unit, name
		}
	}
	return c.commonKey()
}

// formatKey is the key of the format that reads the document.
func formatKey(c *Case) (unit, name string, ours bool) {
	if c.document.Key == nil {
		return "", "", false
	}
	unit, name = c.document.Key(c)
	return unit, name, true
}

// unitKey is the key of what no writer names, where the format knows the unit.
func unitKey(c *Case) (unit, name string, ours bool) {
	return c.document.Unit, c.Name, c.document.Unit != ""
}

func (c *Case) commonKey() (unit, name string) {
	unit, name = c.Class, c.Name
	if c.file != "" && !path.IsAbs(c.file) {
		unit = strings.TrimPrefix(c.file, "./")
		if c.Class != "" && c.Class != c.file {
			name = c.Class + " " + name
		}
	}
	if unit == "" && c.suite != nil {
		unit = c.suite.name
		if c.suite.file != "" && !path.IsAbs(c.suite.file) {
			unit = c.suite.file
		}
	}
	return unit, name
}
