package testreport

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

const maxTAPDepth = 32

var (
	tapPoint = regexp.MustCompile(`^(not )?ok(?:[ \t]+([0-9]{1,9}))?(?:[ \t]+(.*))?$`)
	// tapCounted is node-tap's own word on tests that a crash kept from being planned.
	tapCounted = regexp.MustCompile(`^# test count\([0-9]+\) != plan\((?:[0-9]+|null)\)[ \t]*$`)
	tapPlan    = regexp.MustCompile(`^1\.\.([0-9]{1,9})(?:[ \t]*#[ \t]*(.*))?[ \t]*$`)
	// What some producers add to a description and that differs from run to run.
	tapTime = regexp.MustCompile(`(?i)(?:[ \t]+#[ \t]*time=[\d.]+ ?(?:ms|s)?|[ \t]+\([\d.,]+ ?(?:µs|us|ms|s|sec|seconds)\)|[ \t]+in [\d.]+ ?(?:ms|sec|s))[ \t]*$`)
)

// tapResult is one test point; the points of a subtest wait for the line that
// names it, which comes after them.
type tapResult struct {
	name    string
	outcome schema.TestOutcome
	message tailBuffer
	suite   bool // a group of tests, by node's own word
}

// tapLevel is one depth of indentation.
type tapLevel struct {
	indent  int
	planned int // -1 while no plan was seen
	seen    int
	results []*tapResult
	pending []*tapResult // of a subtest whose own line has not come yet
	numbers map[string]*tapResult
	comment string // of "# Subtest: NAME"
	counted bool   // node-tap says itself that plan and count differ
}

// tapParser reads one file, whose name less its extension is the unit.
type tapParser struct {
	b      *builder
	unit   string
	levels []*tapLevel
	yaml   int // indentation of an open YAML block, -1 none
	last   *tapResult
	bailed bool
	none   *string // the reason of a plan of no tests
	stray  tailBuffer
	ava    bool   // ava's points that are no tests are told apart
	within string // what stands before each name
}

func parseTAP(b *builder, name string, data []byte) { newTAP(b, name).parse(string(data)) }

func newTAP(b *builder, name string) *tapParser {
	return &tapParser{b: b, unit: strings.TrimSuffix(name, path.Ext(name)), yaml: -1, levels: []*tapLevel{{planned: -1}}}
}

func (p *tapParser) parse(text string) {
	for len(text) > 0 && !p.bailed {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		p.line(strings.TrimRight(cleanText(line), "\r"))
	}
	for len(p.levels) > 1 {
		p.pop()
	}
	p.finish(p.levels[0])
}

func (p *tapParser) top() *tapLevel { return p.levels[len(p.levels)-1] }

func (p *tapParser) line(line string) {
	body := strings.TrimLeft(line, " \t")
	indent := len(line) - len(body)
	if p.yaml >= 0 {
		p.yamlLine(indent, body)
		return
	}
	switch {
	case body == "":
	case body == "---" && indent > p.top().indent && p.last != nil:
		p.yaml = indent
	case strings.HasPrefix(body, "Bail out!"):
		p.bailed = true
		p.b.problem(p.unit, BailedOut, strings.TrimPrefix(body, "Bail out!"))
	case strings.HasPrefix(body, "# Subtest"):
		p.enter(indent, strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(body, "# Subtest"), ":")))
	case tapPoint.MatchString(body) && p.at(indent):
		p.point(tapPoint.FindStringSubmatch(body))
	case tapPlan.MatchString(body) && p.at(indent):
		p.plan(tapPlan.FindStringSubmatch(body))
	case body[0] == '#':
		if indent == p.top().indent && tapCounted.MatchString(body) {
			p.top().counted = true
		}
		p.note(body)
	case strings.HasPrefix(body, "TAP version "), strings.HasPrefix(body, "pragma "):
	default:
		p.b.report.Counts.Ignored++
		p.note(body)
	}
}

// note keeps a line for the message of the test before it.
func (p *tapParser) note(line string) {
	if p.last != nil {
		p.last.message.add(line + "\n")
		return
	}
	p.stray.add(line + "\n")
}

func (p *tapParser) yamlLine(indent int, body string) {
	if body == "..." && indent <= p.yaml || indent < p.yaml && body != "" {
		p.yaml = -1
		if body != "..." { // the block was never closed
			p.line(strings.Repeat(" ", indent) + body)
		}
		return
	}
	if body == "type: 'suite'" && p.last != nil {
		p.last.suite = true
	}
	p.note(body)
}

// enter opens a subtest. Its comment stands at the parent's indentation (TAP 14)
// or at its own (node, old Perl).
func (p *tapParser) enter(indent int, name string) {
	p.at(indent)
	p.top().comment = name
	p.last = nil
}

// at moves to the level of an indentation. Subtests are indented by four columns;
// a line that is indented otherwise is the program's own text.
func (p *tapParser) at(indent int) bool {
	for indent < p.top().indent {
		p.pop()
	}
	if indent == p.top().indent {
		return true
	}
	if indent != p.top().indent+4 || len(p.levels) >= maxTAPDepth {
		return false
	}
	p.levels = append(p.levels, &tapLevel{indent: indent, planned: -1})
	p.last = nil
	return true
}

