package node

import (
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// inSource begins the tests that vitest runs inside a source file.
var inSource = regexp.MustCompile(`\bif\s*\(\s*import\.meta\.vitest\b[^\n{]*\{`)

// inlineTests finds the blocks of vitest's tests in a source.
func inlineTests(file string, text []byte) (list []kit.InlineTest) {
	if !strings.Contains(string(text), "import.meta.vitest") {
		return nil
	}
	for _, at := range inSource.FindAllIndex(text, -1) {
		if len(list) > 0 && at[0] < list[len(list)-1].End {
			continue
		}
		end := blockEnd(text, at[1])
		list = append(list, kit.InlineTest{Name: "in-source tests" + strings.Repeat("'", len(list)), Begin: at[0],
			End: end, Code: string(text[at[0]:end])})
	}
	return list
}

// blockEnd is behind the brace that ends a block; braces in strings and comments do not
// count. A block without an end goes on to the end of the file.
func blockEnd(text []byte, at int) int {
	for depth := 1; at < len(text); at++ {
		switch c := text[at]; {
		case c == '\'' || c == '"' || c == '`':
			for at++; at < len(text) && text[at] != c; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case c == '/' && at+1 < len(text) && text[at+1] == '/':
			for at < len(text) && text[at] != '\n' {
				at++
			}
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(text)
}
