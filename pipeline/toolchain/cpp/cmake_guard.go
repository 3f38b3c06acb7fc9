package cpp

import (
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// guardCMake compares a CMake file with its version before. Calls that concern nothing
// but production may come, go and change; all others must be those of before, in their
// order. Where they are not, those of before take their place and production's stay.
func guardCMake(c kit.Change) kit.Guard {
	before, okBefore := parseCMake(string(c.Before))
	after, okAfter := parseCMake(string(c.After))
	if !okBefore || !okAfter || c.After == nil {
		return kit.Whole
	}
	p := newCMakeProject(c.Tree, before, after)
	old, now := p.units(before), p.units(after)
	merged, same := mergeCMake(old, now)
	switch {
	case same:
		return kit.Guard{}
	case c.Before == nil:
		return kit.Whole // a new file: without it, nothing includes what is left of it
	}
	return kit.Guard{Touched: true, Restored: []byte(strings.Join(merged, "\n") + "\n")}
}

// cmakeUnit is a call, or a whole block of calls that is free.
type cmakeUnit struct {
	key, text string
	free      bool // concerns nothing but production
}

// units lists a file's calls, each block of free calls as one.
func (p *cmakeProject) units(calls []cmakeCall) (units []cmakeUnit) {
	for i := 0; i < len(calls); i++ {
		if end := p.freeBlock(calls, i); end > i {
			var text []string
			for _, c := range calls[i : end+1] {
				text = append(text, c.text)
			}
			units = append(units, cmakeUnit{text: strings.Join(text, "\n"), free: true})
			i = end
			continue
		}
		c := calls[i]
		units = append(units, cmakeUnit{key: c.key(), text: c.text, free: p.free(c)})
	}
	return units
}

// freeBlock gives the last call of the block that begins at a call, 0 where none begins
// or something in it is not free.
func (p *cmakeProject) freeBlock(calls []cmakeCall, begin int) int {
	depth := 0
	for i := begin; i < len(calls); i++ {
		switch name := calls[i].name; {
		case name == "if" || name == "foreach" || name == "while" || name == "function" && p.newFunction(calls[i]):
			depth++
		case name == "endif" || name == "endforeach" || name == "endwhile" || name == "endfunction":
			if depth--; depth == 0 {
				if calls[begin].name == "function" {
					p.functions[strings.ToLower(calls[begin].arg(0))] = true
				}
				return i
			}
		case name == "else" || name == "elseif":
		case depth == 0 || !p.free(calls[i]):
			return 0
		}
		if depth == 0 {
			return 0
		}
	}
	return 0
}

// newFunction tells whether a function stands in for no command that there is.
func (p *cmakeProject) newFunction(c cmakeCall) bool {
	name := strings.ToLower(c.arg(0))
	return !p.called[name] && !cmakeCommand.MatchString(name)
}

var cmakeCommand = regexp.MustCompile(`^_*(?:` + cmakeOwn +
	`|enable_\w+|try_\w+|catch_\w+|gtest_\w+|cmake_\w+|find_\w+|externalproject_\w+|fetchcontent_\w+)$|[^a-z0-9_]`)

// mergeCMake has the calls of before that are not free, in their order, and the free
// ones of after between them; same says that this is after itself.
func mergeCMake(before, after []cmakeUnit) (text []string, same bool) {
	var fixed []cmakeUnit
	for _, u := range before {
		if !u.free {
			fixed = append(fixed, u)
		}
	}
	same = true
	for _, u := range after {
		switch at := indexCMake(fixed, u); {
		case u.free:
			text = append(text, u.text)
		case at < 0:
			same = false
		default:
			for _, missed := range fixed[:at] {
				text, same = append(text, missed.text), false
			}
			text, fixed = append(text, u.text), fixed[at+1:]
		}
	}
	for _, missed := range fixed {
		text, same = append(text, missed.text), false
	}
	return text, same
}

func indexCMake(units []cmakeUnit, u cmakeUnit) int {
	for i, other := range units {
		if other.key == u.key {
			return i
		}
	}
	return -1
}

// cmakeProject knows which targets of a project are production's.
type cmakeProject struct {
	defined, words map[string]bool // the targets that gold or base defines, and all words there
	production     map[string]bool
	tests          []*regexp.Regexp
	called         map[string]bool // the commands that gold or base calls
	functions      map[string]bool // the functions in which everything is free
	tied           map[string]bool // the variables that calls read which are not free
	sources        map[string]bool // the variables that hold nothing but production sources on gold or base
}

func newCMakeProject(t kit.Tree, before, after []cmakeCall) *cmakeProject {
	p := &cmakeProject{defined: map[string]bool{}, words: map[string]bool{}, production: map[string]bool{},
		called: map[string]bool{}, functions: map[string]bool{}, tied: map[string]bool{}, sources: map[string]bool{}}
	known := append(cmakeCalls(t), before...)
	for _, c := range known {
		p.know(c)
	}
	for _, c := range after {
		p.findTests(c)
	}
	for _, c := range append(known, after...) {
		p.findProduction(c)
	}
	for _, c := range known {
		if !p.free(c) {
			p.tie(c)
		}
	}
	return p
}

// cmakeCalls are the calls of all CMake files of a tree.
func cmakeCalls(t kit.Tree) (all []cmakeCall) {
	if t == nil {
		return nil
	}
	for _, f := range t.Files() {
		if base := strings.ToLower(path.Base(f)); base == "cmakelists.txt" || strings.HasSuffix(base, ".cmake") {
			calls, _ := parseCMake(kit.Read(t, f))
			all = append(all, calls...)
		}
	}
	return all
}

func (p *cmakeProject) know(c cmakeCall) {
	p.called[c.name] = true
	for _, a := range c.args {
		p.words[a] = true
	}
	if c.name == "add_library" || c.name == "add_executable" {
		p.defined[c.arg(0)] = true
	}
	if c.name == "set" && len(c.args) > 1 {
		p.sources[c.args[0]] = productionSources(c.args[1:])
	}
	p.findTests(c)
}

// findTests notes the programs that are run as tests, or made of tests.
func (p *cmakeProject) findTests(c cmakeCall) {
	switch {
	case c.name == "add_test":
		for _, a := range c.args {
			p.tests = append(p.tests, cmakePattern(a))
		}
	case strings.Contains(c.name, "discover_tests"), c.name == "gtest_add_tests":
		p.tests = append(p.tests, cmakePattern(c.arg(0)))
	case c.name == "add_executable", c.name == "add_library":
		for _, source := range c.args[min(1, len(c.args)):] {
			if filerole.Hidden(source) {
				p.tests = append(p.tests, cmakePattern(c.arg(0)))
				return
			}
		}
	}
}

// cmakePattern matches what an argument may be, whatever its variables hold.
func cmakePattern(arg string) *regexp.Regexp {
	parts := cmakeVariable.Split(arg, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	if strings.Join(parts, "") == "" {
		return nothing // tells nothing of the name: see findProduction
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}

var (
	cmakeVariable = regexp.MustCompile(`\$(?:ENV)?[<{][^{}<>]*[>}]`)
	nothing       = regexp.MustCompile(`^\b$`)
	cmakeName     = regexp.MustCompile(`^[A-Za-z0-9_.+-]+$`)
)

// findProduction notes the targets that are production's: their names are written out,
// nothing runs them as tests, and no name that gold takes from elsewhere is among them.
func (p *cmakeProject) findProduction(c cmakeCall) {
	name := c.arg(0)
	if c.name != "add_library" && c.name != "add_executable" || !cmakeName.MatchString(name) ||
		!p.defined[name] && p.words[name] {
		return
	}
	for _, t := range p.tests {
		if t.MatchString(name) {
			return
		}
	}
	if len(c.args) > 1 && (c.args[1] == "ALIAS" || c.args[1] == "IMPORTED" || c.args[1] == "INTERFACE") {
		return
	}
	p.production[name] = true
}

// tie notes the variables that a call reads.
func (p *cmakeProject) tie(c cmakeCall) {
	for _, a := range c.args {
		for _, v := range cmakeRead.FindAllStringSubmatch(a, -1) {
			p.tied[v[1]] = true
		}
		if c.name == "if" || c.name == "elseif" || c.name == "while" || c.name == "foreach" {
			p.tied[a] = true // these read variables by their names alone
		}
	}
}

var cmakeRead = regexp.MustCompile(`\$\{([^{}$]+)\}`)

// productionSources tells whether a list is sources of production by name, no more.
func productionSources(files []string) bool {
	for _, f := range files {
		f = cmakeHere.ReplaceAllString(f, "")
		if strings.Contains(f, "$") || !filerole.Programming(f) || filerole.Of(f) != filerole.Source {
			return false
		}
	}
	return true
}

// cmakeHere is the folder of the project or of the file.
var cmakeHere = regexp.MustCompile(`^\$\{(?:CMAKE_(?:CURRENT_)?|PROJECT_)SOURCE_DIR\}/?`)
