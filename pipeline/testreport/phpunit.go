package testreport

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// parsePHPUnit reads the JUnit XML of PHPUnit and Pest, with the runner's console and
// the log of what it began beside it.
func parsePHPUnit(b *builder, name string, data []byte) {
	report, aside, absent := b.aside(name)
	if aside && !absent {
		return
	}
	if aside {
		data = nil
	}
	s := b.beside(report, ".xml")
	results, problems := len(b.report.Results), len(b.report.Problems)
	switch running := phpunitRunning(s.running); {
	case len(bytes.TrimSpace(data)) > 0:
		b.unit = s.unit
		parseJUnit(b, report, data)
		b.unit = ""
		b.phpunitConsole(s, results, problems)
	case running != "":
		b.died(s, running)
	case len(phpunitSummary.FindStringSubmatch(s.log)) == 0 && strings.Contains(s.log, "No tests executed!"):
		b.problem(s.of(), NoTests, s.log)
		return
	default:
		b.silent(s)
	}
	b.judge(s, results, problems)
}

var (
	phpunitSummary = regexp.MustCompile(`(?m)^(?:OK \(|Tests: )(\d{1,9})(?: tests?)?,`)
	phpunitSaid    = regexp.MustCompile(`(?m)^(?:OK, but |WARNINGS!|ERRORS!|FAILURES!|There (?:was|were) \d+ PHPUnit (?:error|warning|deprecation)|No tests executed!|Tests: +\d+ )`)
	teamcityLine   = regexp.MustCompile(`(?m)^##teamcity\[test(Started|Finished) name='((?:[^'|\n]|\|.)*)'(?: locationHint='((?:[^'|\n]|\|.)*)')?.*\]\s*$`)
	teamcityEscape = regexp.MustCompile(`\|(0x[0-9a-fA-F]{4}|.)`)
)

// phpunitConsole reads the end of what the runner printed where its exit code says
// more than the tests: PHPUnit ends with an error for a warning, a deprecation or a
// broken data provider too.
func (b *builder) phpunitConsole(s beside, results, problems int) {
	bad := badIn(b.report.Results[results:])
	end := s.log[max(0, len(s.log)-4096):]
	if none := len(b.report.Problems) > problems && b.report.Problems[problems].Kind == NoTests; none {
		b.report.Problems[problems].Unit = maskUnit(s.of())
		if s.code != 0 && phpunitSaid.MatchString(end) {
			b.report.Problems[problems].Kind = CollectionError
			b.report.Problems[problems].Message = b.said(s.log)
		}
		return
	}
	if s.ended && s.code != 0 && bad == 0 && len(b.report.Problems) == problems && phpunitSaid.MatchString(end) {
		b.problem(s.of(), UnitFailed, s.log)
	}
	if m := phpunitSummary.FindAllStringSubmatch(end, -1); len(m) > 0 && s.ended {
		if said, listed := m[len(m)-1][1], fmt.Sprint(len(b.report.Results)-results); strings.TrimLeft(said, "0") != listed && listed != "0" && !b.full {
			b.phpunitCount(s, said, listed, problems)
		}
	}
}

// phpunitCount: the console counts what is no test too, a class or a provider that
// broke; it never counts fewer than the report lists.
func (b *builder) phpunitCount(s beside, said, listed string, problems int) {
	var n, m int
	fmt.Sscan(said, &n)
	fmt.Sscan(listed, &m)
	if n < m {
		b.problem(s.of(), Contradiction, fmt.Sprintf("the runner counts %d tests, the report lists %d", n, m))
	} else if len(b.report.Problems) == problems && s.code == 0 {
		b.problem(s.of(), PlanMismatch, fmt.Sprintf("the runner counts %d tests, the report lists %d", n, m))
	}
}

// phpunitRunning is the test that a TeamCity log began last and did not end. A log
// says no outcome: what a test prints stands in it too.
func phpunitRunning(log string) string {
	running := ""
	for _, m := range teamcityLine.FindAllStringSubmatch(log, -1) {
		switch {
		case m[1] == "Finished":
			running = ""
		case m[3] != "":
			running = teamcityName(unescapeTeamcity(m[2]), unescapeTeamcity(m[3]))
		}
	}
	return running
}

// teamcityName puts the class, which the location has, before the test's name.
func teamcityName(name, location string) string {
	location = strings.TrimPrefix(location, "php_qn://")
	if _, class, ok := strings.Cut(location, `::\`); ok {
		return class
	}
	if file, _, ok := strings.Cut(strings.TrimPrefix(location, "pest_qn://"), "::"); ok {
		return pestClass(file) + "::" + name
	}
	return name
}

// pestClass is the class that Pest gives to a file.
func pestClass(file string) string {
	parts := strings.Split(strings.TrimSuffix(file, ".php"), "/")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, `\`)
}

func unescapeTeamcity(s string) string {
	return teamcityEscape.ReplaceAllStringFunc(s, func(m string) string {
		switch m[1:] {
		case "n", "r":
			return " "
		}
		if len(m) > 2 {
			var r rune
			fmt.Sscanf(m[3:], "%x", &r)
			return string(r)
		}
		return m[1:]
	})
}

// isPHPUnit: PHPUnit gives a testcase its class with the namespace's own separators,
// and, where it stands for no test, only how much it asserted.
func isPHPUnit(c *junitCase) bool {
	_, class := c.attr["class"]
	_, asserts := c.attr["assertions"]
	return asserts && (class || c.format == PHPUnit)
}

// phpunitKey: the file is the report's where that names one, else Pest's relative
// one, else the class is the unit.
func phpunitKey(c *junitCase) (unit, name string, ours bool) {
	if !isPHPUnit(c) {
		return "", "", false
	}
	class, name := c.attr["class"], strings.Join(strings.Fields(c.name), " ")
	switch file, _, pest := strings.Cut(c.file, "::"); {
	case c.unit != "":
		unit = c.unit
	case pest && file != "" && !path.IsAbs(file):
		unit = file
	default:
		return class, name, true
	}
	if class != "" {
		name = class + "::" + name
	}
	return unit, name, true
}

// phpunitNoTest: what PHPUnit lists for a class without tests, or for a data provider
// that broke, is no test.
func (p *junitParser) phpunitNoTest(c *junitCase) bool {
	if !isPHPUnit(c) || c.attr["class"] != "" {
		return false
	}
	unit := c.unit
	if unit == "" && c.suite != nil {
		unit = c.suite.name
	}
	switch c.name {
	case "Warning":
		p.b.problem(unit, NoTests, c.text())
	case "Error":
		p.b.problem(unit, CollectionError, c.text())
	default:
		return false
	}
	return true
}

// phpunitMild: a risky test and one with a warning passed; whether that ends the run
// with an error is the configuration's choice.
func phpunitMild(c *junitCase) bool {
	return isPHPUnit(c) && (strings.HasPrefix(c.kind, `PHPUnit\Framework\Risky`) || strings.HasSuffix(c.kind, "RiskyTestError"))
}
