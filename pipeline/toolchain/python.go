package toolchain

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Python is the toolchain of Python projects tested by pytest (which runs
// unittest's tests too).
type Python struct{}

const distroPython = 13 // 3.13

// Name is the recipe's word.
func (Python) Name() string { return "python" }

// pythonProject says that the root is a Python project.
func pythonProject(t Tree) bool {
	if has(t, "pyproject.toml") || has(t, "setup.py") || has(t, "setup.cfg") {
		return pythonFiles(t)
	}
	for _, name := range t.Files() {
		if !strings.Contains(name, "/") && (name == "tox.ini" || name == "pytest.ini" || strings.HasPrefix(name, "requirements") && path.Ext(name) == ".txt") {
			return pythonFiles(t)
		}
	}
	return false
}

func pythonFiles(t Tree) bool {
	return slices.ContainsFunc(t.Files(), func(name string) bool { return path.Ext(name) == ".py" })
}

// Detect recognises a project file at the root.
func (Python) Detect(t Tree) (schema.Recipe, bool) {
	if !pythonProject(t) {
		return schema.Recipe{}, false
	}
	p := readPythonProject(t, ".")
	r := schema.Recipe{
		Toolchain: "python", Report: "junit", Image: distroImage,
		Packages: []string{"build-essential", "ca-certificates", "git"},
		Env: map[string]string{
			// What a program without a terminal sees, whatever the machine says.
			"COLUMNS": "80", "PY_COLORS": "0", "TERM": "dumb", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
			"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_NO_CACHE_DIR": "1",
		},
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain python: %s", p.manifest)
	minor, from := pythonVersion(t, p)
	r.Runtime = fmt.Sprintf("3.%d", minor)
	because("runtime %s: %s", r.Runtime, from)
	if minor == distroPython {
		r.Packages = append(r.Packages, "python3", "python3-dev", "python3-venv")
	} else {
		r.Image = "python:" + r.Runtime + "-trixie"
		because("image %s: the distribution's Python is 3.%d", r.Image, distroPython)
	}
	if p.scm != "" {
		// The workspace has no tags to count versions from.
		r.Env["SETUPTOOLS_SCM_PRETEND_VERSION"], r.Env["PBR_VERSION"] = "99.0.0", "99.0.0"
		because("version 99.0.0: %s takes it from git's tags", p.scm)
	}
	r.Setup = p.install()
	for _, why := range p.why {
		because("%s", why)
	}
	if p.compiled != "" {
		r.Build = []string{p.rebuild()}
		because("rebuilt after patches: %s", p.compiled)
	}
	return r, true
}

var ciPythonVersion = regexp.MustCompile(`python-version:?\s*\[?\s*["']?3\.(\d+)`)

// pythonVersion is the distribution's where requires-python admits it, else the
// newest it admits.
func pythonVersion(t Tree, p pythonInfo) (minor int, from string) {
	from = "nothing rules it out"
	if p.requires != "" {
		from = p.manifest + " says " + p.requires
	}
	if ci, file := ciPython(t); ci > 0 {
		from += fmt.Sprintf("; %s uses 3.%d", file, ci)
	}
	for _, minor := range []int{distroPython, 14, 12, 11, 10, 9, 8, 7, 6} {
		if admits(p.requires, minor) {
			return minor, from
		}
	}
	return distroPython, from + ", which no version known here meets"
}

func ciPython(t Tree) (minor int, file string) {
	for _, name := range t.Files() {
		if !strings.HasPrefix(name, ".github/workflows/") && name != ".gitlab-ci.yml" {
			continue
		}
		for _, m := range ciPythonVersion.FindAllStringSubmatch(read(t, name), 50) {
			if n := atoi(m[1]); n > minor {
				minor, file = n, name
			}
		}
	}
	return minor, file
}

var specifier = regexp.MustCompile(`(===?|>=|<=|>|<|!=|~=|\^)\s*v?3(?:\.(\d+))?(?:\.(\d+|\*))?`)

// admits checks 3.MINOR against a version specifier.
func admits(spec string, minor int) bool {
	if strings.Contains(spec, "||") || strings.Contains(spec, " or ") {
		return true
	}
	for _, m := range specifier.FindAllStringSubmatch(spec, 20) {
		n, given, patch := atoi(m[2]), m[2] != "", m[3] != "" && m[3] != "*" && m[3] != "0"
		ok := true
		switch m[1] {
		case ">=", "^":
			ok = minor >= n
		case ">":
			ok = minor > n || patch && minor == n
		case "<":
			ok = minor < n || patch && minor == n
		case "<=":
			ok = minor <= n
		case "~=":
			ok = minor >= n && (m[3] == "" || minor == n)
		case "==", "===":
			ok = !given || minor == n
		case "!=":
			ok = !given || patch || minor != n
		}
		if !ok {
			return false
		}
	}
	return true
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1e6 {
			return n
		}
		n = n*10 + int(c-'0')
	}
	return n
}

var pythonFilesOption = regexp.MustCompile(`(?m)^\s*python_files\s*=\s*(\[[^\]]*\]|.*(?:\n[ \t]+\S.*)*)`)

// pythonTests lists the files that pytest would collect by their names.
func pythonTests(t Tree) []string {
	patterns := []string{"test_*.py", "*_test.py"}
	for _, name := range []string{"pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
		if m := pythonFilesOption.FindStringSubmatch(read(t, name)); m != nil {
			patterns = strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune("[]\"', \t\r\n", r) })
			break
		}
	}
	var tests []string
	for _, name := range t.Files() {
		for _, p := range patterns {
			whole, _ := path.Match(p, name)
			base, _ := path.Match(p, path.Base(name))
			if path.Ext(name) == ".py" && (whole || base) {
				tests = append(tests, name)
				break
			}
		}
	}
	return tests
}

