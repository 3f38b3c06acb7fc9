package junit

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// Beside a report lies what pytest -v printed. Outcomes are read from it only where
// the report is missing, since pytest writes that at its end.
var (
	pytestNode   = regexp.MustCompile(`(?m)^([^\s:]+\.py)::(.+?)[ \t]*$`)
	pytestStatus = regexp.MustCompile(` (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)\b`)
	pytestDeath  = regexp.MustCompile(`(?:Fatal Python error|Segmentation fault|Aborted|Killed|Timeout).*$`)
)

// pytestUnloaded is how pytest says that it could not import what every test needs.
var pytestUnloaded = regexp.MustCompile(`(?m)^(?:ImportError while loading conftest |ConftestImportFailure: )`)

// pytestFailed is how `pytest -v` tells that a test failed.
var pytestFailed = regexp.MustCompile(`(?m)^([^\s:]+\.py::.+?) (PASSED|FAILED)(?:[ \t]+\[[ \d%]+\])?[ \t]*$`)

// checkLog holds the tests of a report against what pytest printed of them: one that
// failed on the terminal and passes in the file was mended in between.
func (t *pytestCases) checkLog(p *parser) {
	last := map[string]string{}
	for _, m := range pytestFailed.FindAllStringSubmatch(testreport.CleanText(string(p.Log)), -1) {
		last[m[1]] = m[2]
	}
	for _, id := range t.order {
		if last[id] == "FAILED" && t.named[id].Outcome == schema.Pass {
			p.b.Problem(p.file, testreport.Contradiction, id+" passes in the report, and pytest said that it failed")
			return
		}
	}
}

// pytestCrash finds the test in which pytest died: the last that was named and
// got no status. The tests before it stay missing; what a log says of them
// anyone can print.
func pytestCrash(b *testreport.Builder, name string, log []byte) {
	report := strings.TrimSuffix(name, testreport.LogExt) + ".xml"
	if len(bytes.TrimSpace(b.Files[report])) > 0 {
		return
	}
	text := testreport.CleanText(string(log))
	if l, heard := heardOf(b.Files[strings.TrimSuffix(name, testreport.LogExt)+ListenerExt]); heard && l.died(b, report,
		text) {
		return
	}
	if pytestUnloaded.MatchString(text) {
		b.Problem(report, testreport.CollectionError, text)
		return
	}
	b.Open(report, "pytest left no report")
	nodes := pytestNode.FindAllStringSubmatch(text, -1)
	if len(nodes) == 0 || pytestStatus.MatchString(nodes[len(nodes)-1][2]) {
		b.Problem(report, testreport.Cut, "pytest wrote no report\n"+text)
		return
	}
	last := nodes[len(nodes)-1]
	id := b.ID(last[1], strings.TrimSpace(pytestDeath.ReplaceAllString(last[2], "")))
	b.Add(id, schema.Error, 0, text)
	b.MarkDied(id)
	b.Problem(last[1], testreport.Crashed, text)
}
