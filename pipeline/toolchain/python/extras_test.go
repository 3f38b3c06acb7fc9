package python

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

const flit = "[build-system]\nrequires = [\"flit_core\"]\n"

// TestPythonSetup: what each way of naming the requirements of tests installs.
func TestPythonSetup(t *testing.T) {
	const install, backend = `python -m pip install -e "$WIDESWE_REPO"`, `python -m pip install flit_core`
	here := func(words string) string { return `(cd "$WIDESWE_REPO" && python -m pip install ` + words + `)` }
	for _, c := range []struct {
		name string
		tree kit.Map
		want []string
	}{
		{"groups of PEP 735, as they are spelled", kit.Map{"pyproject.toml": flit +
			"[dependency-groups]\nlint = ['ruff']\nUnit_Tests = ['pytest']\ndev = [{include-group = 'lint'}]\n"},
			[]string{backend, install, here("--group Unit_Tests")}},
		{"groups for developers where there are none for tests", kit.Map{"pyproject.toml": flit +
			"[dependency-groups]\nlint = ['ruff']\ndev = ['pytest']\n"},
			[]string{backend, install, here("--group dev")}},
		{"uv's list for developers", kit.Map{"pyproject.toml": flit +
			"[tool.uv]\ndev-dependencies = [\n  \"pytest>=8\",\n  \"anyio[trio]; python_version < '3.14'\",\n]\n"},
			[]string{backend, install, `python -m pip install 'anyio[trio]; python_version < '\''3.14'\''' 'pytest>=8'`}},
		{"uv's default groups", kit.Map{"pyproject.toml": flit +
			"[dependency-groups]\nchecks = ['pytest']\ndocs = ['sphinx']\n[tool.uv]\ndefault-groups = [\"checks\", \"gone\"]\n"},
			[]string{backend, install, here("--group checks")}},
		{"pdm's tables", kit.Map{"pyproject.toml": flit +
			"[tool.pdm.dev-dependencies]\ntest = [\"pytest\", \"-e file:///${PROJECT_ROOT}/sub\"]\nlint = ['ruff']\n"},
			[]string{backend, install, `python -m pip install pytest`}},
		{"poetry's groups, ranges and conditions", kit.Map{"pyproject.toml": flit + `[tool.poetry]
name = "p"
[tool.poetry.dependencies]
python = ">=3.9"
[tool.poetry.group.test.dependencies]
pytest = "^8.1"
attrs = "~23.2"
stubs = "^20240101"
zero = "^0.0.3"
trio = {version = "^0.25.1", extras = ["x", "y"], markers = "sys_platform == 'linux'"}
old = {version = "*", python = "<3.11"}
mine = {path = "../mine", develop = true}
near = {git = "https://example.org/near.git", tag = "v1"}
exact = "1.2.3"
[tool.poetry.group.docs.dependencies]
sphinx = "*"
`}, []string{backend, install, `python -m pip install 'attrs>=23.2,<23.3' exact==1.2.3 'near @ ` +
			`git+https://example.org/near.git@v1' 'old ; python_version < "3.11"' 'pytest>=8.1,<9' ` +
			`'stubs>=20240101,<20240102' 'trio[x,y]>=0.25.1,<0.26 ; sys_platform == '\''linux'\''' 'zero>=0.0.3,<0.0.4'`}},
		{"poetry before groups", kit.Map{"pyproject.toml": flit +
			"[tool.poetry]\nname = \"p\"\n[tool.poetry.dev-dependencies]\npytest = \"^7.4 || ^8\"\n"},
			[]string{backend, install, `python -m pip install pytest`}},
		{"pipenv", kit.Map{"Pipfile": "[packages]\nflask = \"*\"\n\"me\" = {editable = true, path = " +
			"\".\"}\n[dev-packages]\npytest = \"==8.0\"\n[requires]\npython_version = \"3.12\"\n", "requirements.txt": ""},
			[]string{here("-r requirements.txt"), `python -m pip install flask pytest==8.0`}},
		{"pipenv alone", kit.Map{"Pipfile": "[dev-packages]\npytest = \"*\"\n"}, []string{`python -m pip install pytest`}},
		{"hatch's environment of tests", kit.Map{"pyproject.toml": flit +
			"[project.optional-dependencies]\nzmq = ['pyzmq']\n[tool.hatch.envs.default]\ndependencies = " +
			"['ruff']\n[tool.hatch.envs.hatch-test]\nextra-dependencies = ['pytest-xdist', 'lib @ {root:uri}/lib']\nfeatures " +
			"= ['zmq', 'none']\n"},
			[]string{backend, install + "'[zmq]'", `python -m pip install pytest-xdist`}},
		{"hatch's default environment, in its own file", kit.Map{"pyproject.toml": flit,
			"hatch.toml": "[envs.default]\ndependencies = [\"pytest\"]\n"},
			[]string{backend, install, `python -m pip install pytest`}},
		{"setup.py's tests_require and variants of names",
			kit.Map{"setup.py": "setup(name='p', tests_require=[\n 'pytest',\n \"mock>=2\"], extras_require={\n 'docs': " +
				"['x'], 'unit-test': ['y']})"},
			[]string{`python -m pip install setuptools wheel`, install + "'[unit-test]'",
				`python -m pip install 'mock>=2' pytest`}},
		{"requirements below folders", kit.Map{"setup.py": "setup(name='p')", "requirements/requirements-test.txt": "pytest",
			"tests/requirements.txt": "x", "requirements/dev.txt": "black"},
			[]string{here("-r requirements/requirements-test.txt"), here("-r tests/requirements.txt"),
				`python -m pip install setuptools wheel`, install}},
		{"tox.ini", kit.Map{"setup.py": "setup(name='p', extras_require={'fast': ['x'], 'dev': ['black']})", "tox.ini": `[tox]
envlist = py39, py313
[base]
deps =
    pytest>=7  # runner
    -r requirements.txt
[testenv]
deps =
    {[base]deps}
    -ctests/constraints.txt
    py39: old
    !py39: new
    py313,pypy: newer<2
    py313-django: no
    cov: coverage
    ; a comment of an INI file
    # and another
    .[fast, gone]
    git+https://example.org/x.git
    {env:MORE}
[testenv:docs]
deps = sphinx
`}, []string{`python -m pip install setuptools wheel`, install + "'[fast]'",
			here("'pytest>=7' -r requirements.txt -c tests/constraints.txt new 'newer<2'")}},
		{"tox within pyproject.toml, both ways", kit.Map{"pyproject.toml": flit +
			"[dependency-groups]\nlive = ['x']\n[tool.tox.env_run_base]\ndependency_groups = [\"live\"]\ndeps = " +
			"[\"pytest-mock\"]\n"},
			[]string{backend, install, here("--group live"), here("pytest-mock")}},
		{"tox's older way within pyproject.toml", kit.Map{"pyproject.toml": flit +
			"[tool.tox]\nlegacy_tox_ini = \"\"\"\n[testenv]\ndeps =\n  pytest\n\"\"\"\n"},
			[]string{backend, install, here("pytest")}},
		{"a requirements file that tox names too comes once", kit.Map{"setup.py": "setup(name='p')",
			"test-requirements.txt": "pytest", "tox.ini": "[testenv]\ndeps = -rtest-requirements.txt\n"},
			[]string{here("-r test-requirements.txt"), `python -m pip install setuptools wheel`, install}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.tree["p.py"] = ""
			r, ok := Toolchain{}.Detect(c.tree)
			if diff := cmp.Diff(c.want, r.Setup); diff != "" || !ok {
				t.Errorf("-want +got\n%s%q", diff, r.Why)
			}
		})
	}
}

