package testreport

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wideswe/wideswe/schema"
)

// junitSuite is an open testsuite.
type junitSuite struct {
	name, file string
	announced  int // its tests attribute, -1 where there is none
	cases      int // testcases directly inside
	nested     bool
	attr       map[string]string
	parent     *junitSuite // nil at the top
}

// junitCase is an open testcase.
type junitCase struct {
	suite             *junitSuite
	class, name, file string
	attr              map[string]string
	format, report    string // the report's format, and the file it stands in
	unit, kindOf      string // the program and its framework, where the format says them beside the XML
	root, before      string // the document's name, and the file of the root suite before it
	seconds           float64
	outcome           schema.TestOutcome
	message           tailBuffer
	printed           tailBuffer // by bats
	said              string     // the outcome's own message attribute
	kind              string     // the outcome's type attribute
	depth             int
}

// junitParser walks one file. A testcase's children decide its outcome: none is a
// pass, one that no dialect defines is an error.
type junitParser struct {
	b      *builder
	file   string
	suites []*junitSuite
	open   *junitCase
	text   *tailBuffer // where character data goes; nil drops it
	depth  int
	cases  int
	pytest map[string]*junitCase // node ids seen, where the report is pytest's
	order  []string
	// What the writers of Node say of the whole document: its attributes, the file of
	// the root suite, tests that are skipped and not listed, units told of.
	root    map[string]string
	before  string
	skipped int
	told    map[string]bool
}

func parseJUnit(b *builder, name string, data []byte) {
	if path.Ext(name) == LogExt {
		b.report.Counts.Files--
		pytestCrash(b, name, data)
		return
	}
	p := &junitParser{b: b, file: name, pytest: map[string]*junitCase{}}
	d := xml.NewDecoder(bytes.NewReader(legalXML(data)))
	d.CharsetReader = charset
	err := walkXML(d, p, "testsuites", "testsuite")
	p.against(b.files[logOf(name)])
	for _, id := range p.order {
		p.flush(p.pytest[id])
	}
	switch {
	case len(bytes.TrimSpace(data)) == 0 && b.files[logOf(name)] != nil: // the log tells
	case len(bytes.TrimSpace(data)) == 0:
		b.problem(name, Cut, "the file is empty")
	case err != nil && p.cases == 0:
		b.problem(name, Unreadable, err.Error())
	case err != nil:
		b.problem(name, Cut, err.Error())
	case p.cases == 0:
		b.problem(name, NoTests, "the report has no testcase")
	}
}

func (p *junitParser) start(element string, attr map[string]string) {
	p.depth++
	if p.open != nil {
		p.child(element, attr)
		return
	}
	switch element {
	case "testsuites":
		p.root = attr
		p.skipped, _ = strconv.Atoi(attr["skipped"])
	case "testsuite":
		if attr["name"] == rootSuite {
			p.before = attr["file"]
		}
		s := &junitSuite{name: attr["name"], file: attr["file"], announced: -1, attr: attr}
		if n, err := strconv.Atoi(attr["tests"]); err == nil && n >= 0 {
			s.announced = n
		}
		if len(p.suites) > 0 {
			s.parent = p.suites[len(p.suites)-1]
			s.parent.nested = true
		}
		p.suites = append(p.suites, s)
	case "testcase":
		c := &junitCase{class: attr["classname"], name: attr["name"], file: attr["file"], attr: attr, depth: p.depth, outcome: schema.Pass, format: p.b.format, report: p.file, unit: p.b.unit, kindOf: p.b.kind, root: p.root["name"], before: p.before}
		if len(p.suites) > 0 {
			c.suite = p.suites[len(p.suites)-1]
			c.suite.cases++
		}
		c.seconds, _ = strconv.ParseFloat(strings.ReplaceAll(attr["time"], ",", ""), 64)
		c.status(attr)
		p.open = c
	}
}

// status reads the attributes with which some dialects give the outcome.
func (c *junitCase) status(attr map[string]string) {
	for _, key := range []string{"status", "result"} {
		switch word := strings.ToLower(attr[key]); word {
		case "", "run", "completed", "passed", "pass", "success", "successful", "ok":
		case "notrun", "skipped", "skip", "suppressed", "disabled", "ignored", "pending":
			c.set(schema.Skip, word, "")
		case "failed", "fail", "failure":
			c.set(schema.Fail, word, "")
		default:
			c.set(schema.Error, "unknown "+key+" "+word, "")
		}
	}
}

// set keeps the worst outcome of a testcase.
func (c *junitCase) set(outcome schema.TestOutcome, said, kind string) {
	if rank(outcome) > rank(c.outcome) {
		c.outcome, c.said, c.kind = outcome, said, kind
		c.message = tailBuffer{}
	}
}

// rank orders outcomes from good to bad.
func rank(o schema.TestOutcome) int {
	return map[schema.TestOutcome]int{schema.Pass: 1, schema.Skip: 2, schema.Fail: 3, schema.Error: 4}[o]
}

func (p *junitParser) child(element string, attr map[string]string) {
	p.text = nil
	if p.depth > p.open.depth+1 { // inside a child: a property, a stack trace
		return
	}
	var outcome schema.TestOutcome
	switch element {
	case "failure", "flakyFailure", "rerunFailure":
		// A flaky test failed first: what the runner's own repeats made of it is not believed.
		outcome = schema.Fail
	case "error", "flakyError", "rerunError":
		outcome = schema.Error
	case "skipped", "disabled", "ignored":
		outcome = schema.Skip
	case "warning": // PHPUnit's, of a test that passed
		if !isPHPUnit(p.open) {
			p.open.set(schema.Error, "unknown element warning", "")
			return
		}
		p.open.message, p.text = tailBuffer{}, &p.open.message
		return
	case "system-out":
		if strings.HasSuffix(p.open.class, ".bats") {
			p.text = &p.open.printed
		}
		return
	case "system-err", "properties", "property", "attachments", "attachment":
		return
	default:
		p.open.set(schema.Error, fmt.Sprintf("unknown element %.100q", element), "")
		return
	}
	if outcome == schema.Skip && p.open.outcome == schema.Skip && attr["message"] != "" {
		p.open.said = attr["message"] // the status said so without a reason
	}
	if rank(outcome) > rank(p.open.outcome) {
		p.open.set(outcome, attr["message"], attr["type"])
		p.text = &p.open.message
	}
}

