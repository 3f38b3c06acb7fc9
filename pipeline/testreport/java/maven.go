package java

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
)

var (
	mavenClass = regexp.MustCompile(`^(?:\[\w+\] )?(?:Running (\S+)|` +
		`Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+),(?: Flakes: \d+,)? ` +
		`Time elapsed: [^<]*?(?:<<< \w+!)?(?: ?--? in (\S+))?)$`)
	mavenFailed = regexp.MustCompile(`^\[ERROR\] Failed to execute goal (\S+?:([a-z-]+-plugin|[\w.-]+):\S+:\S+)` +
		`(?: \(\S+\))? on project (\S+): (.*)$`)
	mavenEnd = regexp.MustCompile(`(?m)^\[INFO\] BUILD (SUCCESS|FAILURE)$`)
	// mavenTotal is what surefire counts at its end, whatever its reporters.
	mavenTotal = regexp.MustCompile(`(?m)^\[[A-Z]+\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: ` +
		`(\d+)\r?$`)
	suiteCounts = regexp.MustCompile(`\b(tests|failures|errors|skipped)="(\d+)"`)
	suiteHead   = regexp.MustCompile(`<testsuite\s[^>]*>`)
)

// suiteCount is the place of each count.
var suiteCount = map[string]int{"tests": 0, "failures": 1, "errors": 2, "skipped": 3}

const mavenCrash = "[ERROR] Crashed tests:"

// mavenLog is what Maven said of one module's tests.
type mavenLog struct {
	b       *testreport.Builder
	name    string
	running []string
	ended   map[string]bool
	crashed map[string]bool
	said    map[string][4]int // tests, failures, errors, skipped by top-level class
	problem bool
	goal    string // the step that failed, where it is none of the tests
}

// readMavenLog finds what no XML file tells: classes that brought their JVM down,
// what did not compile, and classes of which the console and the files say
// different things.
func readMavenLog(b *testreport.Builder, name string, data []byte) {
	text := testreport.CleanText(string(data))
	l := &mavenLog{b: b, name: name, ended: map[string]bool{}, crashed: map[string]bool{}, said: map[string][4]int{}}
	inCrash := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r ")
		switch {
		case line == mavenCrash:
			inCrash = true
			continue
		case inCrash && javaClass.MatchString(strings.TrimPrefix(line, "[ERROR] ")):
			l.crashed[strings.TrimPrefix(line, "[ERROR] ")] = true
			continue
		}
		inCrash = false
		l.line(line)
	}
	l.end(text)
}

