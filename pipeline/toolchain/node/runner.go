package node

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// nodeRunners are the runners known here, each with the options of a package's own
// test command that are kept: true where the next word is its value. Everything
// else (reporters, watchers, coverage, paths) is the run's to say.
var nodeRunners = map[string]map[string]bool{
	"jest": {"-c": true, "--config": true, "--env": true, "--testEnvironment": true, "--rootDir": true, "--preset": true,
		"--selectProjects":     true,
		"--setupFilesAfterEnv": true, "--setupFiles": true, "--moduleNameMapper": true, "--globals": true,
		"--testTimeout": true, "--injectGlobals": false, "--transform": true},
	"vitest": {"-c": true, "--config": true, "-r": true, "--root": true, "--dir": true, "--project": true,
		"--environment": true, "--globals": false,
		"--pool": true, "--typecheck": false, "--workspace": true, "--mode": true, "--testTimeout": true, "--isolate": false,
		"--no-isolate": false, "--expose-gc": false},
	"mocha": {"-r": true, "--require": true, "--import": true, "--loader": true, "--experimental-loader": true, "-u": true,
		"--ui": true, "-t": true,
		"--timeout": true, "-s": true, "--slow": true, "--extension": true, "--config": true, "--opts": true, "-n": true,
		"--node-option": true, "--file": true,
		"--check-leaks": false, "--globals": true, "--full-trace": false, "--inline-diffs": false, "--allow-uncaught": false,
		"--delay":              false,
		"--enable-source-maps": false, "--expose-gc": false, "--expose_gc": false, "--no-warnings": false,
		"--compilers": true, "-A": false, "--async-only": false},
	"node": {"-r": true, "--require": true, "--import": true, "--loader": true, "--experimental-loader": true, "-C": true,
		"--conditions":  true,
		"--no-warnings": false, "--enable-source-maps": false, "--expose-gc": false, "--expose_gc": false, "--env-file": true,
		"--preserve-symlinks": false, "--test-timeout": true},
	"ava": {"--config": true, "--timeout": true, "-T": true, "--serial": false, "-s": false, "--node-arguments": true,
		"--no-worker-threads": false},
	"tap":  {"-r": true, "--require": true, "--import": true, "--loader": true},
	"tape": {"-r": true, "--require": true, "--import": true, "--loader": true},
}

// runnerNames in the order in which they are looked for.
var runnerNames = []string{"vitest", "jest", "mocha", "ava", "tape", "tap", "node"}

// runnerDependency is the package that brings a runner.
var runnerConfigs = map[string]*regexp.Regexp{
	"jest": regexp.MustCompile(`^jest\.config(\.\w+)*\.(js|cjs|mjs|ts|cts|mts|json)$`),
	"vitest": regexp.MustCompile(`^(vitest(\.\w+)*\.(config|workspace)|vitest\.(config|workspace)(\.\w+)*)\.(js|cjs|mjs|` +
		`ts|cts|mts|json)$`),
	"mocha": regexp.MustCompile(`^\.mocharc\.(js|cjs|mjs|json|jsonc|ya?ml)$`),
	"ava":   regexp.MustCompile(`^ava\.config\.(js|cjs|mjs)$`),
	"tap":   regexp.MustCompile(`^\.taprc$`),
}

var runnerImports = []struct {
	name string
	re   *regexp.Regexp
}{
	{"vitest", regexp.MustCompile(`(?:from|import|require\()\s*\(?["']vitest["']`)},
	{"jest", regexp.MustCompile(`(?:from|require\()\s*["']@jest/globals["']`)},
	{"node", regexp.MustCompile(`(?:from|import|require\()\s*\(?["']node:test["']`)},
	{"ava", regexp.MustCompile(`(?:from|require\()\s*["']ava["']`)},
	{"tape", regexp.MustCompile(`(?:from|require\()\s*["'](?:tape|tape-catch|@ljharb/tape|blue-tape)["']`)},
	{"tap", regexp.MustCompile(`(?:from|require\()\s*["'](?:tap|libtap|@tapjs/\w+)["']`)},
	{"mocha", regexp.MustCompile(`(?:from|require\()\s*["']mocha["']`)},
}

// nodeCommand is a package's own way of calling a runner.
type nodeCommand struct {
	script string   // the script's name
	env    []string // NAME=value
	node   []string // options of node
	args   []string // options of the runner that are kept
}

// nodeScript finds the script of a package that calls a runner: test first, then
// what is named like it, then any.
func nodeScript(p nodePackage, runner string) (nodeCommand, bool) {
	names := sortedKeys(p.scripts)
	score := func(name string) int {
		return slices.IndexFunc([]func() bool{
			func() bool { return name == "test" },
			func() bool {
				return name == "test:unit" || name == "unit" || name == "test-unit" || name == runner || name == "tests"
			},
			func() bool { return strings.HasPrefix(name, "test") && !regexpCoverage.MatchString(name) },
			func() bool { return strings.Contains(name, "test") },
			func() bool { return true },
		}, func(f func() bool) bool { return f() })
	}
	sort.SliceStable(names, func(i, j int) bool { return score(names[i]) < score(names[j]) })
	for _, name := range names {
		for _, words := range shellCommands(p.scripts[name]) {
			if c, ok := runnerCommand(words, runner); ok {
				c.script = name
				return c, true
			}
		}
	}
	return nodeCommand{}, false
}

