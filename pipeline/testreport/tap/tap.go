// Package tap reads the Test Anything Protocol, versions 12 to 14, for the format
// tap and for the formats whose runners write it inside of something else.
package tap

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// Format is the Test Anything Protocol.
func Format() testreport.Format {
	return testreport.Format{
		Name: "tap", Version: "4",
		Unit: testreport.ProgramUnit, Proof: "a plan, with as many tests as it announces",
		Doc:        "Test Anything Protocol 12 to 14, a file per program",
		Read:       readFile,
		Consistent: testreport.ConsistentLenient,
		Framing:    framing,
	}
}

// Framing is what writers of TAP put around what a test said.
func Framing() []testreport.Frame { return slices.Clone(framing) }

var framing = []testreport.Frame{
	testreport.NewFrame("duration_ms", `^(?:duration_ms: |# duration_ms )[\d.]+(?:\n|$)`, ""),
	testreport.NewFrame("# time=", `^# time=[\d.]+m?s(?:\n|$)`, ""),
}

// nodeSummary is a line of node's own runner alone.
var nodeSummary = regexp.MustCompile(`(?m)^# cancelled \d+$`)

// IsNode reports whether node's own runner wrote a text. It plans what it has heard of: a
// file whose process ended early has a plan of the tests until then.
func IsNode(data []byte) bool { return nodeSummary.Match(data) }

func readFile(b *testreport.Builder, name string, data []byte) {
	if IsNode(data) {
		b.NoUnits()
	}
	Read(b, string(data), Source{Unit: strings.TrimSuffix(name, path.Ext(name))})
}

// Source is what a format knows about a text apart from the text.
type Source struct {
	Unit   string
	Within string // what stands before each name
	Ava    bool   // ava's points that are no tests are told apart
}

// Read reads one text.
func Read(b *testreport.Builder, text string, from Source) {
	p := &parser{b: b, Source: from, yaml: -1, levels: []*nesting{{planned: -1}}}
	p.parse(text)
}

const maxDepth = 32

var (
	pointLine = regexp.MustCompile(`^(not )?ok(?:[ \t]+([0-9]{1,9}))?(?:[ \t]+(.*))?$`)
	// countLine is node-tap's own word on tests that a crash kept from being planned.
	countLine = regexp.MustCompile(`^# test count\([0-9]+\) != plan\((?:[0-9]+|null)\)[ \t]*$`)
	// remainingLine is ava's on tests behind a failure.
	remainingLine = regexp.MustCompile(`^# \d+ tests? remaining`)
	planLine      = regexp.MustCompile(`^1\.\.([0-9]{1,9})(?:[ \t]*#[ \t]*(.*))?[ \t]*$`)
	// timeNote is what some producers add to a description and that differs from run to run.
	timeNote = regexp.MustCompile(`(?i)(?:[ \t]+#[ \t]*time=[\d.]+ ?(?:ms|s)?|` +
		`[ \t]+\([\d.,]+ ?(?:µs|us|ms|s|sec|seconds)\)|[ \t]+in [\d.]+ ?(?:ms|sec|s))[ \t]*$`)
)

// result is one test point; the points of a subtest wait for the line that
// names it, which comes after them.
type result struct {
	name    string
	outcome schema.TestOutcome
	message testreport.Tail
	suite   bool // a group of tests, by node's own word
}

// nesting is one depth of indentation.
type nesting struct {
	indent  int
	planned int // -1 while no plan was seen
	seen    int
	results []*result
	pending []*result // of a subtest whose own line has not come yet
	numbers map[string]*result
	comment string // of "# Subtest: NAME"
	counted bool   // node-tap says itself that plan and count differ
}

// parser reads one text.
type parser struct {
	Source
	b      *testreport.Builder
	levels []*nesting
	yaml   int // indentation of an open YAML block, -1 none
	last   *result
	bailed bool
	none   *string // the reason of a plan of no tests
	stray  testreport.Tail
	// remaining: ava says that it stopped before some tests
	remaining bool
}

func (p *parser) parse(text string) {
	for len(text) > 0 && !p.bailed {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		p.line(strings.TrimRight(testreport.CleanText(line), "\r"))
	}
	for len(p.levels) > 1 {
		p.pop()
	}
	p.finish(p.levels[0])
}

func (p *parser) top() *nesting { return p.levels[len(p.levels)-1] }

func (p *parser) line(line string) {
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
		p.problem(testreport.BailedOut, strings.TrimPrefix(body, "Bail out!"))
	case strings.HasPrefix(body, "# Subtest"):
		p.enter(indent, strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(body, "# Subtest"), ":")))
	case pointLine.MatchString(body) && p.at(indent):
		p.point(pointLine.FindStringSubmatch(body))
	case planLine.MatchString(body) && p.at(indent):
		p.plan(planLine.FindStringSubmatch(body))
	case body[0] == '#':
		p.remaining = p.remaining || remainingLine.MatchString(body)
		if indent == p.top().indent && countLine.MatchString(body) {
			p.top().counted = true
		}
		p.note(body)
	case strings.HasPrefix(body, "TAP version "), strings.HasPrefix(body, "pragma "):
	default:
		p.b.IgnoreLine()
		p.note(body)
	}
}

// note keeps a line for the message of the test before it.
func (p *parser) note(line string) {
	if p.last != nil {
		p.last.message.Add(line + "\n")
		return
	}
	p.stray.Add(line + "\n")
}

