package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/wideswe/wideswe"

// tools lists which sibling tools each tool of pipeline/ may import. A tool that
// is not here may import none.
var tools = map[string][]string{
	"agent": {"agent/agentfile", "agent/collect", "agent/proxy", "agent/runs", "sandbox", "sandbox/image", "release",
		"workspace", "patch"},
	"agent/agentfile":    {"agent/proxy"},
	"agent/agenttest":    {}, // for tests alone
	"agent/collect":      {"sandbox/transfer", "workspace", "patch"},
	"agent/proxy":        {"sandbox"},
	"agent/runs":         {"agent/collect", "agent/proxy", "release"},
	"agentimage":         {"agent", "release", "sandbox", "sandbox/image", "testrun", "workspace"},
	"estimate":           {"release"},
	"folder":             {},
	"git":                {},
	"github":             {},
	"githubtest":         {},
	"buildfailure":       {"sandbox"},
	"leak":               {"toolchain/kit"},
	"release":            {"workspace", "patch"},
	"sandbox":            {},
	"sandbox/docker":     {"sandbox", "sandbox/image", "sandbox/transfer"},
	"sandbox/dockertest": {"sandbox/docker", "testscope"}, // for tests alone
	"sandbox/image":      {"sandbox", "buildfailure", "settings"},
	"sandbox/process":    {"sandbox", "sandbox/transfer"},
	"sandbox/transfer":   {"sandbox"},
	"storetest":          {"store"}, // for tests alone, as githubtest is
	"settled":            {},
	"testreport":         {},
	"testrun": {"sandbox", "sandbox/image", "buildfailure", "toolchain/kit", "toolchain/registry",
		"testreport", "testreport/formats", "workspace"},
	"toolchain/kit":     {"filerole", "buildfailure"},
	"toolchain/kittest": {"testreport", "testreport/formats", "toolchain/kit"},
	"workspace":         {"patch"},
}

// stageParts lists which parts of its own stage a package of stages/ may import. One
// that is not here may import none; no package imports another stage.
var stageParts = map[string][]string{
	"evaluate":         {"predictions", "guard", "unbuilt", "verdict", "results"},
	"evaluate/settle":  {"results"},
	"evaluate/results": {"verdict"},
	"evaluate/regrade": {"verdict", "results"},
	"evaluate/compare": {"verdict", "results"},
	"evaluate/explain": {"results"},

	"evaluate/reproduce":   {"predictions"},
	"evaluate/predictions": {"harbor"},
	"evaluate/peerreport":  {"harbor", "predictions", "results"},
}

// families are the folders of tools of one kind. Each may import the shared packages,
// and the registry all of its family.
var families = map[string]struct {
	registry string
	shared   []string
}{
	"testreport": {"testreport/formats", []string{"testreport", "testreport/junit", "testreport/tap"}},
	"toolchain":  {"toolchain/registry", []string{"toolchain/kit", "filerole", "buildfailure"}},
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
		tool := strings.TrimPrefix(to, "pipeline/")
		return slices.Contains(tools[rest], tool) || inFamily(rest, tool)
	case from == "stages", from == "stages/trial": // both put stages together, and are none
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

// inFamily says whether a folder of a family may import a tool.
func inFamily(from, to string) bool {
	name, _, below := strings.Cut(from, "/")
	family, ok := families[name]
	if _, own := tools[from]; own || !ok || !below {
		return false
	}
	return slices.Contains(family.shared, to) || from == family.registry && strings.HasPrefix(to, name+"/")
}

func TestTheTableRefuses(t *testing.T) {
	for _, c := range [][2]string{{"schema", "pipeline"}, {"pipeline", "pipeline/store"}, {"stages/link", "stages/crawl"},
		{"pipeline/patch", "pipeline/git"}, {"stages", "cmd/wideswe"}, {"data", "schema"}, {"pipeline/testreport",
			"pipeline/testreport/junit"},
		{"pipeline/testreport/junit", "pipeline/testreport/formats"}, {"pipeline/testreport/node",
			"pipeline/testreport/ruby"},
		{"pipeline/toolchain/node", "pipeline/toolchain/ruby"}, {"pipeline/toolchain/kit", "pipeline/toolchain/golang"},
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
