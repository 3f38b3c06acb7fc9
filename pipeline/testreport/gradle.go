package testreport

import (
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// parseGradle reads what one run of Gradle's test task leaves: an XML file a class
// and the console (.log) beside them, in which a line tells each test's begin and
// end. A file's folder is the project's, and part of the unit.
func parseGradle(b *builder, name string, data []byte) {
	if path.Ext(name) == LogExt {
		parseGradleLog(b, name, data)
		return
	}
	if surefireSuite.Match(data) && !strings.Contains(string(data), "<testcase") {
		return
	}
	parseJUnit(b, name, data)
}

var (
	gradleLine   = regexp.MustCompile(`^wideswe: (Running|Ended) (\S+) (.+)$`)
	gradleFailed = regexp.MustCompile(`(?m)^Execution failed for task '([^']+)'\.$`)
	gradleEnd    = regexp.MustCompile(`(?m)^BUILD (SUCCESSFUL|FAILED)`)
)

// parseGradleLog finds the tests that ended with their JVM, and what did not build.
func parseGradleLog(b *builder, name string, data []byte) {
	b.report.Counts.Files--
	text := cleanText(string(data))
	open, ran := []string{}, false
	for line := range strings.SplitSeq(text, "\n") {
		m := gradleLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			continue
		}
		ran = true
		key := m[2] + " " + m[3]
		if m[1] == "Running" && len(open) < maxProblem {
			open = append(open, key)
			continue
		}
		for i := len(open) - 1; i >= 0; i-- {
			if open[i] == key {
				open = append(open[:i], open[i+1:]...)
				break
			}
		}
	}
	last, over := tail(text), gradleEnd.FindStringSubmatch(text)
	for _, key := range open {
		class, test, _ := strings.Cut(key, " ")
		unit := surefireUnit(name, class)
		id := b.id(unit, test)
		b.add(id, schema.Error, 0, last)
		b.report.Running = append(b.report.Running, id)
		if over == nil {
			b.problem(unit, Cut, "Gradle ended while it ran\n"+last)
			continue
		}
		b.report.Crashed = append(b.report.Crashed, id)
		b.problem(unit, Crashed, "its JVM ended before it did\n"+last)
	}
	module := path.Join(path.Dir(name), "build.gradle")
	broken := false
	for _, m := range gradleFailed.FindAllStringSubmatch(text, 20) {
		task := m[1][strings.LastIndexByte(m[1], ':')+1:]
		if strings.HasPrefix(task, "compile") || strings.HasPrefix(task, "process") || !ran && len(open) == 0 {
			broken = true
			b.problem(module, BuildFailed, m[0]+"\n"+last)
		}
	}
	switch {
	case broken || ran:
	case over == nil:
		b.problem(module, Cut, "Gradle ended before any test ran\n"+last)
	case over[1] == "FAILED":
		b.problem(module, BuildFailed, last)
	default:
		b.problem(module, NoTests, "Gradle found no test of those asked for")
	}
}