var regexpCoverage = regexp.MustCompile(`cov|watch|debug|e2e|browser|bench|types|lint`)

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// runnerCommand reads one command: NAME=value …, wrappers, node with its options,
// the runner, its options.
func runnerCommand(words []string, runner string) (nodeCommand, bool) {
	at := slices.IndexFunc(words, func(w string) bool { return callsRunner(w, runner) })
	if runner == "node" {
		at = slices.IndexFunc(words, func(w string) bool { return w == "--test" || strings.HasPrefix(w, "--test=") })
	}
	c := nodeCommand{}
	if at < 0 || slices.ContainsFunc(words[:at], func(w string) bool {
		return w == "echo" || w == "rimraf" || w == "rm" ||
			w == "eslint"
	}) {
		return c, false
	}
	node := false
	for i := 0; i < at; i++ {
		switch w := words[i]; {
		case assignment.MatchString(w) && !strings.HasPrefix(w, "CI="):
			c.env = append(c.env, w)
		case w == "node" || w == "babel-node":
			node = true
		case w == "tsx" && runner == "node":
			node, c.node = true, append(c.node, "--import", "tsx")
		case (w == "ts-node" || w == "ts-mocha") && runner != "jest":
			c.node = append(c.node, "-r", "ts-node/register")
		case node && strings.HasPrefix(w, "-"):
			kept, used := keepOption(words[i:at], nodeRunners["node"])
			if len(kept) == 0 && strings.HasPrefix(w, "--experimental-") {
				kept = []string{w}
			}
			c.node = append(c.node, kept...)
			i += used - 1
		}
	}
	if words[at] == "ts-mocha" {
		c.args = append(c.args, "-r", "ts-node/register")
	}
	for i := at + 1; i < len(words); i++ {
		kept, used := keepOption(words[i:], nodeRunners[runner])
		if runner == "node" && len(kept) == 0 && strings.HasPrefix(words[i], "--experimental-") {
			kept = words[i : i+1]
		}
		c.args = append(c.args, kept...)
		i += used - 1
	}
	if runner == "node" {
		c.node, c.args = append(c.node, c.args...), nil
	}
	return c, true
}

// keepOption gives the words of an option that is kept, and how many words it takes.
func keepOption(words []string, known map[string]bool) (kept []string, used int) {
	name, _, inline := strings.Cut(words[0], "=")
	value, ok := known[name]
	switch {
	case !ok || !strings.HasPrefix(words[0], "-"):
		return nil, 1
	case value && !inline && len(words) > 1:
		return words[:2], 2
	}
	return words[:1], 1
}

// callsRunner says that a word of a command is a runner's program.
func callsRunner(word, runner string) bool {
	base := strings.TrimSuffix(strings.TrimSuffix(path.Base(word), ".js"), ".mjs")
	switch runner {
	case "mocha":
		return base == "mocha" || base == "_mocha" || base == "ts-mocha"
	case "jest":
		return base == "jest" || base == "jest-cli"
	}
	return base == runner
}

// shellCommands splits a script into its commands, and those into words.
func shellCommands(script string) [][]string {
	var list [][]string
	var words []string
	var word strings.Builder
	open, quoteBy := false, rune(0)
	end := func(command bool) {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
		if command && len(words) > 0 {
			list, words = append(list, words), nil
		}
	}
	escaped := false
	for _, r := range script {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quoteBy != '\'':
			escaped, open = true, true
		case quoteBy != 0:
			if r == quoteBy {
				quoteBy = 0
				// npm scripts quote whole commands for run-many tools, too.
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quoteBy, open = r, true
		case r == ' ' || r == '\t' || r == '\n':
			end(false)
		case r == ';' || r == '&' || r == '|':
			end(true)
		default:
			word.WriteRune(r)
			open = true
		}
	}
	end(true)
	return list
}

// runnerHere says by what a package calls a runner: a script or a file of its.
func runnerHere(t kit.Tree, p nodePackage) (runner, why string) {
	for _, script := range []string{"test", ""} {
		for _, name := range runnerNames {
			if c, ok := nodeScript(p, name); ok && (script == "" || c.script == script) {
				return name, p.manifest + " calls it in the script " + c.script
			}
		}
	}
	for _, name := range runnerNames {
		if p.own[name] {
			return name, p.manifest + " configures it"
		}
		if re := runnerConfigs[name]; re != nil {
			for _, file := range t.Files() {
				if path.Dir(file) == p.dir && re.MatchString(path.Base(file)) {
					return name, file
				}
			}
		}
	}
	return "", ""
}

// testRunner finds who runs a test file, and in which folder.
func testRunner(t kit.Tree, list []nodePackage, file string) (runner, dir string) {
	chain := nodeChain(list, path.Dir(file))
	if len(chain) == 0 {
		return "", ""
	}
	named := ""
	text := kit.Read(t, file)
	for _, r := range runnerImports {
		if r.re.MatchString(text) {
			named = r.name
			break
		}
	}
	for _, p := range chain {
		if here, _ := runnerHere(t, p); here != "" && (named == "" || here == named) {
			return here, p.dir
		}
	}
	if named != "" {
		return named, chain[0].dir
	}
	for _, p := range chain {
		for _, name := range runnerNames {
			if p.deps[name] != "" {
				return name, p.dir
			}
		}
	}
	return "", chain[0].dir
}
