package junit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// isBats: bats names a test's class after its file.
func isBats(c *Case) bool { return strings.HasSuffix(c.Class, ".bats") }

var batsCount = regexp.MustCompile(`bats warning: Executed (\d{1,6}) instead of expected (\d{1,6}) tests`)

// batsEnd: bats lists the test in which it died as one that passed, and tells
// beside it how many tests are missing.
func (p *parser) batsEnd(c *Case) {
	m := batsCount.FindStringSubmatch(c.printed.String())
	if m == nil {
		return
	}
	ran, _ := strconv.Atoi(m[1])
	planned, _ := strconv.Atoi(m[2])
	if ran < planned {
		c.set(schema.Error, "it did not end", "")
		p.b.Problem(p.file, testreport.PlanMismatch, fmt.Sprintf("%d of %d tests ran", ran, planned))
	}
}