// Select runs the hidden test files; a conftest.py or a fixture selects the test
// files of its folder, unless one of them is selected already.
func (Python) Select(t Tree, r schema.Recipe, hidden []string) (Selection, error) {
	return pickFiles(t, r, pythonTests(t), hidden, "no test file stands beside it")
}

// Plan writes the commands. The environment lies outside the trees; the target
// and the siblings it depends on are installed from their trees, editable, the
// siblings last, so that no published version takes their place. Every file has
// a pytest of its own: one that dies takes no other with it.
func (Python) Plan(j Job) (Plan, error) {
	p := Plan{Env: copyEnv(j.Recipe), Report: "junit"}
	p.Wire = append([]string{
		`venv="${WIDESWE_CACHE:-$HOME/.cache/wideswe}/venv"`,
		`export VIRTUAL_ENV="$venv" PATH="$venv/bin:$PATH"`,
		"unset PYTEST_ADDOPTS PYTHONPATH",
	}, pathLines(j.Recipe)...)
	siblings := pythonSiblings(j)
	p.Setup = []string{`if [ ! -x "$venv/bin/python" ]; then python3 -m venv "$venv"; fi`, "python -m pip install --upgrade 'pip>=25.1'"}
	for _, s := range siblings {
		p.Setup = append(p.Setup, s.backend(), "python -m pip install --no-deps -e "+s.place+" || true")
	}
	p.Setup = append(p.Setup, j.Recipe.Setup...)
	p.Setup = append(p.Setup, nestedInstalls(j)...)
	for _, s := range siblings {
		p.Setup = append(p.Setup, "python -m pip install -e "+s.place)
	}
	p.Manifests = pythonManifests(j.Recipe.Setup, j.Tree)
	p.Setup = unique(append(p.Setup, "python -c 'import pytest' || python -m pip install pytest"))
	p.Warm = slices.Clone(j.Recipe.Warm)
	p.Build = slices.Clone(j.Recipe.Build)
	for _, s := range siblings {
		if s.compiled != "" {
			p.Build = append(p.Build, s.rebuild())
		}
	}
	return pytest(p, j)
}

func pytest(p Plan, j Job) (Plan, error) {
	if j.Recipe.Test != "" {
		return ownPlan(p, j, j.Selection.files())
	}
	order, before, plugin := pytestShuffle(j.Shuffle)
	lines := append(order,
		`out="$WIDESWE_OUT"; unset WIDESWE_OUT; worst=0`,
		`run() { name=$1; shift; code=0`,
		// A file that can't be collected must not hide the others.
		`  `+before+`python -m pytest`+plugin+` -p no:cacheprovider -o junit_family=xunit1 --rootdir="$WIDESWE_REPO" --color=no -v --continue-on-collection-errors --junitxml="$out/$name.xml" "$@" </dev/null >"$out/$name.log" 2>&1 || code=$?`,
		`  cat "$out/$name.log"`,
		`  if [ "$code" -gt "$worst" ]; then worst=$code; fi; }`,
	)
	n := 0
	for _, file := range shuffledFiles(j.Selection.Files, j.Shuffle) {
		args, any := pytestArgs(j, file)
		if !any {
			continue
		}
		n++
		name := fmt.Sprintf("%03d", n)
		lines = append(lines, "run "+name+" "+quoteAll(args))
		p.Files = append(p.Files, name+".xml", name+".log")
	}
	p.Test = strings.Join(append(lines, `exit "$worst"`), "\n")
	return p, nil
}

// pytestArgs names one file's tests: all, or those of Only, less those of Skip.
func pytestArgs(j Job, entry string) (args []string, any bool) {
	file, _, _ := strings.Cut(entry, "::")
	args = []string{entry}
	if len(j.Only) > 0 {
		args = nil
		for _, id := range j.Only {
			if unit, _ := schema.SplitTestID(id); unit == file {
				args = append(args, nodeOf(id))
			}
		}
		if len(args) == 0 {
			return nil, false
		}
		sort.Strings(args)
	}
	for _, id := range j.Skip {
		if unit, _ := schema.SplitTestID(id); unit == file {
			args = append(args, "--deselect="+nodeOf(id))
		}
	}
	return args, true
}

// nodeOf is the pytest node id of a test id.
func nodeOf(id string) string { return repeated.ReplaceAllString(id, "") }
