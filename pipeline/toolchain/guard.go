package toolchain

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// Change is what a patch does to one file of a repository: its bytes before and
// after, nil where it is not there.
type Change struct {
	Path          string
	Before, After []byte
}

// name is the file's name in small letters.
func (c Change) name() string { return strings.ToLower(path.Base(c.Path)) }

// Guard says what of a change decides how tests are found, run or reported, rather
// than what the code does.
type Guard struct {
	Touched bool
	// Restored is the file with nothing but that part as before; nil where the file is
	// all of it, and goes back as a whole.
	Restored []byte
}

// Guarded is a toolchain that knows its own runner configuration. It is asked about
// any file of any repository, since repositories hold several languages. What honest
// patches change all the time (dependencies, sources, names) is none.
type Guarded interface {
	Guard(c Change) Guard
}

// whole is the guard of a file that is runner configuration by its name, or by
// something that can't be told from the rest of it.
var whole = Guard{Touched: true}

// RunnerConfig asks every toolchain about a change.
func RunnerConfig(c Change) Guard {
	if c.Before != nil && bytes.Equal(c.Before, c.After) {
		return Guard{}
	}
	found := common(c)
	for _, t := range All() {
		g, ok := t.(Guarded)
		if !ok {
			continue
		}
		switch one := g.Guard(c); {
		case !one.Touched:
		case found.Touched: // two claims on one file: all of it goes back
			found = whole
		default:
			found = one
		}
	}
	return found
}

// ByContent says whether what a file holds decides that it is runner configuration,
// so that one that can't be read, a symbolic link say, has to be taken for it.
func ByContent(file string) bool {
	switch base := strings.ToLower(path.Base(file)); base {
	case "go.mod", "pyproject.toml", "setup.cfg", "setup.py", "package.json", "cargo.toml", "pom.xml", "composer.json", "gemfile",
		"cmakelists.txt", "meson.build", "makefile.am", "configure.ac", "directory.build.props", "directory.build.targets":
		return true
	default:
		return makefile(base) || strings.HasSuffix(base, "_test.go") || gradleFile(base) || projectFile(base)
	}
}

// common knows what belongs to no language: helpers that tests are built on, and make.
func common(c Change) Guard {
	switch base := c.name(); {
	case base == ".env", base == "justfile", base == "taskfile.yml", base == "taskfile.yaml", supportFile.MatchString(c.Path), standsIn(c):
		return whole
	case makefile(base):
		// GNU make takes GNUmakefile and makefile before a Makefile.
		if len(c.Before) == 0 && path.Base(c.Path) != "Makefile" && base != "makefile.am" || !equal(makeGuarded(c.Before), makeGuarded(c.After)) {
			return whole
		}
	}
	return Guard{}
}

// supportFile knows what test scripts are built on: helpers in test folders.
var supportFile = regexp.MustCompile(`(^|/)(tests?|t|spec|__tests__)/(.*/)?(lib|helpers?|common|utils?|support|bootstrap|harness|setup|runner|run|asserts?|assertions?|expect|expectations?|matchers?)([-_.][^/]*)?$|(^|/)(tests?|t)/(lib|helpers?|support)/|(^|/)(tests?|t)/(.*/)?__init__\.py$`)

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
	for _, line := range joined(text) {
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

// joined are a text's lines, those that end with a backslash joined.
func joined(text []byte) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\\\n", " "), "\n")
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
