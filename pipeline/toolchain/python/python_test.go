package python

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

func TestPythonDetect(t *testing.T) {
	for _, c := range []struct {
		name           string
		tree           kit.Map
		runtime, image string
		setup, build   []string
		env            map[string]string
	}{
		{"pyproject with extras and groups", kit.Map{"pyproject.toml": `[build-system]
requires = [
  "hatchling>=1.20",  # backend
  "hatch-vcs",
]
[project]
name = "My_App"
requires-python = ">=3.9"
[project.optional-dependencies]
docs = ["sphinx"]
test = ["pytest", "hypothesis[cli]"]
dev = ["black"]
[dependency-groups]
tests = ["coverage"]
`, "my_app/__init__.py": ""}, "3.13", "debian:trixie",
			[]string{`python -m pip install 'hatchling>=1.20' hatch-vcs`, `python -m pip install -e "$WIDESWE_REPO"'[test]'`,
				`(cd "$WIDESWE_REPO" && python -m pip install --group tests)`}, nil,
			map[string]string{"SETUPTOOLS_SCM_PRETEND_VERSION": "99.0.0"}},
		{"setup.cfg, an upper bound, requirements for developers",
			kit.Map{"setup.cfg": "[metadata]\nname = lib\n[options]\npython_requires = >=3.7, <3.12\n", "setup.py": "setup()",
				"requirements-dev.txt": "pytest", "lib.py": ""}, "3.11", "debian:bookworm",
			[]string{`(cd "$WIDESWE_REPO" && python -m pip install -r requirements-dev.txt)`,
				`python -m pip install setuptools wheel`, `python -m pip install -e "$WIDESWE_REPO"`}, nil, nil},
		{"setup.py with compiled parts", kit.Map{"setup.py": "setup(name='fast', extras_require={'test': ['x']}, " +
			"ext_modules=[e])", "fast.py": ""}, "3.13", "debian:trixie",
			[]string{`python -m pip install setuptools wheel`, `python -m pip install -e "$WIDESWE_REPO"'[test]'`},
			[]string{`python -m pip install --no-index --no-build-isolation --no-deps -e "$WIDESWE_REPO"`}, nil},
		{"requirements alone", kit.Map{"requirements.txt": "flask", "app.py": ""}, "3.13", "debian:trixie",
			[]string{`(cd "$WIDESWE_REPO" && python -m pip install -r requirements.txt)`}, nil, nil},
		{"poetry's own groups", kit.Map{"pyproject.toml": "[tool.poetry]\nname = \"p\"\n[tool.poetry.dependencies]\npython " +
			"= \"^3.10\"\n[tool.poetry.group.dev.dependencies]\npytest = \"^8\"\nrespx = {version = " +
			"\"*\"}\n[build-system]\nrequires = ['poetry-core']\n", "p.py": ""}, "3.13", "debian:trixie",
			[]string{`python -m pip install poetry-core`, `python -m pip install -e "$WIDESWE_REPO"`,
				`python -m pip install 'pytest>=8,<9' respx`}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := (Toolchain{}).Detect(c.tree)
			if !ok {
				t.Fatalf("not detected: %+v", r)
			}
			if r.Runtime != c.runtime || r.Image != c.image {
				t.Errorf("runtime %s, image %s; want %s, %s (%q)", r.Runtime, r.Image, c.runtime, c.image, r.Why)
			}
			if diff := cmp.Diff(c.setup, r.Setup); diff != "" {
				t.Errorf("setup: -want +got\n%s", diff)
			}
			if diff := cmp.Diff(c.build, r.Build); diff != "" {
				t.Errorf("build: -want +got\n%s", diff)
			}
			for k, v := range c.env {
				if r.Env[k] != v {
					t.Errorf("%s=%q, want %q", k, r.Env[k], v)
				}
			}
		})
	}
}

func TestPythonVersions(t *testing.T) {
	for spec, want := range map[string][2]bool{ // 3.13, 3.9
		"":                 {true, true},
		">=3.8":            {true, true},
		">=3.10,<4":        {true, false},
		"^3.10":            {true, false},
		"~=3.9":            {true, true},
		"~=3.9.1":          {false, true},
		">=3.6, <3.13":     {false, true},
		"<=3.12":           {false, true},
		">3.9":             {true, false},
		"!=3.13.*":         {false, true},
		"==3.9.*":          {false, true},
		">=2.7, !=3.0.*":   {true, true},
		">=3.7,!=3.9.7,<4": {true, true},
	} {
		if got := [2]bool{admits(spec, 13), admits(spec, 9)}; got != want {
			t.Errorf("%q admits 3.13, 3.9: %v, want %v", spec, got, want)
		}
	}
}

