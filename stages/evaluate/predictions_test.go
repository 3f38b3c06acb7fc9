package evaluate

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

func TestReadPredictions(t *testing.T) {
	rel := makeRelease(t)
	ok := `{"task_id":"t1","model_name_or_path":"m","patches":{"o/lib":"d"}}`
	tests := map[string]struct{ text, want string }{
		"not JSON":           {ok + "\n{", "line 2: not a prediction"},
		"unknown task":       {strings.Replace(ok, "t1", "t9", 1), `line 1: unknown task "t9"`},
		"unknown repository": {"\n\n" + strings.Replace(ok, "o/lib", "o/other", 1), `line 3: unknown repository "o/other"`},
		"twice":              {ok + "\n" + strings.Replace(ok, "t1", "t2", 1) + "\n" + ok, "line 3: repeats line 1"},
		"unknown field":      {strings.Replace(ok, `"patches"`, `"x":1,"patches"`, 1), `unknown field "x"`},
		"no patches":         {`{"task_id":"t1","model_name_or_path":"m"}`, "no patches"},
		"no model":           {`{"task_id":"t1","patches":{}}`, "model_name_or_path"},
		"bad mode":           {strings.Replace(ok, `"patches"`, `"mode":"odd","patches"`, 1), `mode "odd"`},
		"no target":          {strings.Replace(ok, `"patches"`, `"mode":"independent","patches"`, 1), "names its target"},
		"context as target":  {strings.Replace(ok, `"patches"`, `"mode":"independent","target":"o/notes","patches"`, 1), "is none of t1"},
		"target of joint":    {strings.Replace(ok, `"patches"`, `"target":"o/lib","patches"`, 1), "mode independent only"},
		"another repository": {strings.Replace(ok, `"patches"`, `"mode":"independent","target":"o/tool","patches"`, 1), `unknown repository "o/lib"`},
		"a key twice":        {strings.Replace(ok, `"o/lib":"d"`, `"o/lib":"d","o/tool":"","o/lib":"e"`, 1), `"o/lib" is there twice`},
		"a key twice at top": {strings.Replace(ok, `"patches"`, `"run":{"limits":{"a":[1,{"b":2}]}},"task_id":"t1","patches"`, 1), `"task_id" is there twice`},
		"two values":         {ok + ok, "more than one JSON value"},
		"an array on a line": {ok + "\n[" + ok + "]", "line 2: not a prediction: an array; write one prediction a line"},
		"spread over lines":  {"{\n" + ok[1:], "line 1: not a prediction: it ends too early; a prediction is one line"},
		"text as attempt":    {strings.Replace(ok, `"patches"`, `"attempt":"1","patches"`, 1), "attempt is a string; it must be a number"},
		"a list of patches":  {strings.Replace(ok, `{"o/lib":"d"}`, `["d"]`, 1), "patches is an array; it must be an object"},
		"nothing":            {"\n", "holds no prediction"},
		"bad attempt":        {strings.Replace(ok, `"patches"`, `"attempt":-1,"patches"`, 1), "attempt -1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ReadPredictions(rel, "p.jsonl", strings.NewReader(tc.text))
			var usage *pipeline.UsageError
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
	same := strings.Replace(ok, `"patches"`, `"run":{"model":"m","limits":{"model":["model",{"model":1}]}},"patches"`, 1)
	if _, err := ReadPredictions(rel, "p", strings.NewReader(same)); err != nil {
		t.Errorf("one name in several objects: %v", err)
	}
	if _, err := ReadPredictions(rel, "p", strings.NewReader("\ufeff"+ok)); err != nil {
		t.Errorf("a byte order mark: %v", err)
	}
	got, err := ReadPredictions(rel, "p", strings.NewReader(ok+"\r\n"+strings.Replace(ok, `"patches"`, `"attempt":2,"patches"`, 1)))
	want := []schema.Prediction{{Task: "t1", Model: "m", Mode: "joint", Attempt: 1, Patches: patches("o/lib", "d")},
		{Task: "t1", Model: "m", Mode: "joint", Attempt: 2, Patches: patches("o/lib", "d")}}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestProcessSandboxRefusesStrangers(t *testing.T) {
	rel := makeRelease(t)
	tests := map[string]struct {
		p      schema.Prediction
		trust  bool
		demo   bool
		refuse bool
	}{
		"gold":        {p: schema.Prediction{Patches: patches("o/lib", goldLib)}},
		"empty":       {p: schema.Prediction{Patches: patches("o/lib", " \n")}},
		"stranger":    {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, refuse: true},
		"swapped":     {p: schema.Prediction{Patches: patches("o/tool", goldLib)}, refuse: true},
		"trusted":     {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, trust: true},
		"of the demo": {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, demo: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rel, tc.p)
			images := 0
			r.Runner = fake{allPass, &images}
			r.TrustPatches = tc.trust
			r.Trusted = func(schema.Prediction) bool { return tc.demo }
			_, err := r.run(t)
			var usage *pipeline.UsageError
			if errors.As(err, &usage) != tc.refuse {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRunnerConfig(t *testing.T) {
	tests := map[string]struct {
		file, before, after string
		want                bool
	}{
		"conftest":                 {"a/conftest.py", "", "x", true},
		"pytest section":           {"pyproject.toml", "[project]\nname='x'\n", "[project]\nname='x'\n[tool.pytest.ini_options]\naddopts='-k no'\n", true},
		"dependency in pyproject":  {"pyproject.toml", "[project]\ndependencies=[]\n", "[project]\ndependencies=['y']\n", false},
		"scripts":                  {"package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"true"}}`, true},
		"dependency of package":    {"package.json", `{"scripts":{"test":"jest"},"dependencies":{}}`, `{"dependencies":{"a":"1"},"scripts": {"test":"jest"}}`, false},
		"package.json broken":      {"package.json", `{}`, `{`, true},
		"TestMain":                 {"p/x_test.go", "", "package p\n\nfunc TestMain(m *testing.M) {}\n", true},
		"init in a test":           {"p/x_test.go", "", "package p\n\nfunc init() {}\n", true},
		"plain test":               {"p/x_test.go", "", "package p\n\nfunc TestX(t *testing.T) {}\n", false},
		"init in the code":         {"p/x.go", "", "package p\n\nfunc init() {}\n", false},
		"pth":                      {"src/evil.pth", "", "import os", true},
		"jest":                     {"web/jest.config.js", "", "x", true},
		"helper of tests":          {"tests/helpers.sh", "", "x", true},
		"folder of helpers":        {"t/lib/tap.sh", "", "x", true},
		"library called tests":     {"pkg/tests.go", "", "x", false},
		"source":                   {"src/helpers/main.py", "", "x", false},
		"workspace of Go":          {"go.work", "", "x", true},
		"init written otherwise":   {"p/x_test.go", "", "package p\n\n\tfunc /**/ init( ) {}\n", true},
		"a variable's call":        {"p/x_test.go", "", "package p\n\nvar _ = func() int { return 1 }()\n", true},
		"a variable's table":       {"p/x_test.go", "", "package p\n\nvar table = []struct{ f func() int }{{func() int { return g() }}}\nvar re = regexp.MustCompile(`x`)\nvar b = []byte(`x`)\n", false},
		"an import for its effect": {"p/x_test.go", "", "package p\n\nimport _ \"example.com/p/mend\"\n", true},
		"test that does not parse": {"p/x_test.go", "", "package", true},
		"method called init":       {"p/x_test.go", "", "package p\n\nfunc (t T) init() {}\n", false},
		"vendored assertions":      {"vendor/github.com/stretchr/testify/assert/assertions.go", "x", "y", true},
		"vendored library":         {"vendor/github.com/ipfs/boxo/x.go", "x", "y", false},
		"pytest itself":            {"pytest.py", "", "x", true},
		"pytest as a folder":       {"_pytest/__init__.py", "", "x", true},
		"standard library":         {"xml/__init__.py", "", "x", true},
		"compiled":                 {"json.cpython-313-x86_64-linux-gnu.so", "", "x", true},
		"deeper module":            {"src/json.py", "", "x", false},
		"known module":             {"types.py", "x", "y", false},
		"file in such a folder":    {"platform/x.py", "", "x", false},
		"own pytest settings":      {"pytest.toml", "", "x", true},
		"dotted keys":              {"pyproject.toml", "", "tool.pytest.ini_options.addopts = '-p evil'\n", true},
		"section written oddly":    {"pyproject.toml", "", "[ tool . \"pytest\" . ini_options ]\naddopts='-p evil'\n", true},
		"package of tests":         {"tests/unit/__init__.py", "", "x", true},
		"module put in place":      {"go.mod", "module m\n", "module m\n\nreplace a.org/assert => ./assert\n", true},
		"sibling's module":         {"go.mod", "module m\n", "module m\n\nrequire a.org/b v1.2.0\n\nreplace a.org/b => ../b\n", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := runnerConfig(tc.file, []byte(tc.before), []byte(tc.after)); got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