// pop closes the innermost level. Its points wait for the parent's line, which
// names them.
func (p *tapParser) pop() {
	level := p.top()
	p.levels = p.levels[:len(p.levels)-1]
	parent := p.top()
	p.checkPlan(level, parent.comment)
	level.settle(level.comment)
	parent.settle(parent.comment)
	parent.pending = level.results
}

// settle names what waited after its subtest.
func (l *tapLevel) settle(name string) {
	for _, r := range l.pending {
		if name != "" {
			r.name = bound(name+"/"+r.name, maxName)
		}
	}
	l.results = append(l.results, l.pending...)
	l.pending = nil
}

func (p *tapParser) point(m []string) {
	level := p.top()
	level.seen++
	description, directive, reason := cutDirective(m[3])
	for tapTime.MatchString(description) {
		description = tapTime.ReplaceAllString(description, "")
	}
	description = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(description), "- "))
	if description == "" || description == "-" {
		// Without a description the number is the only name there is.
		description = "test " + strconv.Itoa(level.seen)
		if m[2] != "" {
			description = "test " + strings.TrimLeft(m[2], "0")
		}
	}
	r := &tapResult{name: bound(description, maxName), outcome: tapOutcome(m[1] == "", directive)}
	if reason != "" {
		r.message.add(directive + " " + reason + "\n")
	}
	p.last = r
	level.settle(r.name)
	level.results = append(level.results, r)
	level.comment = ""
	p.number(level, m[2], r)
}

// number notes a test's number; two tests of one number can't both be true.
func (p *tapParser) number(level *tapLevel, n string, r *tapResult) {
	if n = strings.TrimLeft(n, "0"); n == "" {
		return
	}
	if level.numbers == nil {
		level.numbers = map[string]*tapResult{}
	}
	if first := level.numbers[n]; first != nil {
		first.outcome, r.outcome = schema.Error, schema.Error
		p.b.problem(p.unit, Contradiction, "two tests are number "+n)
		return
	}
	level.numbers[n] = r
}

// tapOutcome: a failing test marked TODO is expected to fail. A failing one that
// calls itself skipped failed.
func tapOutcome(ok bool, directive string) schema.TestOutcome {
	switch {
	case ok && directive == "SKIP", !ok && directive == "TODO":
		return schema.Skip
	case ok:
		return schema.Pass
	}
	return schema.Fail
}

var tapDirective = regexp.MustCompile(`(?i)(?:^|[ \t])#[ \t]*(skip|todo)(?:ped)?\b[:\-]?[ \t]*(.*)$`)

// cutDirective splits "name # SKIP reason"; \# is no directive.
func cutDirective(s string) (description, directive, reason string) {
	m := tapDirective.FindStringSubmatchIndex(s)
	if m == nil {
		return unescapeTAP(s), "", ""
	}
	return unescapeTAP(s[:m[0]]), strings.ToUpper(s[m[2]:m[3]]), s[m[4]:m[5]]
}

func unescapeTAP(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\#`, `#`).Replace(s)
}

func (p *tapParser) plan(m []string) {
	level := p.top()
	n, _ := strconv.Atoi(m[1])
	if level.planned >= 0 {
		p.b.problem(p.unit, PlanMismatch, "two plans")
	}
	level.planned = n
	if n == 0 && len(p.levels) == 1 {
		p.none = &m[2]
	}
}

func (p *tapParser) checkPlan(level *tapLevel, name string) {
	where := ""
	if name != "" {
		where = " in " + name
	}
	switch {
	case level.planned < 0 && p.bailed:
	case level.planned < 0:
		p.b.problem(p.unit, Cut, fmt.Sprintf("no plan%s after %d tests\n%s", where, level.seen, p.stray.String()))
	case level.seen != level.planned && level.counted:
		p.b.problem(p.unit, PlanMismatch, fmt.Sprintf("the runner says that the plan%s is 1..%d, and %d tests were reported", where, level.planned, level.seen))
	case level.seen > level.planned:
		p.b.problem(p.unit, Contradiction, fmt.Sprintf("the plan%s is 1..%d, %d tests were reported", where, level.planned, level.seen))
	case level.planned > level.seen && !p.bailed:
		p.b.problem(p.unit, PlanMismatch, fmt.Sprintf("the plan%s is 1..%d, %d tests were reported", where, level.planned, level.seen))
	}
}

func (p *tapParser) finish(level *tapLevel) {
	level.settle(level.comment)
	if p.ava {
		p.outside(level)
	}
	p.checkPlan(level, "")
	if p.none != nil {
		p.b.problem(p.unit, NoTests, *p.none)
	}
	for i, r := range level.results {
		if r.suite && sumsUp(level.results[:i], r) {
			continue
		}
		p.b.add(p.b.id(p.unit, p.within+r.name), r.outcome, 0, r.message.String())
	}
}

// sumsUp says that a suite says no more than the tests of it before it: one that
// failed without a failed test failed by itself.
func sumsUp(before []*tapResult, suite *tapResult) bool {
	tests, bad := 0, 0
	for i := len(before) - 1; i >= 0 && strings.HasPrefix(before[i].name, suite.name+"/"); i-- {
		tests++
		if before[i].outcome == schema.Fail || before[i].outcome == schema.Error {
			bad++
		}
	}
	return tests > 0 && (suite.outcome == schema.Pass || suite.outcome == schema.Fail && bad > 0)
}