// TestPythonToxCommands: what tox hands to its pytest and to the environment.
func TestPythonToxCommands(t *testing.T) {
	tree := kit.Map{"setup.py": "setup(name='p')", "p.py": "", "tox.ini": `[testenv]
setenv =
    DJANGO_SETTINGS_MODULE = tests.settings
    PYTHONPATH = src
    DATA = {toxinidir}/data
    ROOT = {envdir}
    PY_COLORS = 1
commands =
    python -m pip list
    pytest -p no:randomly -W "error::DeprecationWarning" --cov=p --import-mode=importlib --junitxml out.xml -n auto -m 'not slow' {posargs:tests}
`}
	r, _ := Toolchain{}.Detect(tree)
	for name, want := range map[string]string{
		"DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": "src", "DATA": "data", "ROOT": "", "PY_COLORS": "0",
		"PYTEST_ADDOPTS": "-p no:randomly -W error::DeprecationWarning --import-mode=importlib",
	} {
		if r.Env[name] != want {
			t.Errorf("%s=%q, want %q", name, r.Env[name], want)
		}
	}
	p, err := Toolchain{}.Plan(kit.Job{Recipe: r, Repository: "o/p", Tree: tree})
	if wire := strings.Join(p.Wire, "\n"); err != nil || strings.Contains(wire, "unset PYTHONPATH") ||
		strings.Contains(wire, "unset PYTEST_ADDOPTS") {
		t.Errorf("%v: the wiring takes away what the recipe sets\n%s", err, wire)
	}
}

