package cpp

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// guardMake guards a makefile's rules and variables about tests.
func guardMake(c kit.Change) kit.Guard {
	// GNU make takes GNUmakefile and makefile before a Makefile.
	ahead := len(c.Before) == 0 && path.Base(c.Path) != "Makefile" && c.Name() != "makefile.am"
	if ahead || !slices.Equal(makeGuarded(c.Before), makeGuarded(c.After)) {
		return kit.Whole
	}
	return kit.Guard{}
}

func makefile(base string) bool {
	return base == "makefile" || base == "gnumakefile" || base == "makefile.am" || strings.HasSuffix(base, ".mk")
}

var (
	makeRule     = regexp.MustCompile(`^([^\t#:=][^:=]*)::?([^=].*)?$`)
	makeVariable = regexp.MustCompile(`^\s*(?:(?:override|export|private)\s+)*([A-Za-z0-9_.%-]+)\s*(?:::?:?|\+|\?|!)?=`)
	makeTested   = regexp.MustCompile(`(?i)test|check|spec|verify`)
	// makeDecides are variables that say with what, and around what, tests run.
	makeDecides = regexp.MustCompile(`(?i)test|check|log_(compiler|driver|flags)|^(\.?SHELL(FLAGS)?|MAKEFLAGS|CC|CXX|LD|` +
		`AR|GO|PYTHON\d?|NODE|NPM|CARGO|RUSTC|RUSTFLAGS|GOFLAGS|PATH|LD_PRELOAD|PYTHONPATH|PYTHONSTARTUP|NODE_OPTIONS|` +
		`RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAVEN_OPTS)$`)
	makeFlag    = regexp.MustCompile(`-include\s+\S+|-[DU]\s*\S+|-specs=\S+|-fplugin=\S+`)
	makeSpecial = regexp.MustCompile(`^\s*(-?include|sinclude|define|load)\b|\$\((eval|shell|call)\b`)
)

// makeRules is what of a makefile may be about tests.
type makeRules struct {
	lines []string            // what brings in anything, and variables that decide
	rules map[string][]string // by target: the rule's head and its recipe
	needs map[string][]string // by target: what it is made from
}

// makeGuarded lists what of a makefile is about tests: their rules, the rules of what
// those are made from, the programs and flags they run with, and what can bring in
// anything. What production is made from is left out of the rules that tests need.
func makeGuarded(text []byte) (list []string) {
	m := readMake(text)
	list = slices.Clone(m.lines)
	seen := map[string]bool{}
	var add func(target string, tests bool)
	add = func(target string, tests bool) {
		if seen[target] {
			return
		}
		seen[target] = true
		for _, line := range m.rules[target] {
			if !tests {
				line = withoutProduction(line)
			}
			list = append(list, line)
		}
		for _, need := range m.needs[target] {
			add(need, makeTested.MatchString(need))
		}
	}
	for _, target := range slices.Sorted(maps.Keys(m.rules)) {
		if makeTested.MatchString(target) || strings.Contains(target, "%") {
			add(target, true)
		}
	}
	return list
}

// withoutProduction leaves sources of production and what is compiled from them out of a
// line of a rule.
func withoutProduction(line string) string {
	words := strings.Fields(line)
	words = slices.DeleteFunc(words, func(w string) bool {
		ext := path.Ext(w)
		if ext == ".o" || ext == ".lo" {
			w = strings.TrimSuffix(w, ext) + ".c"
		}
		return filerole.Programming(w) && !strings.ContainsAny(w, "$%*") && filerole.Of(w) == filerole.Source
	})
	return strings.Join(words, " ")
}

// readMake reads a makefile's lines.
func readMake(text []byte) makeRules {
	m := makeRules{rules: map[string][]string{}, needs: map[string][]string{}}
	var targets []string
	for _, line := range kit.JoinedLines(text) {
		plain := strings.TrimSpace(line)
		v := makeVariable.FindStringSubmatch(line)
		switch rule := makeRule.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "\t"):
			m.addLine(targets, line)
		case plain == "" || strings.HasPrefix(plain, "#"):
		case v != nil && makeDecides.MatchString(v[1]), makeSpecial.MatchString(line):
			m.lines, targets = append(m.lines, line), nil
		case v != nil:
			m.lines, targets = append(m.lines, makeFlag.FindAllString(line, -1)...), nil
		case rule != nil && !strings.HasPrefix(rule[1], ".PHONY"):
			targets = strings.Fields(rule[1])
			m.addLine(targets, line)
			m.addNeeds(targets, rule[2])
		default:
			targets = nil
		}
	}
	return m
}

func (m makeRules) addLine(targets []string, line string) {
	for _, t := range targets {
		m.rules[t] = append(m.rules[t], line)
	}
}

// addNeeds notes what targets are made from; a recipe may follow on the same line.
func (m makeRules) addNeeds(targets []string, needs string) {
	needs, _, _ = strings.Cut(needs, ";")
	for _, t := range targets {
		m.needs[t] = append(m.needs[t], strings.Fields(strings.ReplaceAll(needs, "|", " "))...)
	}
}
