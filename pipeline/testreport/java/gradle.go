package java

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// Gradle is what one run of Gradle's test task leaves: an XML file per class and the
// console (.log) beside them, in which a line tells each test's begin and end. A
// file's folder is the project's, and part of the unit.
func Gradle() testreport.Format {
	return testreport.Format{
		Name: "gradle", Version: "4",
		Unit: testreport.ClassUnit, Proof: "the report, each test's own end in the console, and the build's last line",
		Apart: true, Places: places("build.gradle"),
		Doc:     "the JUnit XML of Gradle's test task, a file per class, with the console beside it: a line per test",
		Read:    readClasses(readGradleLog),
		Framing: framing,
	}
}

var (
	gradleLine   = regexp.MustCompile(`^wideswe: (Running|Ended) (\S+) (.+)$`)
	gradleFailed = regexp.MustCompile(`(?m)^Execution failed for task '([^']+)'\.$`)
	gradleEnd    = regexp.MustCompile(`(?m)^BUILD (SUCCESSFUL|FAILED)`)
)

// gradleLog is what Gradle said of one project's tests.
type gradleLog struct {
	b       *testreport.Builder
	name    string
	text    string
	last    string   // its end
	end     []string // the line that tells how the build ended; nil without one
	running []string // class and test, of those that did not end
	ran     bool     // a test began
}

// readGradleLog finds the tests that ended with their JVM, and what did not build.
func readGradleLog(b *testreport.Builder, name string, data []byte) {
	text := testreport.CleanText(string(data))
	l := &gradleLog{b: b, name: name, text: text, last: testreport.LastPart(text), end: gradleEnd.FindStringSubmatch(text)}
	for line := range strings.SplitSeq(text, "\n") {
		if m := gradleLine.FindStringSubmatch(strings.TrimRight(line, "\r")); m != nil {
			l.ran = true
			l.test(m[1], m[2]+" "+m[3])
		}
	}
	for _, key := range l.running {
		l.interrupted(key)
	}
	l.finish()
}

// test takes the begin or the end of a test.
func (l *gradleLog) test(event, key string) {
	if event == "Running" && len(l.running) < testreport.MaxProblems {
		l.running = append(l.running, key)
		return
	}
	for i, r := range slices.Backward(l.running) {
		if r == key {
			l.running = slices.Delete(l.running, i, i+1)
			break
		}
	}
}

// interrupted adds a test that did not end.
func (l *gradleLog) interrupted(key string) {
	class, test, _ := strings.Cut(key, " ")
	unit := unitOf(l.name, class)
	id := l.b.ID(unit, test)
	l.b.Add(id, schema.Error, 0, l.last)
	l.b.MarkRunning(id)
	if l.end == nil {
		l.b.Problem(unit, testreport.Cut, "Gradle ended while it ran\n"+l.last)
		return
	}
	l.b.MarkCrashed(id)
	l.b.Problem(unit, testreport.Crashed, "its JVM ended before it did\n"+l.last)
}

// finish adds what befell the project.
func (l *gradleLog) finish() {
	module := path.Join(path.Dir(l.name), "build.gradle")
	broken := false
	for _, m := range gradleFailed.FindAllStringSubmatch(l.text, 20) {
		task := m[1][strings.LastIndexByte(m[1], ':')+1:]
		if strings.HasPrefix(task, "compile") || strings.HasPrefix(task, "process") || !l.ran {
			broken = true
			l.b.Problem(module, testreport.BuildFailed, m[0]+"\n"+l.last)
		}
	}
	switch {
	case broken || l.ran:
	case l.end == nil:
		l.b.Problem(module, testreport.Cut, "Gradle ended before any test ran\n"+l.last)
	case l.end[1] == "FAILED":
		l.b.Problem(module, testreport.BuildFailed, l.last)
	default:
		l.b.Problem(module, testreport.NoTests, "Gradle found no test of those asked for")
	}
}
