package junit

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// isPHPUnit: PHPUnit gives a testcase its class with the namespace's own separators,
// and, where it stands for no test, only how much it asserted.
func isPHPUnit(c *Case) bool {
	_, class := c.attr["class"]
	_, asserts := c.attr["assertions"]
	return asserts && (class || c.document.PHPUnit)
}

// phpunitKey: the file is the report's where that names one, else Pest's relative
// one, else the class is the unit.
func phpunitKey(c *Case) (unit, name string, ours bool) {
	if !isPHPUnit(c) {
		return "", "", false
	}
	class, name := c.attr["class"], strings.Join(strings.Fields(c.Name), " ")
	switch file, _, pest := strings.Cut(c.file, "::"); {
	case c.document.Unit != "":
		unit = c.document.Unit
	case pest && file != "" && !path.IsAbs(file):
		unit = file
	default:
		return class, name, true
	}
	if class != "" {
		name = class + "::" + name
	}
	return unit, name, true
}

// phpunitNoTest: what PHPUnit lists for a class without tests, or for a data provider
// that broke, is no test.
func (p *parser) phpunitNoTest(c *Case) bool {
	if !isPHPUnit(c) || c.attr["class"] != "" {
		return false
	}
	unit := c.document.Unit
	if unit == "" && c.suite != nil {
		unit = c.suite.name
	}
	switch c.Name {
	case "Warning":
		p.b.Problem(unit, testreport.NoTests, c.text())
	case "Error":
		p.b.Problem(unit, testreport.CollectionError, c.text())
	default:
		return false
	}
	return true
}

// phpunitMild: a risky test and one with a warning passed; whether that ends the run
// with an error is the configuration's choice.
func phpunitMild(c *Case) bool {
	risky := strings.HasPrefix(c.kind, `PHPUnit\Framework\Risky`) || strings.HasSuffix(c.kind, "RiskyTestError")
	return risky && isPHPUnit(c)
}

// phpunitWarning reads the warning of a test that passed, which PHPUnit alone writes.
func (p *parser) phpunitWarning() {
	if !isPHPUnit(p.open) {
		p.open.set(schema.Error, "unknown element warning", "")
		return
	}
	p.open.message, p.text = testreport.Tail{}, &p.open.message
}
