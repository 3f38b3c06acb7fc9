package junit

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// pytestSuite is the name of pytest's one suite.
const pytestSuite = "pytest"

// isPytest: pytest names its one suite, and with the family xunit1 gives each test
// the file it stands in.
func isPytest(c *Case) bool {
	return c.suite != nil && c.suite.name == pytestSuite || path.Ext(c.file) == ".py"
}

func pytestKey(c *Case) (unit, name string, ours bool) {
	if !isPytest(c) {
		return "", "", false
	}
	unit, name = nodeID(c.file, c.Class, c.Name)
	return unit, name, true
}

// pytestCases are the testcases of a report of pytest's, by node id.
type pytestCases struct {
	named map[string]*Case
	order []string
}

// close takes a testcase. A file that could not be collected is a problem of that
// file, not a test.
func (t *pytestCases) close(p *parser, c *Case) {
	if c.Class == "" && c.Name == "" { // the test that was running when pytest was ended from inside
		p.b.Problem(p.file, testreport.Cut, "a test had begun and did not end\n"+c.text())
		return
	}
	unit, name := nodeID(c.file, c.Class, c.Name)
	if c.Class == failedImport {
		p.b.Problem(name, testreport.CollectionError, c.text())
		return
	}
	if c.Outcome != schema.Pass && strings.HasPrefix(c.Said, "collection ") && (c.Class == "" || c.file == "") {
		if file := moduleFile(c); file != "" {
			unit = file
		}
		kind := testreport.NoTests
		if testreport.IsBad(c.Outcome) {
			kind = testreport.CollectionError
		}
		p.b.Problem(unit, kind, c.text())
		return
	}
	t.merge(unit+"::"+name, c)
}

// merge merges the testcases of one node id: pytest lists a test again when its
// teardown fails after it failed itself, and plugins list every rerun. The worst stands.
func (t *pytestCases) merge(id string, c *Case) {
	first := t.named[id]
	if first == nil {
		if len(t.order) <= testreport.MaxResults {
			if t.named == nil {
				t.named = map[string]*Case{}
			}
			t.named[id] = c
			t.order = append(t.order, id)
		}
		return
	}
	first.seconds += c.seconds
	if rank(c.Outcome) > rank(first.Outcome) {
		first.set(c.Outcome, c.Said, c.kind)
		first.message = c.message
	}
}

// finish adds the results at the end of the document.
func (t *pytestCases) finish(p *parser) {
	t.checkLog(p)
	for _, id := range t.order {
		p.add(t.named[id])
	}
}

// failedImport is the class under which unittest lists a module that it can't import.
const failedImport = "unittest.loader._FailedTest"

// nodeID rebuilds pytest's own name: the unit is the file, the name the classes
// and the function. The class name is the file's dotted path and then the
// classes; without a file (family xunit2) it stays the unit as it is.
func nodeID(file, class, name string) (unit, test string) {
	file = strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "./")
	if file == "" || path.IsAbs(file) || strings.HasPrefix(file, "../") {
		return class, name
	}
	if class == "" { // unittest's setUpClass
		return file, name
	}
	module := strings.ReplaceAll(strings.TrimSuffix(file, path.Ext(file)), "/", ".")
	inner, ok := strings.CutPrefix(class, module)
	if !ok { // a test inherited from a class of another file: its file is that one's
		if module := modulePath(class); module != "" {
			return module, name
		}
		return class, name
	}
	if inner = strings.Trim(inner, "."); inner != "" {
		name = strings.ReplaceAll(inner, ".", "::") + "::" + name
	}
	return file, name
}

// modulePath turns a dotted path into a file where no part looks like a class.
func modulePath(class string) string {
	for _, part := range strings.Split(class, ".") {
		if part == "" || part[0] >= 'A' && part[0] <= 'Z' {
			return ""
		}
	}
	return strings.ReplaceAll(class, ".", "/") + ".py"
}

// moduleFile is the file that a collection error is about.
func moduleFile(c *Case) string {
	if c.file != "" && !path.IsAbs(c.file) {
		return c.file
	}
	if strings.ContainsAny(c.Name, "/ ") {
		return c.Name
	}
	return modulePath(c.Name)
}