const uvLock = `version = 1
requires-python = ">=3.10, <3.12"

[[package]]
name = "Pytest"
version = "8.3.5"
source = { registry = "https://example.org/simple" }
dependencies = [
    { name = "iniconfig" },
]
wheels = [
    { url = "https://example.org/pytest-8.3.5.whl" },
]

[[package]]
name = "numpy"
version = "1.26.0"
source = { registry = "https://example.org/simple" }

[[package]]
name = "numpy"
version = "2.1.0"
source = { registry = "https://example.org/simple" }

[[package]]
name = "acme-lib"
version = "2.0"
source = { registry = "https://example.org/simple" }

[[package]]
name = "app"
version = "1.0"
source = { editable = "." }

[[package]]
name = "near"
version = "0.1"
source = { git = "https://example.org/near.git?rev=1#1" }
`

// TestPythonLocks: each lock file's versions pin what setup fetches.
func TestPythonLocks(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		requires         string
		want             map[string]string
	}{
		{"uv", "uv.lock", uvLock, ">=3.10, <3.12", map[string]string{"pytest": "8.3.5", "acme-lib": "2.0"}},
		{"poetry", "poetry.lock", "[[package]]\nname = \"attrs\"\nversion = \"23.2.0\"\npython-versions = " +
			"\">=3.7\"\n[package.extras]\ndev = [\"x\"]\n\n[[package]]\nname = \"mine\"\nversion = " +
			"\"1\"\n[package.source]\ntype = \"git\"\n\n[metadata]\nlock-version = \"2.0\"\npython-versions = \"^3.9\"\n",
			"^3.9", map[string]string{"attrs": "23.2.0"}},
		{"pdm", "pdm.lock", "[metadata]\ngroups = [\"default\"]\n\n[[package]]\nname = \"idna\"\nversion = " +
			"\"3.7\"\nrequires_python = \">=3.5\"\n\n[[package]]\nname = \"sub\"\nversion = \"0\"\npath = \"./sub\"\n",
			"", map[string]string{"idna": "3.7"}},
		{"PEP 751", "pylock.toml", "lock-version = \"1.0\"\nrequires-python = \">=3.12\"\n\n[[packages]]\nname = " +
			"\"idna\"\nversion = \"3.7\"\nwheels = [{name = \"x\"}]\n\n[[packages]]\nname = \"v\"\nversion = \"1\"\nvcs = " +
			"{type = \"git\"}\n",
			">=3.12", map[string]string{"idna": "3.7"}},
		{"pipenv", "Pipfile.lock", `{"_meta": {"requires": {"python_version": "3.11"}}, "default": {"Flask": {"version": ` +
			`"==3.0.0"}, "me": {"editable": true, "path": "."}}, "develop": {"pytest": {"version": "==8.0"}, "odd": ` +
			`{"version": "==1; rm"}}}`,
			"==3.11.*", map[string]string{"flask": "3.0.0", "pytest": "8.0"}},
		{"no lock file of any kind", "uv.lock", "\x00[[package", "", map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := readPythonLock(kit.Map{"sub/" + c.file: c.text}, "sub")
			if diff := cmp.Diff(c.want, l.versions); diff != "" || l.requires != c.requires || l.file != "sub/"+c.file {
				t.Errorf("%s requires %q: -want +got\n%s", l.file, l.requires, diff)
			}
		})
	}
}

