// Package node reads what the test runners of Node leave: jest, vitest, mocha, and
// those that write TAP (node itself, node-tap, ava). Each file of tests has a report
// of its own, named after it.
package node

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/tap"
	"github.com/wideswe/wideswe/schema"
)

// Node is what the toolchain of Node leaves, which may mix runners.
func Node() testreport.Format {
	return format("node", "the JSON of jest, vitest and mocha, or TAP, a file per test file", readMixed)
}

func format(name, doc string, read testreport.ReadFunc) testreport.Format {
	return testreport.Format{Name: name, Version: "4", Doc: doc, Read: read, Consistent: consistent, Framing: framing,
		Unit: testreport.FileUnit, Proof: "a complete report that lists each test, or a plan with as many tests as it " +
			"announces"}
}

var framing = append([]testreport.Frame{
	testreport.NewFrame("Time:", `^Time: +`+testreport.Figure+` m?s(?:, estimated .*)?(?:\n|$)`, ""),
	testreport.NewFrame("ing (", `^( +\d+ (?:passing|failing|pending)) \(\d+m?s\)$`, "$1"),
	testreport.NewFrame(" ms)", `^( +[✓✕√×] .*) \(`+testreport.Figure+` m?s\)$`, "$1"),
	testreport.NewFrame("ms", `^( +[✓×❯↓] .*) \d+ms$`, "$1"),
	testreport.NewFrame("   Start at  ", `^ +Start at  [\d:]+(?:\n|$)`, ""),
	testreport.NewFrame("   Duration  ", `^ +Duration  .*(?:\n|$)`, ""),
}, tap.Framing()...)

// consistent: a runner that found no test in the file it was given ends with an
// error of its own. A test may end the runner with 0; what it kept from running is
// missing.
func consistent(r testreport.Report, exitCode int) (ok bool, why string) {
	clean := r.Counts.Fail+r.Counts.Error == 0 && r.Count(testreport.Contradiction) == 0
	if exitCode != 0 && clean && r.Count(testreport.NoTests) > 0 {
		return true, ""
	}
	return testreport.ConsistentLoss(r, exitCode)
}

// readMixed reads a report of any of the runners: .tap is TAP, a JSON file tells by
// its keys whose it is.
func readMixed(b *testreport.Builder, name string, data []byte) {
	switch {
	case path.Ext(name) == testreport.DoneExt:
		b.NotAReport()
	case path.Ext(name) == ".tap":
		readTAP(b, name, data)
	case readBeside(b, name, data):
	case isMocha(data):
		readMocha(b, name, data)
	default:
		readJest(b, name, data)
	}
}

func isMocha(data []byte) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) == nil {
		if _, ok := keys["testResults"]; !ok {
			return true
		}
	}
	return bytes.Contains(data[:min(100, len(data))], []byte(`"wideswe"`))
}

func readTAP(b *testreport.Builder, name string, data []byte) {
	if len(bytes.TrimSpace(data)) == 0 && b.Files[name+testreport.LogExt] != nil {
		return // the log tells
	}
	from := b.Position()
	tap.Read(b, string(data), tap.Source{Unit: strings.TrimSuffix(name, path.Ext(name)), Ava: true})
	dropFileTest(b, unitOf(name), from, loadFailed.Match(data))
	if _, done := b.Files[name+testreport.DoneExt]; !done && tap.IsNode(data) && !loadFailed.Match(data) {
		b.Open(unitOf(name), "its process was ended, and the runner does not say by whom")
	}
}

// dropFileTest takes out the test that node's runner makes of a file: it stands
// for a file without a test, or tells that the file's process ended badly.
func dropFileTest(b *testreport.Builder, unit string, from testreport.Position, unloaded bool) {
	var kept []schema.TestResult
	defer func() {
		if dropped := len(b.Since(from).Results) - len(kept); dropped > 0 && !(unloaded && len(kept) == 0) {
			b.Open(unit, "its process ended badly, or has no test that was told of")
		}
		b.ReplaceResults(from, kept)
	}()
	for _, r := range b.Since(from).Results {
		switch {
		case !isFile(r, unit):
			kept = append(kept, r)
		case r.Outcome == schema.Pass || r.Outcome == schema.Skip:
			b.Problem(unit, testreport.NoTests, "the file has no test, or its process ended before")
		case strings.Contains(r.Message, "signal: 'SIG"):
			b.Problem(unit, testreport.Crashed, r.Message)
		default:
			b.Problem(unit, testreport.CollectionError, r.Message)
		}
	}
}

// loadFailed is the last line of a process of node's that an error ended which nobody
// caught. Those in tests are caught.
var loadFailed = regexp.MustCompile(`(?m)^# Node\.js v\d`)

// isFile reports whether a test has the name of the file.
func isFile(r schema.TestResult, unit string) bool {
	_, name := schema.SplitTestID(r.ID)
	base := path.Base(unit)
	return name == unit || name == "/TMP" || name == base || strings.HasSuffix(name, "/"+base)
}

// titles joins suites and a name; an empty title stays a part.
func titles(list []string) string {
	if len(list) > 64 {
		list = list[:64]
	}
	return testreport.Truncate(strings.Join(list, testreport.SuiteSep), testreport.MaxName)
}
