// Package php reads what PHPUnit and Pest leave.
package php

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/junit"
)

// PHPUnit is what the toolchain of PHP leaves.
func PHPUnit() testreport.Format {
	return testreport.Format{
		Name: "phpunit", Version: "4",
		Unit: testreport.FileUnit, Proof: "a complete report with as many tests as the TeamCity log announced",
		Doc:        "the JUnit XML of PHPUnit and Pest, with the runner's console and its TeamCity log beside it",
		Read:       read,
		Consistent: testreport.ConsistentLoss,
		Framing:    framing,
	}
}

var framing = []testreport.Frame{
	testreport.NewFrame("Time: ", `^Time: [\d:.]+, Memory: .*(?:\n|$)`, ""),
	testreport.NewFrame("Duration:", `^ +Duration: +[\d.]+s(?:\n|$)`, ""),
}

func read(b *testreport.Builder, name string, data []byte) {
	s, ok := b.Sidecar(name, data, ".xml")
	if !ok {
		return
	}
	switch running := runningTest(s.Running); {
	case !s.Empty():
		junit.Read(b, s.Report, s.Data, junit.Source{Unit: s.Unit, PHPUnit: true})
		readConsole(b, s)
		checkAnnounced(b, s)
	case running != "":
		b.Died(s, running)
	case !summaryLine.MatchString(s.Log) && strings.Contains(s.Log, "No tests executed!"):
		b.Problem(s.Name(), testreport.NoTests, s.Log)
		return
	default:
		b.NoReport(s)
	}
	b.CheckExit(s)
}

var (
	summaryLine = regexp.MustCompile(`(?m)^(?:OK \(|Tests: )(\d{1,9})(?: tests?)?,`)
	verdictLine = regexp.MustCompile(`(?m)^(?:OK, but |WARNINGS!|ERRORS!|FAILURES!|` +
		`There (?:was|were) \d+ PHPUnit (?:error|warning|deprecation)|No tests executed!|Tests: +\d+ )`)
	teamcityLine = regexp.MustCompile(`(?m)^##teamcity\[test(Started|Finished) name='((?:[^'|\n]|\|.)*)'` +
		`(?: locationHint='((?:[^'|\n]|\|.)*)')?.*\]\s*$`)
	teamcityEscape = regexp.MustCompile(`\|(0x[0-9a-fA-F]{4}|.)`)
)

// readConsole reads the end of what the runner printed where its exit code says
// more than the tests: PHPUnit ends with an error for a warning, a deprecation or a
// broken data provider too.
func readConsole(b *testreport.Builder, s testreport.Sidecar) {
	read, end := b.Read(s), s.Log[max(0, len(s.Log)-4096):]
	verdict := s.Code != 0 && verdictLine.MatchString(end)
	if len(read.Problems) > 0 && read.Problems[0].Kind == testreport.NoTests {
		none := &read.Problems[0]
		none.Unit = testreport.MaskUnit(s.Name())
		if verdict {
			none.Kind, none.Message = testreport.CollectionError, b.Message(s.Log)
		}
		return
	}
	if s.Ended && verdict && read.Failed() == 0 && len(read.Problems) == 0 {
		b.Problem(s.Name(), testreport.UnitFailed, s.Log)
	}
	if m := summaryLine.FindAllStringSubmatch(end, -1); len(m) > 0 && s.Ended && !b.Full() {
		counted, _ := strconv.Atoi(m[len(m)-1][1])
		checkCount(b, s, counted)
	}
}

var teamcityCount = regexp.MustCompile(`(?m)^##teamcity\[testCount count='(\d{1,9})'`)

// checkAnnounced leaves a file open that has fewer tests than its runner announced: it
// stopped before the others, at a failure or in what is run before a class.
func checkAnnounced(b *testreport.Builder, s testreport.Sidecar) {
	announced := 0
	for _, m := range teamcityCount.FindAllStringSubmatch(s.Running, testreport.MaxProblems) {
		n, _ := strconv.Atoi(m[1])
		announced += n
	}
	if listed := len(b.Read(s).Results); announced > listed {
		b.Open(s.Name(), fmt.Sprintf("the runner announced %d tests and reports %d", announced, listed))
	}
}

// checkCount holds the tests that the console counts against those listed. The
// console counts what is no test too, a class or a provider that broke; it never
// counts fewer than the report lists.
func checkCount(b *testreport.Builder, s testreport.Sidecar, counted int) {
	read := b.Read(s)
	listed := len(read.Results)
	message := fmt.Sprintf("the runner counts %d tests, the report lists %d", counted, listed)
	switch {
	case listed == 0:
	case counted < listed:
		b.Problem(s.Name(), testreport.Contradiction, message)
	case counted > listed && len(read.Problems) == 0 && s.Code == 0:
		b.Problem(s.Name(), testreport.PlanMismatch, message)
	}
}

// runningTest is the test that a TeamCity log began last and did not end. A log
// says no outcome: what a test prints stands in it too.
func runningTest(log string) string {
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
