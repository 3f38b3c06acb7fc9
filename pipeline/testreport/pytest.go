package testreport

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// isPytest: pytest names its one suite so, and with the family xunit1 gives each
// test the file it stands in.
func isPytest(c *junitCase) bool {
	return c.suite != nil && c.suite.name == "pytest" || path.Ext(c.file) == ".py"
}

func pytestKey(c *junitCase) (unit, name string, ours bool) {
	if !isPytest(c) {
		return "", "", false
	}
	unit, name = nodeID(c.file, c.class, c.name)
	return unit, name, true
}

// closePytest merges the testcases of one node id: pytest lists a test again
// when its teardown fails after it failed itself, and plugins list every rerun.
// The worst stands. A file that could not be collected is a problem of that
// file, not a test.
func (p *junitParser) closePytest(c *junitCase) {
	if c.class == "" && c.name == "" { // the test that was running when pytest was ended from inside
		p.b.problem(p.file, Cut, "a test had begun and did not end\n"+c.text())
		return
	}
	unit, name := nodeID(c.file, c.class, c.name)
	if c.class == failedImport {
		p.b.problem(name, CollectionError, c.text())
		return
	}
	if c.outcome != schema.Pass && strings.HasPrefix(c.said, "collection ") && (c.class == "" || c.file == "") {
		if file := moduleFile(c); file != "" {
			unit = file
		}
		if c.outcome == schema.Error || c.outcome == schema.Fail {
			p.b.problem(unit, CollectionError, c.text())
		} else {
			p.b.problem(unit, NoTests, c.text())
		}
		return
	}
	id := unit + "::" + name
	seen := p.pytest[id]
	if seen == nil {
		if len(p.order) <= MaxResults {
			p.pytest[id] = c
			p.order = append(p.order, id)
		}
		return
	}
	seen.seconds += c.seconds
	if rank(c.outcome) > rank(seen.outcome) {
		seen.set(c.outcome, c.said, c.kind)
		seen.message = c.message
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
func moduleFile(c *junitCase) string {
	if c.file != "" && !path.IsAbs(c.file) {
		return c.file
	}
	if strings.ContainsAny(c.name, "/ ") {
		return c.name
	}
	return modulePath(c.name)
}

// LogExt is the extension of the file beside a JUnit report (the same name,
// another extension) that holds what `pytest -v` printed. Outcomes are read from it only
// where the report is missing, since pytest writes that at its end.
const LogExt = ".log"

func logOf(name string) string { return strings.TrimSuffix(name, path.Ext(name)) + LogExt }

var (
	pytestNode   = regexp.MustCompile(`(?m)^([^\s:]+\.py)::(.+?)[ \t]*$`)
	pytestStatus = regexp.MustCompile(` (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)\b`)
	pytestDeath  = regexp.MustCompile(`(?:Fatal Python error|Segmentation fault|Aborted|Killed|Timeout).*$`)
)

// pytestFailed is how `pytest -v` tells that a test failed.
var pytestFailed = regexp.MustCompile(`(?m)^([^\s:]+\.py::.+?) (PASSED|FAILED)(?:[ \t]+\[[ \d%]+\])?[ \t]*$`)

// against holds the tests of a report against what pytest printed of them: one that
// failed on the terminal and passes in the file was mended in between.
func (p *junitParser) against(log []byte) {
	last := map[string]string{}
	for _, m := range pytestFailed.FindAllStringSubmatch(cleanText(string(log)), -1) {
		last[m[1]] = m[2]
	}
	for _, id := range p.order {
		if last[id] == "FAILED" && p.pytest[id].outcome == schema.Pass {
			p.b.problem(p.file, Contradiction, id+" passes in the report, and pytest said that it failed")
			return
		}
	}
}

// pytestCrash finds the test in which pytest died: the last that was named and
// got no status. The tests before it stay missing; what a log says of them
// anyone can print.
func pytestCrash(b *builder, name string, log []byte) {
	report := strings.TrimSuffix(name, LogExt) + ".xml"
	if len(bytes.TrimSpace(b.files[report])) > 0 {
		return
	}
	text := cleanText(string(log))
	nodes := pytestNode.FindAllStringSubmatch(text, -1)
	if len(nodes) == 0 || pytestStatus.MatchString(nodes[len(nodes)-1][2]) {
		b.problem(report, Cut, "pytest wrote no report\n"+text)
		return
	}
	last := nodes[len(nodes)-1]
	id := b.id(last[1], strings.TrimSpace(pytestDeath.ReplaceAllString(last[2], "")))
	b.add(id, schema.Error, 0, text)
	b.report.Crashed = append(b.report.Crashed, id)
	b.report.Running = append(b.report.Running, id)
	b.problem(last[1], Crashed, text)
}
