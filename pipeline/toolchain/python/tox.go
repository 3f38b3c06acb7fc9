package python

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// toxEnv is what a project's tox says of the environment that runs its tests.
type toxEnv struct {
	file   string
	deps   []string // words for pip, from the project's folder
	extras []string
	groups []string
	pytest []string // options of its pytest that change what tests do
	env    map[string]string
}

// readTox reads the environment that runs tests: tox's own ini, in whichever file it
// stands, or its TOML.
func readTox(t kit.Tree, dir string, minor int) toxEnv {
	at := func(name string) string { return path.Join(dir, name) }
	for _, f := range []struct{ name, text string }{
		{"tox.ini", kit.Read(t, at("tox.ini"))},
		{"setup.cfg", kit.Read(t, at("setup.cfg"))},
		{"pyproject.toml", kit.FirstGroup(legacyTox, kit.Read(t, at("pyproject.toml")))},
	} {
		if s := sections(f.text); s["testenv"] != nil {
			e := toxEnv{file: at(f.name), env: map[string]string{}}
			e.ini(s, minor)
			return e
		}
	}
	for _, f := range []struct{ name, prefix string }{{"tox.toml", ""}, {"pyproject.toml", "tool.tox."}} {
		s := sections(kit.Read(t, at(f.name)))
		if base := s[f.prefix+"env_run_base"]; base != nil {
			e := toxEnv{file: at(f.name), env: map[string]string{}}
			e.toml(base)
			return e
		}
	}
	return toxEnv{}
}

var (
	legacyTox  = regexp.MustCompile(`(?s)legacy_tox_ini\s*=\s*(?:"""|''')(.*?)(?:"""|''')`)
	toxFactor  = regexp.MustCompile(`^([!\w.{},-]+):[ \t]+(\S.*)$`)
	toxSection = regexp.MustCompile(`\{\[([\w:.-]+)\]([\w-]+)\}`)
)

// maxToxDepth bounds references from one section to another.
const maxToxDepth = 4

func (e *toxEnv) ini(s map[string]map[string]string, minor int) {
	values := func(key string) []string { return toxLines(s, "testenv", key, minor, maxToxDepth) }
	for _, line := range values("deps") {
		e.dep(line)
	}
	for _, key := range []string{"extras", "dependency_groups"} {
		for _, line := range values(key) {
			for _, name := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' }) {
				if key == "extras" {
					e.extras = append(e.extras, name)
				} else {
					e.groups = append(e.groups, name)
				}
			}
		}
	}
	for _, line := range append(values("setenv"), values("set_env")...) {
		if k, v, ok := strings.Cut(line, "="); ok {
			e.set(strings.TrimSpace(k), strings.TrimSpace(v))
		}
	}
	for _, line := range values("commands") {
		e.command(strings.Fields(line))
	}
}

func (e *toxEnv) toml(base map[string]string) {
	for _, dep := range kit.QuotedStrings(base["deps"]) {
		e.dep(dep)
	}
	e.extras, e.groups = kit.QuotedStrings(base["extras"]), kit.QuotedStrings(base["dependency_groups"])
	for _, m := range tomlField.FindAllStringSubmatch(base["set_env"], 50) {
		e.set(m[1], m[2]+m[3])
	}
	for command := range strings.SplitSeq(base["commands"], "]") {
		e.command(kit.QuotedStrings(command))
	}
}

// toxLines are a key's lines with references followed, conditions judged and
// comments gone. Lines that only tox can finish are left out.
func toxLines(s map[string]map[string]string, section, key string, minor, depth int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(s[section][key], "\\\n", " "), "\n") {
		if i := strings.Index(line, " #"); i >= 0 || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			line = line[:max(i, 0)]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if m := toxFactor.FindStringSubmatch(line); m != nil {
			if !toxHolds(m[1], minor) {
				continue
			}
			line = m[2]
		}
		if m := toxSection.FindStringSubmatch(line); m != nil && m[0] == line && depth > 0 {
			lines = append(lines, toxLines(s, m[1], m[2], minor, depth-1)...)
			continue
		}
		for _, own := range []string{"{toxinidir}/", "{tox_root}/", "{toxinidir}", "{tox_root}"} {
			line = strings.ReplaceAll(line, own, "")
		}
		lines = append(lines, line)
	}
	return lines
}

