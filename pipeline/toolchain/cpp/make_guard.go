package cpp

import (
	"path"
	"regexp"
	"slices"
	"strings"

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
	makeDecides = regexp.MustCompile(`(?i)test|check|log_(compiler|driver|flags)|^(\.?SHELL(FLAGS)?|MAKEFLAGS|CC|CXX|LD|AR|GO|PYTHON\d?|NODE|NPM|CARGO|RUSTC|RUSTFLAGS|GOFLAGS|PATH|LD_PRELOAD|PYTHONPATH|PYTHONSTARTUP|NODE_OPTIONS|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAVEN_OPTS)$`)
	makeFlag    = regexp.MustCompile(`-include\s+\S+|-[DU]\s*\S+|-specs=\S+|-fplugin=\S+`)
	makeSpecial = regexp.MustCompile(`^\s*(-?include|sinclude|define|load)\b|\$\((eval|shell|call)\b`)
)

// makeGuarded lists what of a makefile is about tests: their rules, the programs and
// flags they run with, and what can bring in anything.
func makeGuarded(text []byte) (list []string) {
	inside := false
	for _, line := range kit.JoinedLines(text) {
		switch v := makeVariable.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "\t"):
			if inside {
				list = append(list, line)
			}
			continue
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
			continue
		case v != nil && makeDecides.MatchString(v[1]), makeSpecial.MatchString(line):
			list = append(list, line)
		case v != nil:
			list = append(list, makeFlag.FindAllString(line, -1)...)
		default:
			m := makeRule.FindStringSubmatch(line)
			inside = m != nil && makeTested.MatchString(m[1]) && !strings.HasPrefix(m[1], ".PHONY")
			if inside {
				list = append(list, line)
			}
			continue
		}
		inside = false
	}
	return list
}