func (p *parser) yamlLine(indent int, body string) {
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
func (p *parser) enter(indent int, name string) {
	p.at(indent)
	p.top().comment = name
	p.last = nil
}

// at moves to the level of an indentation. Subtests are indented by four columns;
// a line that is indented otherwise is the program's own text.
func (p *parser) at(indent int) bool {
	for indent < p.top().indent {
		p.pop()
	}
	if indent == p.top().indent {
		return true
	}
	if indent != p.top().indent+4 || len(p.levels) >= maxDepth {
		return false
	}
	p.levels = append(p.levels, &nesting{indent: indent, planned: -1})
	p.last = nil
	return true
}

// pop closes the innermost level. Its points wait for the parent's line, which
// names them.
func (p *parser) pop() {
	level := p.top()
	p.levels = p.levels[:len(p.levels)-1]
	parent := p.top()
	p.checkPlan(level, parent.comment)
	level.settle(level.comment)
	parent.settle(parent.comment)
	parent.pending = level.results
}

// settle names what waited after its subtest.
func (l *nesting) settle(name string) {
	for _, r := range l.pending {
		if name != "" {
			r.name = testreport.Truncate(name+"/"+r.name, testreport.MaxName)
		}
	}
	l.results = append(l.results, l.pending...)
	l.pending = nil
}

func (p *parser) point(m []string) {
	level := p.top()
	level.seen++
	description, directive, reason := CutDirective(m[3])
	for timeNote.MatchString(description) {
		description = timeNote.ReplaceAllString(description, "")
	}
	description = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(description), "- "))
	if description == "" || description == "-" {
		// Without a description the number is the only name there is.
		description = "test " + strconv.Itoa(level.seen)
		if m[2] != "" {
			description = "test " + strings.TrimLeft(m[2], "0")
		}
	}
	r := &result{name: testreport.Truncate(description, testreport.MaxName), outcome: outcomeOf(m[1] == "", directive)}
	if reason != "" {
		r.message.Add(directive + " " + reason + "\n")
	}
	p.last = r
	level.settle(r.name)
	level.results = append(level.results, r)
	level.comment = ""
	p.number(level, m[2], r)
}

// number notes a test's number; two tests of one number can't both be true.
func (p *parser) number(level *nesting, n string, r *result) {
	if n = strings.TrimLeft(n, "0"); n == "" {
		return
	}
	if level.numbers == nil {
		level.numbers = map[string]*result{}
	}
	if first := level.numbers[n]; first != nil {
		first.outcome, r.outcome = schema.Error, schema.Error
		p.problem(testreport.Contradiction, "two tests are number "+n)
		return
	}
	level.numbers[n] = r
}

// outcomeOf: a failing test marked TODO is expected to fail. A failing one that
// calls itself skipped failed.
func outcomeOf(ok bool, directive string) schema.TestOutcome {
	switch {
	case ok && directive == "SKIP", !ok && directive == "TODO":
		return schema.Skip
	case ok:
		return schema.Pass
	}
	return schema.Fail
}

var directiveNote = regexp.MustCompile(`(?i)(?:^|[ \t])#[ \t]*(skip|todo)(?:ped)?\b[:\-]?[ \t]*(.*)$`)

// CutDirective splits "name # SKIP reason"; \# is no directive.
func CutDirective(s string) (description, directive, reason string) {
	m := directiveNote.FindStringSubmatchIndex(s)
	if m == nil {
		return unescape(s), "", ""
	}
	return unescape(s[:m[0]]), strings.ToUpper(s[m[2]:m[3]]), s[m[4]:m[5]]
}

func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\#`, `#`).Replace(s)
}

func (p *parser) plan(m []string) {
	level := p.top()
	n, _ := strconv.Atoi(m[1])
	if level.planned >= 0 {
		p.problem(testreport.PlanMismatch, "two plans")
	}
	level.planned = n
	if n == 0 && len(p.levels) == 1 {
		p.none = &m[2]
	}
}

func (p *parser) checkPlan(level *nesting, name string) {
	where := ""
	if name != "" {
		where = " in " + name
	}
	counts := fmt.Sprintf("the plan%s is 1..%d, %d tests were reported", where, level.planned, level.seen)
	switch {
	case level.planned < 0 && p.bailed:
	case level.planned < 0:
		p.problem(testreport.Cut, fmt.Sprintf("no plan%s after %d tests\n%s", where, level.seen, p.stray.String()))
	case level.seen != level.planned && level.counted:
		p.problem(testreport.PlanMismatch, fmt.Sprintf("the runner says that the plan%s is 1..%d, and %d tests were reported",
			where, level.planned, level.seen))
	case level.seen > level.planned:
		p.problem(testreport.Contradiction, counts)
	case level.planned > level.seen && !p.bailed:
		p.problem(testreport.PlanMismatch, counts)
	}
}

func (p *parser) problem(kind testreport.Kind, message string) { p.b.Problem(p.Unit, kind, message) }

func (p *parser) finish(level *nesting) {
	level.settle(level.comment)
	if p.Ava {
		p.outside(level)
	}
	p.checkPlan(level, "")
	if p.none != nil {
		p.problem(testreport.NoTests, *p.none)
	}
	for i, r := range level.results {
		if r.suite && sumsUp(level.results[:i], r) {
			continue
		}
		p.b.Add(p.b.ID(p.Unit, p.Within+r.name), r.outcome, 0, r.message.String())
	}
}

// sumsUp says that a suite says no more than the tests of it before it: one that
// failed without a failed test failed by itself.
func sumsUp(before []*result, suite *result) bool {
	tests, bad := 0, 0
	for i := len(before) - 1; i >= 0 && strings.HasPrefix(before[i].name, suite.name+"/"); i-- {
		tests++
		if testreport.IsBad(before[i].outcome) {
			bad++
		}
	}
	return tests > 0 && (suite.outcome == schema.Pass || suite.outcome == schema.Fail && bad > 0)
}
