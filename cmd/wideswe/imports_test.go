package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/wideswe/wideswe"

// tools lists which sibling tools each tool of pipeline/ may import. A tool that
// is not here may import none.
var tools = map[string][]string{
	"agent":      {"sandbox", "release", "workspace", "patch"},
	"folder":     {},
	"git":        {},
	"github":     {},
	"githubtest": {},
	"leak":       {},
	"release":    {"workspace", "patch"},
	"storetest":  {"store"}, // for tests alone, as githubtest is
	"testrun":    {"sandbox", "toolchain", "testreport", "workspace"},
	"toolchain":  {"filerole"},
	"workspace":  {"patch"},
}

// stageParts lists which parts of its own stage a package of stages/ may import. One
// that is not here may import none; no package imports another stage.
var stageParts = map[string][]string{
	"evaluate":         {"predictions", "guard", "verdict", "results"},
	"evaluate/results": {"verdict"},
	"evaluate/regrade": {"verdict", "results"},
	"evaluate/compare": {"verdict", "results"},
	"evaluate/explain": {"results"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

// TestImports keeps the table of who may import whom. Test files may use the
// store and the fakes, so they are not looked at.
func TestImports(t *testing.T) {
	for _, p := range goList(t) {
		from := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, i := range p.Imports {
			if strings.HasPrefix(i, "github.com/marcboeker/go-duckdb") && from != "pipeline/store" {
				t.Errorf("%s imports the database driver; pipeline/store alone may", from)
			}
			to, ours := strings.CutPrefix(i, module+"/")
			if ours && !mayImport(from, to) {
				t.Errorf("%s must not import %s", from, to)
			}
		}
	}
}

func mayImport(from, to string) bool {
	top, rest, _ := strings.Cut(from, "/")
	switch {
	case top == "schema" || top == "data":
		return false
	case from == "pipeline":
		return to == "schema"
	case top == "pipeline":
		if to == "schema" || to == "pipeline" {
			return true
		}
		for _, s := range tools[rest] {
			if to == "pipeline/"+s {
				return true
			}
		}
		return false
	case from == "stages":
		return to != "cmd" && !strings.HasPrefix(to, "cmd/")
	case top == "stages":
		return to == "schema" || to == "pipeline" || strings.HasPrefix(to, "pipeline/") || isPartOf(rest, to)
	}
	return top == "cmd" || top == "scripts"
}

// isPartOf tells whether the table lists to for a package of a stage.
func isPartOf(from, to string) bool {
	stage, _, _ := strings.Cut(from, "/")
	for _, part := range stageParts[from] {
		if to == "stages/"+stage+"/"+part {
			return true
		}
	}
	return false
}

func TestTheTableRefuses(t *testing.T) {
	for _, c := range [][2]string{{"schema", "pipeline"}, {"pipeline", "pipeline/store"}, {"stages/link", "stages/crawl"},
		{"pipeline/patch", "pipeline/git"}, {"stages", "cmd/wideswe"}, {"data", "schema"},
		{"stages/evaluate/guard", "stages/evaluate/results"}, {"stages/evaluate/verdict", "stages/evaluate"},
		{"stages/report", "stages/evaluate/results"}} {
		if mayImport(c[0], c[1]) {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
}

func goList(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// TestTopLevel keeps the repository's top level to what DESIGN names.
func TestTopLevel(t *testing.T) {
	cmd := exec.Command("git", "ls-tree", "--name-only", "HEAD")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	allowed := " cmd pipeline stages schema data scripts go.mod go.sum Makefile README.md LICENSE "
	for _, name := range strings.Fields(string(out)) {
		if !strings.HasPrefix(name, ".") && !strings.Contains(allowed, " "+name+" ") {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
