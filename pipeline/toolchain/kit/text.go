package kit

import (
	"regexp"
	"slices"
	"sort"
	"strings"
)

var RepeatSuffix = regexp.MustCompile(` #\d+$`)

func Unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		old := seen[s]
		seen[s] = true
		return old
	})
}

func SortedKeys(tables ...map[string]string) []string {
	var out []string
	for _, t := range tables {
		for k := range t {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}

func FirstGroup(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// stringsOf lists the quoted strings of a value.
func QuotedStrings(value string) []string {
	var out []string
	for _, m := range Quoted.FindAllStringSubmatch(value, 100) {
		if s := m[1] + m[2]; s != "" {
			out = append(out, s)
		}
	}
	return out
}

func LeadingInt(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1e6 {
			return n
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// matching are the lines of a text that a pattern finds, sorted.
func MatchingLines(text []byte, words *regexp.Regexp) (list []string) {
	for _, l := range JoinedLines(text) {
		if words.MatchString(l) {
			list = append(list, strings.TrimSpace(l))
		}
	}
	slices.Sort(list)
	return list
}

// joined are a text's lines, those that end with a backslash joined.
func JoinedLines(text []byte) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\\\n", " "), "\n")
}

var Quoted = regexp.MustCompile(`"([^"\n]*)"|'([^'\n]*)'`)

var Spaces = regexp.MustCompile(`\s+`)
