package python

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests Python projects tested by pytest (which runs
// unittest's tests too).
type Toolchain struct{}

// Name is the recipe's word.
func (Toolchain) Name() string { return "python" }

// pythonProject says that the root is a Python project.
func pythonProject(t kit.Tree) bool {
	if kit.Has(t, "pyproject.toml") || kit.Has(t, "setup.py") || kit.Has(t, "setup.cfg") {
		return pythonFiles(t)
	}
	for _, name := range t.Files() {
		if !strings.Contains(name, "/") && (name == "tox.ini" || name == "pytest.ini" || name == "Pipfile" ||
			strings.HasPrefix(name, "requirements") && path.Ext(name) == ".txt") {
			return pythonFiles(t)
		}
	}
	return false
}

func pythonFiles(t kit.Tree) bool {
	return slices.ContainsFunc(t.Files(), func(name string) bool { return path.Ext(name) == ".py" })
}

// Detect recognises a project file at the root.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	if !pythonProject(t) {
		return schema.Recipe{}, false
	}
	p := readPythonProject(t, ".")
	r := schema.Recipe{
		Toolchain: "python", Report: "junit", Image: kit.DistroImage,
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
	image, debian := pythonImage(minor)
	if debian {
		r.Packages = append(r.Packages, "python3", "python3-dev", "python3-venv")
	}
	if r.Image = image; image != kit.DistroImage {
		because("image %s: Python in %s is 3.%d", image, kit.DistroImage, distroPython)
	}
	if p.scm != "" {
		// The workspace has no tags to count versions from.
		for _, name := range scmVariables {
			r.Env[name] = "99.0.0"
		}
		because("version 99.0.0: %s takes it from git's tags", p.scm)
	}
	p.setEnv(r.Env)
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

// Select runs the hidden test files; a conftest.py or a fixture selects the test
// files of its folder, unless one of them is selected already.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	return kit.PickFiles(t, r, pythonTests(t, hidden), hidden, "no test file stands beside it")
}

// Plan writes the commands. The environment lies outside the trees; the target
// and the siblings it depends on are installed from their trees, editable, the
// siblings last, so that no published version takes their place. Every file has
// a pytest of its own: one that dies takes no other with it.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Report: "junit"}
	p.Wire = append([]string{
		`venv="${WIDESWE_CACHE:-$HOME/.cache/wideswe}/venv"`,
		`export VIRTUAL_ENV="$venv" PATH="$venv/bin:$PATH"`,
	}, kit.PathLines(j.Recipe)...)
	for _, name := range []string{"PYTEST_ADDOPTS", "PYTHONPATH"} {
		if p.Env[name] == "" {
			p.Wire = append(p.Wire, "unset "+name)
		}
	}
	root, siblings := readPythonProject(j.Tree, "."), append(pythonMembers(j.Tree), pythonSiblings(j)...)
	p.Setup = []string{`if [ ! -x "$venv/bin/python" ]; then python3 -m venv "$venv"; fi`,
		"python -m pip install --upgrade 'pip>=25.1'"}
	if slices.ContainsFunc(j.Recipe.Setup, func(line string) bool { return strings.Contains(line, "locked ") }) ||
		len(root.lock.versions) > 0 {
		p.Setup = append(p.Setup, root.lock.lines(workspaceNames(j))...)
	}
	for _, s := range siblings {
		p.Setup = append(p.Setup, s.backend(), "python -m pip install --no-deps -e "+s.place+" || true")
	}
	p.Setup = append(p.Setup, j.Recipe.Setup...)
	p.Setup = append(p.Setup, nestedInstalls(j)...)
	for _, s := range siblings {
		p.Setup = append(p.Setup, root.locked("python -m pip install -e "+s.place))
	}
	p.Manifests = pythonManifests(j.Recipe.Setup, j.Tree)
	p.Setup = kit.Unique(append(p.Setup, "python -c 'import pytest' || "+root.locked("python -m pip install pytest")))
	p.Warm = slices.Clone(j.Recipe.Warm)
	p.Build = slices.Clone(j.Recipe.Build)
	for _, s := range siblings {
		if s.compiled != "" {
			p.Build = append(p.Build, s.rebuild())
		}
	}
	return pytest(p, j)
}

func pytest(p kit.Plan, j kit.Job) (kit.Plan, error) {
	if j.Recipe.Test != "" {
		return kit.OwnPlan(p, j, j.Selection.AllFiles())
	}
	plugins, before, plugin := pytestPlugins(j.Shuffle)
	lines := append(plugins,
		kit.ScriptBegin,
		`off= only=`,
		// What the repository turns on for whole runs: a limit of coverage that one file
		// can't reach, workers that hide in which test a process died.
		// Asked for outside the tree, which may have modules of those names.
		`if (cd / && python -c 'import pytest_cov') 2>/dev/null; then off="$off --no-cov"; fi`,
		`if (cd / && python -c 'import xdist') 2>/dev/null; then off="$off -n0"; fi`,
		`run() { name=$1; shift; code=0`,
		// A file that can't be collected must not hide the others.
		`  `+before+`python -m pytest`+plugin+` -p no:cacheprovider -o junit_family=xunit1 --junit-prefix= `+
			`--rootdir="$WIDESWE_REPO" --color=no -v --maxfail=0 --continue-on-collection-errors $off `+
			`--junitxml="$out/$name.xml" "$@" </dev/null >"$out/$name.log" 2>&1 || code=$?`,
		`  cat "$out/$name.log"`,
		`  worse; }`,
	)
	n := 0
	for _, file := range kit.ShuffledFiles(j.Selection.Files, j.Shuffle) {
		args, only, any := pytestArgs(j, file)
		if !any {
			continue
		}
		n++
		name := fmt.Sprintf("%03d", n)
		run := []string{"run " + name + " " + kit.QuoteAll(args)}
		if c, ok := newPythonCanary(j, file, name); ok {
			p.Canaries = append(p.Canaries, c.Canary)
			run = c.around("run " + name + " " + kit.QuoteAll(append([]string{c.file}, args...)))
		}
		if len(only) > 0 {
			at := `"$WIDESWE_TMP/pytest/` + name + `.only"`
			run = append([]string{"only=" + at + "; printf '%s\\n' " + kit.QuoteAll(only) + " >" + at}, append(run, "only=")...)
		}
		lines = append(lines, run...)
		p.Files = append(p.Files, name+".xml", name+".log", name+".lines")
	}
	p.Test = kit.Script(lines)
	return p, nil
}

// pytestArgs names one file's tests, less those of Skip; only are the node ids of those
// of Only. The plugin chooses these: pytest itself would run none where one is not there.
func pytestArgs(j kit.Job, entry string) (args, only []string, any bool) {
	file, _, _ := strings.Cut(entry, "::")
	nodes := func(ids []string) (list []string) {
		for _, id := range ids {
			if unit, _ := schema.SplitTestID(id); unit == file {
				list = append(list, nodeOf(id))
			}
		}
		return list
	}
	if only = nodes(j.Only); len(j.Only) > 0 && len(only) == 0 {
		return nil, nil, false
	}
	sort.Strings(only)
	args = []string{entry}
	for _, node := range nodes(j.Skip) {
		args = append(args, "--deselect="+node)
	}
	return args, kit.Unique(only), true
}

// nodeOf is the pytest node id of a test id.
func nodeOf(id string) string { return kit.RepeatSuffix.ReplaceAllString(id, "") }
