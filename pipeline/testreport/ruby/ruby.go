// Package ruby reads what the test runners of Ruby leave: rspec, and minitest and
// test-unit through a reporter of the toolchain's.
package ruby

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/tap"
)

// Ruby is what the toolchain of Ruby leaves, which may mix rspec with minitest.
func Ruby() testreport.Format {
	return format("ruby", "the JSON of rspec, or TAP of minitest and test-unit, a file per test file", readMixed)
}

func format(name, doc string, read testreport.ReadFunc) testreport.Format {
	return testreport.Format{Name: name, Version: "4", Doc: doc, Read: read,
		Consistent: testreport.ConsistentLoss, Framing: framing,
		Unit: testreport.FileUnit, Proof: "as many tests as the runner's listener announced before the first"}
}

var framing = append([]testreport.Frame{
	testreport.NewFrame("Finished in ",
		`^(?:# )?Finished in `+testreport.Figure+`s?(?: (?:seconds?|minutes?)\b.*|, .*)?\.?(?:\n|$)`, ""),
}, tap.Framing()...)

// readMixed reads a report of any of the runners: a .tap file is what the
// toolchain's own reporter of minitest and test-unit wrote.
func readMixed(b *testreport.Builder, name string, data []byte) {
	base := name
	for _, ext := range []string{testreport.EndExt, testreport.LogExt, testreport.RunningExt} {
		base = strings.TrimSuffix(base, ext)
	}
	if path.Ext(base) == ".tap" {
		readTAP(b, name, data)
	} else {
		readRSpec(b, name, data)
	}
}

func readTAP(b *testreport.Builder, name string, data []byte) {
	s, ok := b.Sidecar(name, data, ".tap")
	if !ok {
		return
	}
	points, running := splitPoints(string(s.Data))
	if announced := plannedTests(string(s.Data)); announced > strings.Count("\n"+points, "\nok ")+strings.Count("\n"+
		points, "\nnot ok ") {
		b.Open(s.Name(), fmt.Sprintf("the runner announced %d tests and reports fewer", announced))
	}
	if points != "" {
		tap.Read(b, points, tap.Source{Unit: strings.TrimSuffix(s.Report, path.Ext(s.Report))})
	}
	if running != "" {
		b.Died(s, running)
	}
	if points == "" && running == "" {
		b.NoReport(s)
	}
	b.CheckExit(s)
}

// plannedTests is how many tests the runner said that it would run.
func plannedTests(text string) (n int) {
	for line := range strings.Lines(text) {
		if count, ok := strings.CutPrefix(line, "# planned "); ok {
			n, _ = strconv.Atoi(strings.TrimSpace(count))
		}
	}
	return n
}

// splitPoints takes the lines that name the running test out of the rest, and gives
// the one that was begun last and has no result.
func splitPoints(text string) (points, running string) {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "# running "); ok {
			running = rubyName(strings.TrimSpace(name))
			continue
		}
		if strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "not ok ") {
			running, line = "", maskObjects(line)
		}
		kept.WriteString(line)
	}
	return kept.String(), running
}

var rubyObject = regexp.MustCompile(`(#<[\w:]+):0x[0-9a-f]{8,16}`)

// rubyName writes a name in one line, without the addresses of objects.
func rubyName(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return maskObjects(strings.Join(lines, " "))
}

func maskObjects(s string) string { return rubyObject.ReplaceAllString(s, "$1:0xADDR") }
