package java

import (
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// javaType is a class that a source file declares.
type javaType struct {
	name     string // binary: pkg.Outer$Inner
	extends  string // the simple name of what it extends, "" where nothing
	abstract bool   // or an interface: nothing can be made of it
	nested   bool
	tests    bool // it, or a class in it, holds tests
}

// javaExts are the languages whose classes Maven's and Gradle's test runners run.
var javaExts = map[string]bool{".java": true, ".kt": true, ".groovy": true, ".scala": true}

var (
	javaPackage = regexp.MustCompile(`(?m)^\s*package\s+([\pL_][\pL\pN_.]*)`)
	javaToken   = regexp.MustCompile(`[{}]|@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|` +
		`Theory|Property|RunWith|Suite|SelectClasses|Factory|ExtendWith)\b|(?:^|[^.\pL\pN_$@])(?:class|interface|enum|` +
		`record|object|trait)\s+[\pL_$][\pL\pN_$]*|@interface\s+\w+`)
	javaExtends = regexp.MustCompile(`(?:\bextends\s+|:\s*)(?:[\pL_$][\pL\pN_$]*\.)*([\pL_$][\pL\pN_$]*)`)
	javaHeader  = regexp.MustCompile(`\b(abstract|sealed)\b[^;{}]*$`)
)

// javaBases are classes whose heirs hold tests without an annotation.
var javaBases = map[string]bool{
	"TestCase": true, "Specification": true, "StringSpec": true, "FunSpec": true, "ShouldSpec": true, "DescribeSpec": true,
	"BehaviorSpec": true, "WordSpec": true, "FreeSpec": true, "FeatureSpec": true, "ExpectSpec": true,
	"AnnotationSpec": true,
	"AnyFunSuite":    true, "AnyFlatSpec": true, "AnyWordSpec": true, "FunSuite": true, "GroovyTestCase": true,
}

// javaTypes lists the classes of a source file, read by its words alone: comments
// and strings are taken out first.
func javaTypes(text string) []javaType {
	text = javaCode(text)
	pkg := kit.FirstGroup(javaPackage, text)
	var types []javaType
	var open []int // the type that each brace belongs to, -1 for none
	pending, marked := -1, false
	at := func() int { // the innermost type
		for i := len(open) - 1; i >= 0; i-- {
			if open[i] >= 0 {
				return open[i]
			}
		}
		return -1
	}
	for _, m := range javaToken.FindAllStringIndex(text, 50_000) {
		switch word := strings.TrimSpace(text[m[0]:m[1]]); {
		case word == "{":
			open = append(open, pending)
			if pending >= 0 && types[pending].extends == "" {
				types[pending].extends = kit.FirstGroup(javaExtends, headerOf(text[:m[0]]))
			}
			pending = -1
		case word == "}":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case strings.HasPrefix(word, "@interface"):
			pending = -1
		case word[0] == '@':
			if kind := word[strings.LastIndexAny(word, "@.")+1:]; kind == "RunWith" || kind == "Suite" ||
				kind == "SelectClasses" || at() < 0 && kind == "Test" {
				marked = true // it stands before the class
			} else if i := at(); i >= 0 && kind != "ExtendWith" {
				types[i].tests = true
			}
		default:
			kind := strings.Fields(strings.TrimLeft(word, "(){};,=<>\t\n "))
			if len(kind) < 2 || len(types) > 2000 {
				continue
			}
			t := javaType{name: kind[1], tests: marked, abstract: kind[0] == "interface" || kind[0] == "trait" ||
				javaHeader.MatchString(headerStart(text[:m[0]]))}
			if outer := at(); outer >= 0 {
				t.name, t.nested = types[outer].name+"$"+t.name, true
			} else if pkg != "" {
				t.name = pkg + "." + t.name
			}
			if rest := text[m[1]:min(len(text), m[1]+300)]; strings.ContainsRune(rest, '{') || path.Ext(t.name) != "" {
				t.extends = kit.FirstGroup(javaExtends, head(rest))
			}
			marked = false
			types = append(types, t)
			pending = len(types) - 1
		}
	}
	for i := len(types) - 1; i >= 0; i-- { // a class with tests inside holds tests
		types[i].tests = types[i].tests || javaBases[types[i].extends]
		if outer := strings.LastIndexByte(types[i].name, '$'); types[i].tests && types[i].nested && outer > 0 {
			for k := range i {
				if types[k].name == types[i].name[:outer] {
					types[k].tests = true
				}
			}
		}
	}
	return types
}

// head is a declaration up to its body.
func head(text string) string {
	if i := strings.IndexAny(text, "{}"); i >= 0 {
		text = text[:i]
	}
	return text
}

// headerOf is what stands before a brace, back to the statement before.
func headerOf(text string) string {
	text = text[max(0, len(text)-400):]
	return text[strings.LastIndexAny(text, ";{}")+1:]
}

// headerStart is the line's beginning, where the modifiers stand.
func headerStart(text string) string {
	text = headerOf(text)
	return text[strings.LastIndexByte(text, ')')+1:]
}

// javaCode blanks comments and the texts of strings, so that no brace or word in
// them counts; lines stay lines.
func javaCode(text string) string {
	out := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to && i < len(out); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(text); {
		end := -1
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "//"):
			end = upTo(rest, "\n", 2)
		case strings.HasPrefix(rest, "/*"):
			end = upTo(rest, "*/", 2)
		case strings.HasPrefix(rest, `"""`):
			end = upTo(rest, `"""`, 3)
		case rest[0] == '"' || rest[0] == '\'':
			end = stringEnd(rest)
		}
		if end < 0 {
			i++
			continue
		}
		blank(i, i+end)
		i += end
	}
	return string(out)
}

func upTo(text, mark string, from int) int {
	if i := strings.Index(text[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(text)
}

// stringEnd is where a string of one line ends.
func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return i
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}
