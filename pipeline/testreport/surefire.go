package testreport

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parseSurefire reads what one Maven run of a module leaves: surefire's XML files,
// one a class, and Maven's own log (.log) beside them. A file's folder is the
// module's, and part of the unit: two modules may have a class of the same name.
func parseSurefire(b *builder, name string, data []byte) {
	if path.Ext(name) == LogExt {
		parseMavenLog(b, name, data)
		return
	}
	if surefireSuite.Match(data) && !strings.Contains(string(data), "<testcase") {
		return // the class that only holds nested ones
	}
	parseJUnit(b, name, data)
}

var surefireSuite = regexp.MustCompile(`<testsuite\s[^>]*\btests="0"`)

// surefireKey: the unit is the module and the class. What befalls a whole class
// (before-all, after-all, a constructor) carries no name or the class's own.
func surefireKey(c *junitCase) (unit, name string, ours bool) {
	if c.format != Surefire && c.format != Gradle {
		return "", "", false
	}
	name = c.name
	if name == "" || name == c.class {
		name = "(class)"
	}
	return surefireUnit(c.report, c.class), name, true
}

func surefireUnit(file, class string) string { return path.Join(path.Dir(file), class) }

var (
	mavenClass  = regexp.MustCompile(`^(?:\[\w+\] )?(?:Running (\S+)|Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+),(?: Flakes: \d+,)? Time elapsed: [^<]*?(?:<<< \w+!)?(?: ?--? in (\S+))?)$`)
	mavenFailed = regexp.MustCompile(`^\[ERROR\] Failed to execute goal (\S+?:([a-z-]+-plugin|[\w.-]+):\S+:\S+)(?: \(\S+\))? on project (\S+): (.*)$`)
	mavenEnd    = regexp.MustCompile(`(?m)^\[INFO\] BUILD (SUCCESS|FAILURE)$`)
	suiteCounts = regexp.MustCompile(`\b(tests|failures|errors|skipped)="(\d+)"`)
	suiteHead   = regexp.MustCompile(`<testsuite\s[^>]*>`)
)

// suiteCount is the place of each count.
var suiteCount = map[string]int{"tests": 0, "failures": 1, "errors": 2, "skipped": 3}

const mavenCrash = "[ERROR] Crashed tests:"

// mavenLog is what Maven said of one module's tests.
type mavenLog struct {
	b       *builder
	name    string
	running []string
	ended   map[string]bool
	crashed map[string]bool
	said    map[string][4]int // tests, failures, errors, skipped by top-level class
	problem bool
	goal    string // the step that failed, where it is none of the tests
}

// parseMavenLog finds what no XML file tells: classes that brought their JVM down,
// what did not compile, and classes of which the console and the files say
// different things.
func parseMavenLog(b *builder, name string, data []byte) {
	b.report.Counts.Files--
	text := cleanText(string(data))
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
	for file, data := range l.b.files {
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

// compare holds the console against the files.
func (l *mavenLog) compare() {
	reported := l.reported()
	for _, class := range slices.Sorted(maps.Keys(l.said)) {
		said := l.said[class]
		switch sum, there := reported[class]; {
		case !there && said[0] > 0:
			l.b.problem(surefireUnit(l.name, class), Cut, "Maven says that its tests ended, and there is no report")
			l.problem = true
		case there && sum != said:
			l.b.problem(surefireUnit(l.name, class), Contradiction, fmt.Sprintf("Maven says tests, failures, errors, skipped %v, the reports %v", said, sum))
		}
	}
	for class := range reported {
		if _, ran := l.said[class]; !ran {
			l.b.problem(surefireUnit(l.name, class), Contradiction, "there is a report, and Maven says nothing of its end")
		}
	}
}

// module is the unit of what befalls a whole module.
func (l *mavenLog) module() string { return path.Join(path.Dir(l.name), "pom.xml") }

func (l *mavenLog) failed(kind Kind, message string) {
	l.problem = true
	l.b.problem(l.module(), kind, message)
}

func (l *mavenLog) end(text string) {
	over := mavenEnd.FindStringSubmatch(text)
	words, last := crashWords(text), tail(text) // once: a log may name many classes
	for _, class := range l.running {
		if l.ended[class] {
			continue
		}
		l.ended[class], l.problem = true, true
		switch unit := surefireUnit(l.name, class); {
		case l.crashed[class] || over != nil:
			l.b.problem(unit, Crashed, "its JVM ended before its tests did\n"+words)
		default:
			l.b.problem(unit, Cut, "Maven ended while it ran\n"+last)
		}
	}
	l.compare()
	switch {
	case l.goal != "":
		l.failed(BuildFailed, l.goal+"\n"+errorLines(text))
	case l.problem, len(l.running) > 0:
	case over != nil && over[1] == "SUCCESS":
		l.b.problem(l.module(), NoTests, "Maven found no test of those asked for")
	case strings.Contains(text, "[ERROR]"):
		l.failed(BuildFailed, errorLines(text))
	default:
		l.failed(Cut, "Maven ended before any test ran\n"+last)
	}
}

// crashWords are the lines of a log about a JVM that died.
func crashWords(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "The forked VM terminated") || strings.Contains(line, "Process Exit Code") || strings.Contains(line, "There was a timeout") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// errorLines are the first lines that Maven marks as errors.
func errorLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "[ERROR] "); ok && strings.TrimSpace(rest) != "" && !strings.HasPrefix(rest, "\tat ") {
			if lines = append(lines, rest); len(lines) == 12 {
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}
