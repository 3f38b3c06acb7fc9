package junit

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// A report that was mended after pytest told the failure says something else than what
// pytest printed.
func TestAReportAgainstWhatPytestPrinted(t *testing.T) {
	const a = `<testcase classname="t" name="a" file="t.py"/>`
	for _, c := range []struct {
		name, log, cases string
		exit             int
		want             bool
	}{
		{"both say that it passed", "t.py::a PASSED   [100%]\n", a, 0, true},
		{"mended", "t.py::a FAILED   [100%]\n", a, 0, false},
		{"without progress", "t.py::a FAILED\n", a, 0, false},
		{"in a class, with parameters", "t.py::C::b[x y] FAILED [ 50%]\n",
			`<testcase classname="t.C" name="b[x y]" file="t.py"/>`, 0, false},
		{"both say that it failed", "t.py::a FAILED   [100%]\n",
			`<testcase classname="t" name="a" file="t.py"><failure message="x"/></testcase>`, 1, true},
		{"it passed in the end", "t.py::a FAILED   [ 50%]\nt.py::a PASSED   [100%]\n", a, 0, true},
		{"another test", "t.py::b FAILED   [100%]\n", a, 0, true},
		{"a test that prints", "t.py::a FAILED since\nsays t.py::a FAILED\nt.py::a PASSED\n", a, 0, true},
		{"torn down badly", "t.py::a PASSED\nt.py::a ERROR\n", a +
			`<testcase classname="t" name="a" file="t.py"><error message="x"/></testcase>`, 1, true},
	} {
		r := Format().Parse(reporttest.Bytes(map[string]string{"1.log": c.log, "1.xml": pytestXML(c.cases)}))
		if got, why := Format().Judge(r, c.exit); got != c.want {
			t.Errorf("%s: %v %s", c.name, got, why)
		}
	}
}
