package junit

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// TestNodeJUnit: what the writers of Node leave to be told apart.
func TestNodeJUnit(t *testing.T) {
	for _, c := range []struct{ name, xml, want string }{
		{"mocha counts what it skips and lists none",
			`<testsuites name="Mocha Tests" skipped="2"><testsuite name="s" tests="3" file="/w/t.js"><testcase name="s a" ` +
				`classname="a"/></testsuite></testsuites>`, `
t.js::s a pass`},
		{"and no more than that", `<testsuites name="Mocha Tests" skipped="1"><testsuite name="s" tests="3" ` +
			`file="t/t.js"><testcase name="s a" classname="a"/></testsuite></testsuites>`, `
t/t.js::s a pass
! report.xml plan_mismatch`},
		{"another writer's count is its own", `<testsuites name="x" skipped="2"><testsuite name="s" tests="3"><testcase ` +
			`name="a" classname="s"/></testsuite></testsuites>`, `
s::a pass
! report.xml plan_mismatch`},
		{"node says the file from 22 on", `<testsuites><testsuite name="s" disabled="0" hostname="h" tests="1"><testcase ` +
			`name="a" classname="test" file="/workspace/o/n/test/t.js"/></testsuite></testsuites>`, `
test/t.js::s > a pass`},
		{"node's test of a file", `<testsuites><testcase name="/workspace/o/n/test/t.js" classname="test"/><testcase ` +
			`name="/workspace/o/n/k.js" classname="test"><failure>signal: 'SIGKILL'</failure></testcase></testsuites>`, `
! k.js crashed
! test/t.js no_tests`},
		{"a class of that name is another's", `<testsuite name="s"><testcase name="a" classname="test"/></testsuite>`, `
test::a pass`},
		{"colours go, what reaches further stays", "<testsuite name=\"s\"><testcase name=\"\x1b[31mred&#x1b;[0m a\x1b]0;\" " +
			"classname=\"c\"><failure/></testcase><testcase name=\"b\x07\" classname=\"c\"/></testsuite>",
			"\nc::b\uFFFD pass\nc::red a\uFFFD]0; fail"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reporttest.CheckLines(t, Format(), map[string]string{"report.xml": c.xml},
				c.want)
		})
	}
}
