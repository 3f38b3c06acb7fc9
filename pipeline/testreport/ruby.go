package testreport

import (
	"path"
	"strings"
)

// parseRuby reads the reports of a run that may mix rspec with minitest: a .tap file
// is what the toolchain's own reporter of minitest and test-unit wrote.
func parseRuby(b *builder, name string, data []byte) {
	base := name
	for _, ext := range []string{endExt, LogExt, runningExt} {
		base = strings.TrimSuffix(base, ext)
	}
	if path.Ext(base) != ".tap" {
		parseRSpec(b, name, data)
		return
	}
	report, aside, absent := b.aside(name)
	if aside && !absent {
		return
	}
	if aside {
		data = nil
	}
	s := b.beside(report, ".tap")
	results, problems := len(b.report.Results), len(b.report.Problems)
	points, running := rubyPoints(string(data))
	switch {
	case points == "" && running == "":
		b.silent(s)
	default:
		if points != "" {
			parseTAP(b, report, []byte(points))
		}
		if running != "" {
			b.died(s, running)
		}
	}
	b.judge(s, results, problems)
}

// rubyPoints takes the lines that name the running test out of the rest, and gives
// the one that was begun last and has no result.
func rubyPoints(text string) (points, running string) {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "# running "); ok {
			running = rubyName(strings.TrimSpace(name))
			continue
		}
		if strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "not ok ") {
			running, line = "", rubyObject.ReplaceAllString(line, "$1:0xADDR")
		}
		kept.WriteString(line)
	}
	return kept.String(), running
}
