package testreport

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// parseNode reads the reports of a run that may mix Node's runners: .tap is TAP, a
// JSON file tells by its keys whose it is.
func parseNode(b *builder, name string, data []byte) {
	if path.Ext(name) == ".tap" {
		if len(bytes.TrimSpace(data)) == 0 && b.files[name+LogExt] != nil {
			return // the log tells
		}
		from := len(b.report.Results)
		p := newTAP(b, name)
		p.ava = true
		p.parse(string(data))
		dropFileTest(b, unitOf(name), from)
		return
	}
	if nodeBeside(b, name, data) {
		return
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) == nil {
		if _, ok := keys["testResults"]; !ok {
			parseMocha(b, name, data)
			return
		}
	}
	if bytes.Contains(data[:min(100, len(data))], []byte(`"wideswe"`)) {
		parseMocha(b, name, data)
		return
	}
	parseJest(b, name, data)
}

// dropFileTest takes out the test that node's runner makes of a file: it stands
// for a file without a test, or tells that the file's process ended badly.
func dropFileTest(b *builder, unit string, from int) {
	kept := b.report.Results[:from:from]
	for _, r := range b.report.Results[from:] {
		_, name := schema.SplitTestID(r.ID)
		switch file := name == unit || name == "/TMP" || strings.HasSuffix(name, "/"+path.Base(unit)) || name == path.Base(unit); {
		case !file:
			kept = append(kept, r)
		case r.Outcome == schema.Pass || r.Outcome == schema.Skip:
			b.problem(unit, NoTests, "the file has no test, or its process ended before")
		case strings.Contains(r.Message, "signal: 'SIG"):
			b.problem(unit, Crashed, r.Message)
		default:
			b.problem(unit, CollectionError, r.Message)
		}
	}
	b.report.Results = kept
}

// consistentNode: a runner that found no test in the file it was given ends with
// an error of its own. A test may end the runner with 0; what it kept from running
// is missing.
func consistentNode(r Report, exitCode, bad int) (bool, string) {
	if exitCode != 0 && bad == 0 && r.count(NoTests) > 0 && r.count(Contradiction) == 0 {
		return true, ""
	}
	return consistentBeside(r, exitCode, bad)
}