// TestPythonLockedSetup: a lock file decides on the Python where nothing else does;
// a sibling's release is no constraint, whatever the lock file says.
func TestPythonLockedSetup(t *testing.T) {
	app := kit.Map{"pyproject.toml": flit + "[project]\nname = \"app\"\ndependencies = " +
		"[\"acme_lib>=2\"]\n[dependency-groups]\ntests = ['pytest']\n", "uv.lock": uvLock, "app.py": "", "test_app.py": ""}
	r, _ := Toolchain{}.Detect(app)
	if r.Runtime != "3.11" || r.Image != "debian:bookworm" {
		t.Errorf("runtime %s on %s", r.Runtime, r.Image)
	}
	lib := kit.Map{"setup.py": "setup(name='Acme.Lib')", "acme_lib.py": ""}
	p, err := Toolchain{}.Plan(kit.Job{Recipe: r, Repository: "acme/app", Tree: app,
		Siblings:  []kit.Sibling{{Repository: "acme/lib", Tree: lib}},
		Selection: kit.Selection{Files: []string{"test_app.py"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`printf '%s\n' pytest==8.3.5 >"$WIDESWE_TMP"/locked.txt`,
		`locked() { PIP_CONSTRAINT="$WIDESWE_TMP"/locked.txt "$@" || "$@"; }`,
		`python -m pip install setuptools wheel`,
		`python -m pip install --no-deps -e "$WIDESWE_WORKSPACE"/acme/lib || true`,
		`python -m pip install flit_core`,
		`locked python -m pip install -e "$WIDESWE_REPO"`,
		`(cd "$WIDESWE_REPO" && locked python -m pip install --group tests)`,
		`locked python -m pip install -e "$WIDESWE_WORKSPACE"/acme/lib`,
		`python -c 'import pytest' || locked python -m pip install pytest`,
	}
	if diff := cmp.Diff(want, p.Setup[2:]); diff != "" {
		t.Errorf("setup: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"pyproject.toml", "uv.lock"}, p.Manifests); diff != "" {
		t.Errorf("manifests: -want +got\n%s", diff)
	}
}

// TestPythonImages: the image of each version exists, under the name it had last.
func TestPythonImages(t *testing.T) {
	for requires, want := range map[string]string{
		">=3.9": "debian:trixie", "<3.13": "debian:bookworm", ">=3.12,<3.13": "python:3.12-trixie",
		">=3.14": "python:3.14-trixie",
		"<3.10":  "python:3.9-trixie", "<3.9": "python:3.8-bookworm", "==3.7.*": "python:3.7-bookworm",
		"<3.7": "python:3.6-bullseye",
	} {
		r, _ := Toolchain{}.Detect(kit.Map{"setup.py": "setup(python_requires='" + requires + "')", "p.py": ""})
		debian := strings.HasPrefix(want, "debian:")
		if r.Image != want || debian != strings.Contains(strings.Join(r.Packages, " "), "python3-venv") {
			t.Errorf("%s: %s with %v, want %s", requires, r.Image, r.Packages, want)
		}
	}
}

// TestPythonUnittestFiles: unittest's and Django's names count where they are hidden tests.
func TestPythonUnittestFiles(t *testing.T) {
	tree := kit.Map{"app/tests.py": "class A(django.test.TestCase):\n    pass\n", "app/testing.py": "class Base: pass\n",
		"t/testparse.py": "class P(unittest.TestCase): pass\n",
		"t/test_a.py":    "", "t/other.py": "class O(TestCase): pass\n", "p.py": ""}
	got := pythonTests(tree, []string{"app/tests.py", "app/testing.py", "t/testparse.py", "t/other.py"})
	if diff := cmp.Diff([]string{"app/tests.py", "t/test_a.py", "t/testparse.py"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestPythonMembers: what uv takes from the same tree is not asked of an index.
func TestPythonMembers(t *testing.T) {
	tree := kit.Map{"pyproject.toml": flit + "[project]\nname = \"root\"\ndependencies = [\"core\", " +
		"\"other\"]\n[tool.uv.workspace]\nmembers = [\"packages/*\"]\n[tool.uv.sources]\ncore = { workspace = true " +
		"}\nother = { index = \"x\" }\n",
		"root.py": "", "packages/core/pyproject.toml": flit + "[project]\nname = \"core\"\n",
		"packages/other/pyproject.toml": flit + "[project]\nname = \"other\"\n", "test_root.py": ""}
	r, _ := Toolchain{}.Detect(tree)
	p, err := Toolchain{}.Plan(kit.Job{Recipe: r, Repository: "o/root", Tree: tree,
		Selection: kit.Selection{Files: []string{"test_root.py"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`python -m pip install flit_core`,
		`python -m pip install --no-deps -e "$WIDESWE_REPO"/packages/core || true`,
		`python -m pip install -e "$WIDESWE_REPO"`,
		`python -m pip install -e "$WIDESWE_REPO"/packages/core`,
		`python -c 'import pytest' || python -m pip install pytest`,
	}
	if diff := cmp.Diff(want, p.Setup[2:]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