// toxHolds judges a condition of factors: a comma is or, a hyphen is and.
func toxHolds(condition string, minor int) bool {
	known := []string{"py", "py3", fmt.Sprintf("py3%d", minor), fmt.Sprintf("py3.%d", minor), fmt.Sprintf("3.%d", minor),
		"cpython", "linux"}
	for alternative := range strings.SplitSeq(condition, ",") {
		holds := true
		for factor := range strings.SplitSeq(alternative, "-") {
			name, not := strings.CutPrefix(factor, "!")
			if slices.Contains(known, name) == not {
				holds = false
			}
		}
		if holds {
			return true
		}
	}
	return false
}

// dep takes a line that pip reads as it stands; the project itself becomes its extras.
func (e *toxEnv) dep(line string) {
	// What lies at an address is no version of this commit's day, and may be a sibling's.
	if strings.ContainsAny(line, "{}\x00") || strings.Contains(line, "://") {
		return
	}
	bare := strings.TrimSpace(strings.TrimPrefix(line, "-e"))
	if m := selfInstall.FindStringSubmatch(bare); m != nil {
		for name := range strings.SplitSeq(m[1], ",") {
			if name = strings.TrimSpace(name); name != "" {
				e.extras = append(e.extras, name)
			}
		}
		return
	}
	for option, short := range toxOptions {
		if rest, ok := strings.CutPrefix(line, option); ok {
			e.deps = append(e.deps, short, strings.TrimSpace(rest))
			return
		}
	}
	if !strings.HasPrefix(line, "-") {
		e.deps = append(e.deps, line)
	}
}

// toxOptions are the options of pip that a line may begin with.
var toxOptions = map[string]string{"-r": "-r", "-c": "-c", "-e": "-e", "--requirement=": "-r", "--constraint=": "-c"}

var selfInstall = regexp.MustCompile(`^\.(?:\[([\w.,\s-]*)\])?$`)

// set keeps a variable whose value stands there.
func (e *toxEnv) set(name, value string) {
	if envName.MatchString(name) && !strings.ContainsAny(value, "{}") && !toxHidden[name] {
		e.env[name] = value
	}
}

var (
	envName = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	// toxHidden are the variables that we set ourselves, or that only measure.
	toxHidden = map[string]bool{"PATH": true, "HOME": true, "PYTHONHASHSEED": true, "PYTHONDONTWRITEBYTECODE": true,
		"PY_COLORS": true, "COLUMNS": true, "TERM": true,
		"VIRTUAL_ENV": true, "PYTEST_ADDOPTS": true, "COVERAGE_FILE": true, "COVERAGE_PROCESS_START": true,
		"TOX_ENV_NAME": true, "PIP_CONSTRAINT": true}
)

// pytestKept are the options of pytest that decide what tests do and mean; the others
// choose files and reports. Those in the first list take a value.
var (
	pytestValued = []string{"-p", "-W", "--pythonwarnings", "--import-mode", "--ds", "--dc", "--asyncio-mode",
		"--anyio-mode", "--pythonpath"}
	pytestBare = []string{"--reuse-db", "--nomigrations", "--no-migrations"}
)

// command takes the options of a pytest among the commands.
func (e *toxEnv) command(words []string) {
	start := slices.IndexFunc(words, func(w string) bool {
		return w == "pytest" || w == "py.test" || strings.HasSuffix(w,
			"/pytest")
	})
	if start < 0 || len(e.pytest) > 0 {
		return
	}
	words = words[start+1:]
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(strings.Trim(words[i], `"'`), "=")
		switch {
		case strings.ContainsAny(words[i], "{}"):
		case slices.Contains(pytestValued, name) && joined:
			e.pytest = append(e.pytest, name+"="+value)
		case slices.Contains(pytestValued, name) && i+1 < len(words) && !strings.ContainsAny(words[i+1], "{}"):
			i++
			e.pytest = append(e.pytest, name, strings.Trim(words[i], `"'`))
		case slices.Contains(pytestBare, name) && !joined:
			e.pytest = append(e.pytest, name)
		}
	}
}