func (p *junitParser) chars(text string) {
	if p.text != nil {
		p.text.add(text)
	}
}

func (p *junitParser) end(element string) {
	defer func() { p.depth-- }()
	switch {
	case p.open != nil && p.depth == p.open.depth:
		p.close(p.open)
		p.open, p.text = nil, nil
	case p.open != nil:
		p.text = nil
	case element == "testsuite" && len(p.suites) > 0:
		s := p.suites[len(p.suites)-1]
		p.suites = p.suites[:len(p.suites)-1]
		// Announcing fewer than listed is common (a test that failed twice); more is a loss.
		if s.announced > s.cases && !s.nested && !countsAssertions(p.b.kind, s) && !p.pending(s) && s.name != "pytest" {
			p.b.problem(p.file, PlanMismatch, fmt.Sprintf("the suite %q announces %d tests and lists %d", bound(s.name, 200), s.announced, s.cases))
		}
	}
}

func (p *junitParser) close(c *junitCase) {
	p.cases++
	if isPytest(c) {
		p.closePytest(c)
		return
	}
	if p.phpunitNoTest(c) || p.nodeNoTest(c) {
		return
	}
	p.batsEnd(c)
	if phpunitMild(c) {
		c.outcome = schema.Pass
	}
	p.flush(c)
}

func (p *junitParser) flush(c *junitCase) {
	unit, name := c.key()
	p.b.add(p.b.id(unit, name), c.outcome, c.seconds, c.text())
}

func (c *junitCase) text() string {
	return strings.TrimSpace(c.kind + " " + c.said + "\n" + c.message.String())
}

// junitDialects are the writers whose testcases carry unit and name elsewhere than
// the common rule of [junitCase.key] looks. The first that knows a testcase names it.
var junitDialects = []func(c *junitCase) (unit, name string, ours bool){
	pytestKey,
	surefireKey,
	phpunitKey,
	cppKey,
	nodeKey,
}

// key gives the unit and the name of a testcase.
func (c *junitCase) key() (unit, name string) {
	for _, dialect := range junitDialects {
		if unit, name, ours := dialect(c); ours {
			return unit, name
		}
	}
	name = c.name
	unit = c.class
	if c.file != "" && !path.IsAbs(c.file) {
		unit = strings.TrimPrefix(c.file, "./")
		if c.class != "" && c.class != c.file {
			name = c.class + " " + name
		}
	}
	if unit == "" && c.suite != nil {
		unit = c.suite.name
		if c.suite.file != "" && !path.IsAbs(c.suite.file) {
			unit = c.suite.file
		}
	}
	return unit, name
}

func attributes(t xml.StartElement) map[string]string {
	m := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		if a.Name.Space == "" {
			m[a.Name.Local] = a.Value
		}
	}
	return m
}

var charRef = regexp.MustCompile(`&#(?:[xX][0-9a-fA-F]{1,8}|[0-9]{1,10});`)

// xmlColour is a colour, and no other sequence: nothing that is taken out of a
// document may reach over its elements.
var xmlColour = regexp.MustCompile("\x1b\\[[0-9;:]{0,40}m")

// legalXML replaces what XML forbids and runners write all the same, so that one
// control character in a message does not lose the report.
func legalXML(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.Contains(data, []byte("&#")) {
		data = charRef.ReplaceAllFunc(data, func(ref []byte) []byte {
			digits, base := string(ref[2:len(ref)-1]), 10
			if digits[0] == 'x' || digits[0] == 'X' {
				digits, base = digits[1:], 16
			}
			n, err := strconv.ParseInt(digits, base, 64)
			if err == nil && n <= utf8.MaxRune && legalRune(rune(n)) {
				return ref
			}
			if err == nil && n == 0x1b {
				return []byte{0x1b} // of a colour, or else replaced below
			}
			return []byte("\uFFFD")
		})
	}
	if bytes.IndexByte(data, 0x1b) >= 0 {
		data = xmlColour.ReplaceAll(data, nil)
	}
	if !latin1(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
		data = bytes.Map(func(r rune) rune {
			if legalRune(r) {
				return r
			}
			return utf8.RuneError
		}, data)
	}
	return data
}

func legalRune(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= utf8.MaxRune
}

var latin1Head = regexp.MustCompile(`(?i)^\s*<\?xml[^>]*encoding=["'](iso-8859-1|latin-?1|windows-1252)["']`)

func latin1(data []byte) bool { return latin1Head.Match(data[:min(len(data), 200)]) }

// charset reads the encodings seen beside UTF-8.
func charset(label string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "utf8", "us-ascii", "ascii":
		return input, nil
	case "iso-8859-1", "latin1", "latin-1", "windows-1252":
		raw, err := io.ReadAll(input)
		if err != nil {
			return nil, err
		}
		runes := make([]rune, len(raw))
		for i, c := range raw {
			if runes[i] = rune(c); !legalRune(rune(c)) {
				runes[i] = utf8.RuneError
			}
		}
		return strings.NewReader(string(runes)), nil
	}
	return nil, fmt.Errorf("the encoding %.40q is not read", label)
}