var javaClass = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*(?:\.[\pL_$][\pL\pN_$]*)*$`)

func (l *mavenLog) line(line string) {
	if m := mavenClass.FindStringSubmatch(line); m != nil {
		if m[1] != "" {
			l.running = append(l.running, m[1])
			return
		}
		class := m[6]
		if class == "" && len(l.running) > 0 { // an old surefire: of the class that runs
			class = l.running[len(l.running)-1]
		}
		l.ended[class] = true
		l.add(class, [4]string{m[2], m[3], m[4], m[5]})
		return
	}
	if m := mavenFailed.FindStringSubmatch(line); m != nil && m[2] != "maven-surefire-plugin" {
		l.goal = m[1] + " on " + m[3] + ": " + m[4]
	}
}

// outerOf is the top-level class: surefire books the tests of nested classes under
// one of them, in the console often another than in the files.
func outerOf(class string) string {
	outer, _, _ := strings.Cut(class, "$")
	return outer
}

// add counts what a line says of a class.
func (l *mavenLog) add(class string, counts [4]string) {
	sum := l.said[outerOf(class)]
	for i, text := range counts {
		n, _ := strconv.Atoi(text)
		sum[i] += n
	}
	l.said[outerOf(class)] = sum
}

// reported counts what the files say, class by class.
func (l *mavenLog) reported() map[string][4]int {
	sums := map[string][4]int{}
	for file, data := range l.b.Files {
		class, ok := strings.CutPrefix(strings.TrimSuffix(path.Base(file), ".xml"), "TEST-")
		if !ok || path.Ext(file) != ".xml" || path.Dir(file) != path.Dir(l.name) {
			continue
		}
		sum := sums[outerOf(class)]
		for _, m := range suiteCounts.FindAllSubmatch(suiteHead.Find(data), 8) {
			n, _ := strconv.Atoi(string(m[2]))
			sum[suiteCount[string(m[1])]] += n
		}
		sums[outerOf(class)] = sum
	}
	return sums
}

// compareTotal holds the count of all tests against the files, where a reporter of the
// repository's tells no class of its own: a tree, phrases, or nothing.
func (l *mavenLog) compareTotal(text string, reported map[string][4]int) (ok bool) {
	totals := mavenTotal.FindAllStringSubmatch(text, -1)
	if len(l.said) > 0 || len(l.running) > 0 || len(reported) == 0 || len(totals) == 0 {
		return false
	}
	var sum, said [4]int
	for _, counts := range reported {
		for i, n := range counts {
			sum[i] += n
		}
	}
	for i, digits := range totals[len(totals)-1][1:] {
		said[i], _ = strconv.Atoi(digits)
	}
	if l.problem = true; sum != said {
		l.b.Problem(l.module(), testreport.Contradiction,
			fmt.Sprintf("Maven says tests, failures, errors, skipped %v, the reports %v", said, sum))
	}
	return true
}

// compare holds the console against the files.
func (l *mavenLog) compare(text string) {
	reported := l.reported()
	if l.compareTotal(text, reported) {
		return
	}
	for _, class := range slices.Sorted(maps.Keys(l.said)) {
		said := l.said[class]
		switch sum, there := reported[class]; {
		case !there && said[0] > 0:
			l.b.Problem(unitOf(l.name, class), testreport.Cut, "Maven says that its tests ended, and there is no report")
			l.problem = true
		case there && sum != said:
			l.b.Problem(unitOf(l.name, class), testreport.Contradiction,
				fmt.Sprintf("Maven says tests, failures, errors, skipped %v, the reports %v", said, sum))
		}
	}
	for class := range reported {
		if _, ran := l.said[class]; !ran {
			l.b.Problem(unitOf(l.name, class), testreport.Contradiction, "there is a report, and Maven says nothing of its end")
		}
	}
}

// module is the unit of what befalls a whole module.
func (l *mavenLog) module() string { return path.Join(path.Dir(l.name), "pom.xml") }

func (l *mavenLog) failed(kind testreport.Kind, message string) {
	l.problem = true
	l.b.Problem(l.module(), kind, message)
}

func (l *mavenLog) end(text string) {
	over := mavenEnd.FindStringSubmatch(text)
	words, last := crashWords(text), testreport.LastPart(text) // once: a log may name many classes
	for _, class := range l.running {
		if l.ended[class] {
			continue
		}
		l.ended[class], l.problem = true, true
		switch unit := unitOf(l.name, class); {
		case l.crashed[class] || over != nil:
			l.b.Problem(unit, testreport.Crashed, "its JVM ended before its tests did\n"+words)
		default:
			l.b.Problem(unit, testreport.Cut, "Maven ended while it ran\n"+last)
		}
	}
	l.compare(text)
	for _, class := range slices.Sorted(maps.Keys(l.crashed)) {
		if !l.ended[class] && !slices.Contains(l.running, class) {
			l.b.Problem(unitOf(l.name, class), testreport.Crashed, "its JVM ended before its tests did\n"+words)
		}
	}
	switch {
	case l.goal != "":
		l.failed(testreport.BuildFailed, l.goal+"\n"+errorLines(text))
	case l.problem, len(l.running) > 0:
	case over != nil && over[1] == "SUCCESS":
		l.b.Problem(l.module(), testreport.NoTests, "Maven found no test of those asked for")
	case strings.Contains(text, "[ERROR]"):
		l.failed(testreport.BuildFailed, errorLines(text))
	default:
		l.failed(testreport.Cut, "Maven ended before any test ran\n"+last)
	}
}

// crashWords are the lines of a log about a JVM that died.
func crashWords(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		for _, word := range []string{"The forked VM terminated", "Process Exit Code", "There was a timeout"} {
			if strings.Contains(line, word) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// errorLines are the first lines that Maven marks as errors.
func errorLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		rest, ok := strings.CutPrefix(line, "[ERROR] ")
		if !ok || strings.TrimSpace(rest) == "" || strings.HasPrefix(rest, "\tat ") {
			continue
		}
		if lines = append(lines, rest); len(lines) == 12 {
			break
		}
	}
	return strings.Join(lines, "\n")
}
