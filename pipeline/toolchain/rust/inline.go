package rust

import (
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// inlineTests finds the modules and items of tests, and the examples in documentation.
func inlineTests(file string, text []byte) []kit.InlineTest {
	if !strings.HasSuffix(file, ".rs") {
		return nil
	}
	f := inlineFinder{text: string(text)}
	f.find("", 0, len(text), 0)
	return f.found
}

// maxNesting bounds how deep modules and impl blocks are looked into.
const maxNesting = 16

type inlineFinder struct {
	text  string
	found []kit.InlineTest
}

func (f *inlineFinder) find(scope string, from, to, depth int) {
	for _, i := range rustItems(f.text, from, to) {
		key := scope + itemName(i)
		f.examples(key, i)
		switch {
		case forTests(i):
			f.found = append(f.found, f.test(key, i))
		case i.body > 0 && depth < maxNesting && holdsItems.MatchString(i.head):
			f.find(key+"::", i.body, i.after, depth+1)
		}
	}
}

// test is an item of tests, a module with what is in it.
func (f *inlineFinder) test(key string, i item) kit.InlineTest {
	t := kit.InlineTest{Name: key, Begin: i.begin, End: i.end, Code: f.text[i.begin:i.end], Own: testFunction(i)}
	if i.body == 0 || !isModule.MatchString(i.head) {
		return t
	}
	for _, inner := range rustItems(f.text, i.body, i.after) {
		t.Items = append(t.Items, kit.InlineTest{Name: itemName(inner), Begin: inner.begin, End: inner.end,
			Code: f.text[inner.begin:inner.end], Own: testFunction(inner)})
	}
	return t
}

// examples adds the code in the documentation in front of an item.
func (f *inlineFinder) examples(key string, i item) {
	docs := f.text[i.docs:i.begin]
	if !strings.Contains(docs, "```") {
		return
	}
	var code []string
	inside := false
	for line := range strings.Lines(docs) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/*!"))
		fence := strings.HasPrefix(line, "```")
		if fence || inside {
			code = append(code, line)
		}
		inside = inside != fence
	}
	f.found = append(f.found, kit.InlineTest{Name: "documentation of " + key, Begin: i.docs, End: i.begin,
		Code: strings.Join(code, "\n"), Examples: true})
}

var (
	holdsItems = regexp.MustCompile(`\b(?:mod|impl|trait)\b`)
	isModule   = regexp.MustCompile(`\bmod\s+\w+\s*;?\s*$`)
	itemKind   = regexp.MustCompile(`\b(mod|fn|struct|enum|trait|union|macro_rules!|static|type|const)\s+(\w+)`)
	forTest    = regexp.MustCompile(`cfg\s*\([^\]]*\btest\b`)
	notForTest = regexp.MustCompile(`cfg\s*\(\s*not\s*\(\s*test\s*\)\s*\)`)
	testMark   = regexp.MustCompile(`#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|bench)\b`)
)

// itemName tells an item from the others of its module.
func itemName(i item) string {
	use := strings.HasPrefix(i.head, "use ") || strings.HasPrefix(i.head, "pub use ")
	if m := itemKind.FindStringSubmatch(i.head); m != nil && !use && !strings.HasPrefix(strings.TrimSpace(i.head),
		"impl") {
		return m[1] + " " + m[2]
	}
	return strings.Join(strings.Fields(i.head), " ")
}

// forTests says whether an item is built for tests alone: by its attributes, or since it
// is the module of a file of tests.
func forTests(i item) bool {
	if testFunction(i) || forTest.MatchString(i.attributes) && !notForTest.MatchString(i.attributes) {
		return true
	}
	m := itemKind.FindStringSubmatch(i.head)
	return m != nil && m[1] == "mod" && i.body == 0 && filerole.Of(m[2]+".rs") == filerole.Test
}

func testFunction(i item) bool {
	return testMark.MatchString(i.attributes) && strings.Contains(i.head, "fn ")
}
