package registry

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
)

// TestResolve: where a language's resolver says that names lead, by the folder that each
// name's place ends in; "" is outside the workspace.
func TestResolve(t *testing.T) {
	for name, tc := range map[string]struct {
		toolchain, program string
		tree               kit.Map
		file               string
		want               map[string]string
	}{
		"python": {"python", "python3", kit.Map{"pyproject.toml": "[project]\nname = \"calc\"\n", "calc/__init__.py": "",
			"textwrap.py": "", "queue/__init__.py": "", "queue/x.py": "", "tests/helper.py": "import shelve, near.deep as n\n",
			"tests/near.py": "", "tests/glob.py": "", "conftest.py": "from calc.x import y\n",
			"tests/test_x.py": "import calc\nimport unknown\nfrom helper import z\n"},
			"tests/test_x.py", map[string]string{"calc": "calc/__init__.py", "textwrap": "textwrap.py", "near": "tests/near.py",
				"queue": "queue/__init__.py", "glob": "tests/glob.py", "helper": "tests/helper.py", "shelve": "", "csv": ""}},
		"node": {"node", "node", kit.Map{"package.json": `{"name": "a", "scripts": {"test": "mocha"}, "devDependencies": ` +
			`{"mocha": "1"}}`,
			"node_modules/mocha/package.json": "{}", "test/node_modules/@s/chai/index.js": "",
			"node_modules/@s/chai/index.js": "",
			"test/x.test.js": "const c = require('@s/chai/register')\nimport y from 'unknown'\ndescribe('x', " +
				"() => {})\n"},
			"test/x.test.js", map[string]string{"test:@s/chai": "test/node_modules/@s/chai", ".:mocha": "node_modules/mocha"}},
		"go": {"go", "go", kit.Map{"go.mod": "module ex.org/a\n\ngo 1.21\n", "a.go": "package a\n", "b/b.go": "package b\n",
			"a_test.go": "package a\n\nimport (\n\t_ \"ex.org/a/b\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) {}\n"},
			"a_test.go", map[string]string{"ex.org/a": "o/a", "ex.org/a/b": "o/a/b", "testing": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			testscope.Programs(t, tc.program)
			tool, _ := ByName(tc.toolchain)
			j := kit.Job{Repository: "o/a", Tree: tc.tree}
			j.Recipe, _ = tool.Detect(tc.tree)
			var err error
			if j.Selection, err = tool.Select(tc.tree, j.Recipe, []string{tc.file}); err != nil {
				t.Fatal(err)
			}
			got := resolved(t, tc.program, j, tool.Facts().Resolve.Value(j))
			for name, want := range tc.want {
				if place, ok := got[name]; !ok || want == "" && strings.Contains(place, "/o/a") || !strings.HasSuffix(place, want) {
					t.Errorf("%s leads to %q, want %q", name, place, want)
				}
			}
			if got["unknown"] != "" {
				t.Errorf("an unknown name leads to %q", got["unknown"])
			}
		})
	}
}

func resolved(t *testing.T, program string, j kit.Job, line string) map[string]string {
	t.Helper()
	w := kittest.Layout(t, map[string]kit.Map{j.Repository: j.Tree.(kit.Map)})
	found, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(found, filepath.Join(bin, "python")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-ec", "ownnode=node; "+line)
	cmd.Dir = filepath.Join(w.Root, j.Repository)
	cmd.Env = append(os.Environ(), "WIDESWE_REPO="+cmd.Dir, "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := map[string]string{}
	for l := range strings.Lines(string(out)) {
		name, place, _ := strings.Cut(strings.TrimSpace(l), "\t")
		got[name] = place
	}
	return got
}
