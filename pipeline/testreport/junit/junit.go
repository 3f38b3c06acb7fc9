// Package junit reads JUnit XML: for the format junit, and for the formats whose
// runners write it with something else beside it or around it.
//
// JUnit XML has no standard. What its writers do differently is a file for each
// writer that is told by the document alone: pytest, PHPUnit and Pest, the writers
// of Node, bats. What only a format can know is in its [Source].
package junit

import (
	"bytes"
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
)

// Format is JUnit XML by itself.
func Format() testreport.Format {
	return testreport.Format{
		Name: "junit", Version: "4",
		Unit: testreport.FileUnit, Proof: "pytest's list of collected tests by a plugin of ours; other writers prove none",
		Doc:        "JUnit XML in the dialects of its many writers; beside it, as .log, what pytest -v printed",
		Read:       readFile,
		Consistent: consistent,
		Framing:    framing,
	}
}

var framing = []testreport.Frame{
	testreport.NewFrame(" in ", `^(=+ .*) in [\d.]+s(?: \([\d:]+\))?( =+)$`, "$1$2"),
	testreport.NewFrame(" object at 0x", `(<[\w.<> ]+ object at )0x[0-9a-f]+>`, "${1}0xADDR>"),
}

// consistent: pytest ends with 5 when it collected nothing.
func consistent(r testreport.Report, exitCode int) (ok bool, why string) {
	none := exitCode == 5 && r.Counts.Pass+r.Counts.Skip == 0
	if none && r.Count(testreport.Contradiction) == 0 {
		return true, ""
	}
	return testreport.ConsistentExit(r, exitCode)
}

func readFile(b *testreport.Builder, name string, data []byte) {
	if path.Ext(name) == ListenerExt {
		b.NotAReport()
		return
	}
	if path.Ext(name) == testreport.LogExt {
		b.NotAReport()
		pytestCrash(b, name, data)
		return
	}
	log := b.Files[logOf(name)]
	if log != nil && len(bytes.TrimSpace(data)) == 0 {
		return // the log is read by itself
	}
	from := b.Position()
	Read(b, name, data, Source{Log: log})
	readListener(b, name, from)
}

func logOf(name string) string { return strings.TrimSuffix(name, path.Ext(name)) + testreport.LogExt }

// Source is what a format knows about a document apart from the document.
type Source struct {
	// Unit is the program or the file of tests that the document is of, where a format knows it.
	Unit string
	// Log is what pytest printed.
	Log []byte
	// PHPUnit says that PHPUnit or Pest wrote the document.
	PHPUnit bool
	// CountsAssertions says that the suites announce assertions, and nobody says how
	// many tests there are.
	CountsAssertions bool
	// Key names testcases in the format's own way; nil leaves that to the document, and
	// what it does not tell to Unit.
	Key func(c *Case) (unit, name string)
}

// Read reads one document.
func Read(b *testreport.Builder, name string, data []byte, from Source) {
	p := &parser{Source: from, b: b, file: name}
	err := testreport.ReadXML(data, p, "testsuites", "testsuite")
	p.pytest.finish(p)
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		b.Problem(name, testreport.Cut, "the file is empty")
	case err != nil && p.cases == 0:
		b.Problem(name, testreport.Unreadable, err.Error())
	case err != nil:
		b.Problem(name, testreport.Cut, err.Error())
	case p.cases == 0:
		b.Problem(name, testreport.NoTests, "the report has no testcase")
	}
}