func pythonJob() kit.Job {
	app := kit.Map{
		"pyproject.toml": "[project]\nname = \"app\"\ndependencies = [\"acme_lib>=2\"]\n[build-system]\nrequires = " +
			"[\"setuptools\"]\n",
		"app/__init__.py": "", "tests/test_a.py": "", "tests/sub/test_b.py": "", "tests/conftest.py": "",
		"tests/data/x.json": "", "other/test_c.py": "", "README.md": "",
	}
	lib := kit.Map{"setup.py": "setup(name='Acme.Lib', install_requires=['acme-core'])", "acme_lib.py": ""}
	core := kit.Map{"py/pyproject.toml": "[project]\nname = \"acme-core\"\n", "py/core.py": "",
		"unused/setup.py": "setup(name='unused')"}
	r, _ := Toolchain{}.Detect(app)
	return kit.Job{Recipe: r, Repository: "acme/app", Tree: app,
		Selection: kit.Selection{Files: []string{"tests/test_a.py"}},
		Siblings:  []kit.Sibling{{Repository: "acme/lib", Tree: lib}, {Repository: "acme/core", Tree: core}}}
}

func TestPythonSelect(t *testing.T) {
	j := pythonJob()
	for _, c := range []struct {
		name   string
		hidden []string
		want   kit.Selection
	}{
		{"a test file", []string{"tests/test_a.py"}, kit.Selection{Files: []string{"tests/test_a.py"}}},
		{"conftest.py alone", []string{"tests/conftest.py"}, kit.Selection{Files: []string{"tests/sub/test_b.py",
			"tests/test_a.py"}}},
		{"a fixture beside a selected test", []string{"tests/data/x.json", "tests/test_a.py"},
			kit.Selection{Files: []string{"tests/test_a.py"}}},
		{"neither", []string{"README.md", "tests/test_gone.py"}, kit.Selection{Left: []kit.Left{{Path: "tests/test_gone.py",
			Reason: "the tree does not have it"}, {Path: "README.md", Reason: "no test file stands beside it"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Toolchain{}.Select(j.Tree, schema.Recipe{}, c.hidden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	named := kit.Map{"pytest.ini": "[pytest]\npython_files = check_*.py\n  spec.py\n", "a/check_x.py": "", "a/spec.py": "",
		"a/test_y.py": "", "x.py": ""}
	if diff := cmp.Diff([]string{"a/check_x.py", "a/spec.py"}, pythonTests(named, nil)); diff != "" {
		t.Errorf("python_files: -want +got\n%s", diff)
	}
}

func TestPythonPlan(t *testing.T) {
	p, err := Toolchain{}.Plan(pythonJob())
	if err != nil {
		t.Fatal(err)
	}
	wantSetup := []string{
		`if [ ! -x "$venv/bin/python" ]; then python3 -m venv "$venv"; fi`,
		`python -m pip install --upgrade 'pip>=25.1'`,
		`python -m pip install setuptools wheel`,
		`python -m pip install --no-deps -e "$WIDESWE_WORKSPACE"/acme/core/py || true`,
		`python -m pip install --no-deps -e "$WIDESWE_WORKSPACE"/acme/lib || true`,
		`python -m pip install setuptools`,
		`python -m pip install -e "$WIDESWE_REPO"`,
		`python -m pip install -e "$WIDESWE_WORKSPACE"/acme/core/py`,
		`python -m pip install -e "$WIDESWE_WORKSPACE"/acme/lib`,
		`python -c 'import pytest' || python -m pip install pytest`,
	}
	if diff := cmp.Diff(wantSetup, p.Setup); diff != "" {
		t.Errorf("setup: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"001.xml", "001.log", "001.lines"}, p.Files); diff != "" {
		t.Errorf("files: -want +got\n%s", diff)
	}
	if !strings.Contains(p.Test, "\nrun 001 tests/test_a.py\n") || !strings.Contains(p.Test,
		"--continue-on-collection-errors") {
		t.Errorf("test:\n%s", p.Test)
	}
}

func TestPythonSkipAndOnly(t *testing.T) {
	j := pythonJob()
	j.Skip = []string{"tests/test_a.py::TestC::test_x[a b]", "other/test_c.py::t"}
	p, err := Toolchain{}.Plan(j)
	if err != nil || !strings.Contains(p.Test, "\nrun 001 tests/test_a.py '--deselect=tests/test_a.py::TestC::test_x[a "+
		"b]'\n") {
		t.Errorf("%v\n%s", err, p.Test)
	}
	j.Skip, j.Only = nil, []string{"tests/test_a.py::test_y #2"}
	p, err = Toolchain{}.Plan(j)
	if err != nil || !strings.Contains(p.Test, " tests/test_a.py::test_y >") || !strings.Contains(p.Test,
		"\nrun 001 tests/test_a.py\n") {
		t.Errorf("%v\n%s", err, p.Test)
	}
	j.Only = []string{"other/test_c.py::t"}
	if p, err = (Toolchain{}).Plan(j); err != nil || len(p.Files) != 0 {
		t.Errorf("%v: %q", err, p.Files)
	}
}
