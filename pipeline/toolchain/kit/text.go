package kit

import (
	"regexp"
	"slices"
	"sort"
	"strings"
)

// RepeatSuffix is what a report adds to the name of a test that ran more than once.
var RepeatSuffix = regexp.MustCompile(` #\d+$`)

// Unique drops repeats and keeps the order.
func Unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		old := seen[s]
		seen[s] = true
		return old
	})
}

// SortedKeys lists the keys of tables.
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

// FirstGroup is the first group of a pattern's first match, "" without one.
func FirstGroup(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// QuotedStrings lists the quoted strings of a value.
func QuotedStrings(value string) []string {
	var out []string
	for _, m := range Quoted.FindAllStringSubmatch(value, 100) {
		if s := m[1] + m[2]; s != "" {
			out = append(out, s)
		}
	}
	return out
}

// LeadingInt is the number that a text begins with, 0 where it begins with none.
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

// MatchingLines lists the lines of a text that a pattern finds, sorted.
func MatchingLines(text []byte, words *regexp.Regexp) (list []string) {
	for _, l := range JoinedLines(text) {
		if words.MatchString(l) {
			list = append(list, strings.TrimSpace(l))
		}
	}
	slices.Sort(list)
	return list
}

// JoinedLines lists a text's lines, those that end with a backslash joined.
func JoinedLines(text []byte) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\\\n", " "), "\n")
}

// Quoted matches a string in single or double quotes.
var Quoted = regexp.MustCompile(`"([^"\n]*)"|'([^'\n]*)'`)

// Spaces matches white space.
var Spaces = regexp.MustCompile(`\s+`)
