package shell

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests test scripts that speak TAP: files .sh, .t or .bats
// below a folder t, test or tests that print a plan and "ok" lines, themselves or
// through a file they source. Each runs from the repository's root by the
// interpreter its first line names.
type Toolchain struct{}

// Name is the recipe's word.
func (Toolchain) Name() string { return "shell" }

var (
	printsTAP   = regexp.MustCompile(`(?m)\b1\.\.[0-9$"]|["' ]ok\b|\bnot ok\b|TAP version`)
	shebang     = regexp.MustCompile(`^#!\s*(?:\S*/env\s+(?:-S\s+)?)?(?:\S*/)?([A-Za-z0-9.]+)`)
	interpreted = strings.Fields("sh bash dash ksh zsh perl python3 bats")
)

// interpreter is who runs a script; "" where it is none we know.
func interpreter(name, text string) string {
	m := shebang.FindStringSubmatch(text)
	switch {
	case path.Ext(name) == ".bats":
		return "bats"
	case m == nil && path.Ext(name) == ".sh":
		return "sh"
	case m == nil:
		return ""
	case m[1] == "python":
		return "python3"
	case slices.Contains(interpreted, m[1]):
		return m[1]
	}
	return ""
}

// shellTests lists the test scripts of a tree.
func shellTests(t kit.Tree) []string {
	texts := map[string]string{}
	for _, name := range t.Files() {
		ext := path.Ext(name)
		if (ext == ".sh" || ext == ".t" || ext == ".bats") && kit.InTestFolder(name) {
			texts[name] = kit.Read(t, name)
		}
	}
	sourced := map[string]string{}
	for name, text := range texts {
		sourced[name] = sourceLines(text)
	}
	var tests []string
	for name, text := range texts {
		if interpreter(name, text) == "" || sourcedByOther(sourced, name) {
			continue
		}
		speaks := path.Ext(name) == ".bats" || printsTAP.MatchString(text)
		for other, lib := range texts {
			if speaks || sourced[name] == "" {
				break
			}
			speaks = other != name && sources(sourced[name], other) && printsTAP.MatchString(lib)
		}
		if speaks {
			tests = append(tests, name)
		}
	}
	sort.Strings(tests)
	return tests
}

// sourceLines are the lines with which a script reads other files in.
func sourceLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, ". ") || strings.HasPrefix(line, "source ") || strings.HasPrefix(line, "load ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// sources says that such lines name a file, with or without its extension.
func sources(lines, other string) bool {
	base := path.Base(other)
	return lines != "" && strings.Contains(lines, strings.TrimSuffix(base, path.Ext(base)))
}

func sourcedByOther(sourced map[string]string, name string) bool {
	for other, lines := range sourced {
		if other != name && sources(lines, name) {
			return true
		}
	}
	return false
}

// Detect recognises at least one test script.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	tests := shellTests(t)
	if len(tests) == 0 {
		return schema.Recipe{}, false
	}
	r := schema.Recipe{
		Toolchain: "shell", Report: "tap", Image: kit.DistroImage,
		Packages: []string{"ca-certificates", "git"},
		Why:      []string{fmt.Sprintf("toolchain shell: %s speaks TAP (%d scripts)", tests[0], len(tests))},
	}
	for _, name := range tests {
		if by := interpreter(name, kit.Read(t, name)); by != "sh" && by != "dash" && !slices.Contains(r.Packages, by) {
			r.Packages = append(r.Packages, by)
			r.Why = append(r.Why, "package "+by+": "+name)
		}
	}
	sort.Strings(r.Packages[2:])
	return r, true
}

// Select runs the hidden scripts. Any other hidden file selects the scripts of the
// nearest folder, unless one of them is selected already.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	return kit.PickFiles(t, r, shellTests(t), hidden, "no test script stands beside it")
}

// Plan runs one script a command. Siblings are reached through
// $WIDESWE_WORKSPACE/owner/name; single tests of a script can't be left out.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Report: "tap", Wire: kit.PathLines(j.Recipe),
		Setup: slices.Clone(j.Recipe.Setup),
		Warm:  slices.Clone(j.Recipe.Warm), Build: slices.Clone(j.Recipe.Build)}
	if j.Recipe.Test != "" {
		return kit.OwnPlan(p, j, j.Selection.AllFiles())
	}
	p.Whole = true
	if len(j.Skip) > 0 {
		p.Notes = append(p.Notes, "a script's tests can't be left out one by one: the scripts run whole")
	}
	lines := []string{
		kit.ScriptBegin,
		`run() { report=$1; shift; code=0`,
		`  mkdir -p "$(dirname "$out/$report")"`,
		`  "$@" >"$out/$report" </dev/null || code=$?`,
		`  worse; }`,
	}
	limit := ""
	if j.Recipe.Timeout > 0 {
		limit = fmt.Sprintf("timeout -k 5 %d ", j.Recipe.Timeout)
	}
	for _, name := range kit.ShuffledFiles(j.Selection.Files, j.Shuffle) {
		if !kit.WantsFile(j.Only, name) {
			continue
		}
		by := interpreter(name, kit.Read(j.RunnerTree(), name))
		switch by {
		case "":
			by = "sh"
		case "bats":
			by = "bats --tap"
		}
		lines = append(lines, "run "+kit.Quote(name+".tap")+" "+limit+by+" "+kit.Quote("./"+name))
		p.Files = append(p.Files, name+".tap")
	}
	p.Test = kit.Script(lines)
	return p, nil
}
