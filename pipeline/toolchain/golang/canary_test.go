package golang

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// canaryTree has a package of each make: with tests inside, outside, both, with
// things called testing, with tags, main, and one that does not build.
var canaryTree = kit.Map{
	"go.mod":            "module ex.org/m\n\ngo 1.21\n",
	"inside/i.go":       "package inside\n\nvar testing = 1\n",
	"inside/i_test.go":  "package inside\nimport x \"testing\"\nfunc TestI(t *x.T) { _ = testing }\n",
	"outside/o.go":      "package named\n",
	"outside/o_test.go": "package named_test\nimport \"testing\"\nfunc TestO(t *testing.T) {}\n",
	"alone/a_test.go":   "package alone_test\nimport \"testing\"\nfunc TestAlone(t *testing.T) {}\n",
	"both/b.go":         "package both\n",
	"both/a_test.go":    "package both_test\nimport \"testing\"\nfunc TestOut(t *testing.T) {}\n",
	"both/z_test.go":    "package both\nimport \"testing\"\nfunc TestIn(t *testing.T) { panic(1) }\n",
	"cmd/main.go":       "package main\n\nfunc main() {}\n",
	"cmd/main_test.go": "package main\nimport (\"testing\"; \"os\")\nfunc TestMain(m *testing.M) { m.Run(); " +
		"os.Exit(m.Run()) }\nfunc TestM(t *testing.T) { t.Parallel() }\n",
	"tags/t.go":              "package tags\n",
	"tags/t_test.go":         "//go:build e2e\n\npackage tags\nimport \"testing\"\nfunc TestT(t *testing.T) {}\n",
	"tags/u_test.go":         "package tags_test\nimport \"testing\"\nfunc TestU(t *testing.T) {}\n",
	"broken/b_test.go":       "package broken\nimport \"testing\"\nfunc TestB(t *testing.T) { undefined() }\n",
	"example/e_test.go":      "package example\nfunc ExampleA() {\n\tprintln()\n\t// Output:\n}\n",
	"sub/go.mod":             "module ex.org/m/sub\n\ngo 1.21\n",
	"sub/deep/dir/d_test.go": "package dir\nimport \"testing\"\nfunc TestD(t *testing.T) {}\n",
}

func TestGoCanaryRunsFirstInPackagesOfEveryMake(t *testing.T) {
	testscope.Programs(t, "go")
	var hidden []string
	for _, name := range canaryTree.Files() {
		if strings.HasSuffix(name, "_test.go") {
			hidden = append(hidden, name)
		}
	}
	r := schema.Recipe{Toolchain: "go"}
	sel, err := Toolchain{}.Select(canaryTree, r, hidden)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]string{}
	for _, g := range sel.Units {
		packages[g.Dir+strings.Join(g.Tags, ",")] = g.First
	}
	want := map[string]string{"inside": "inside", "outside": "named_test", "alone": "alone_test", "both": "both",
		"cmd":  "main",
		"tags": "tags_test", "tagse2e": "tags", "broken": "broken", "example": "example", "sub/deep/dir": "dir"}
	if d := cmp.Diff(want, packages); d != "" {
		t.Errorf("packages: -want +got\n%s", d)
	}
	j := kit.Job{Recipe: r, Repository: "acme/m", Tree: canaryTree, Selection: sel, Canary: "secret"}
	p := kittest.Plan(t, Toolchain{}, j)
	if len(p.Canaries) != len(sel.Units) {
		t.Fatalf("%d canaries for %d packages", len(p.Canaries), len(sel.Units))
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/m": canaryTree})
	rep, _ := w.Run(t, j, p, "GOFLAGS=-buildvcs=false")
	ends := map[string][]schema.TestOutcome{}
	for _, x := range rep.Results {
		unit, name := schema.SplitTestID(x.ID)
		for _, c := range p.Canaries {
			if want, ours := c.Outcome(kit.RepeatSuffix.ReplaceAllString(name, "")); ours {
				ends[unit] = append(ends[unit], x.Outcome)
				if x.Outcome != want {
					t.Errorf("%s: %s, want %s", x.ID, x.Outcome, want)
				}
			}
		}
	}
	for _, unit := range []string{"inside", "outside", "alone", "both", "cmd", "tags", "example", "sub/deep/dir"} {
		want := 2 * kit.CanarySize
		if unit == "both" { // a test of it stops the program
			want = kit.CanarySize
		}
		if n := len(ends["ex.org/m/"+unit]); n < want || n%kit.CanarySize != 0 {
			t.Errorf("%s: %d canary results", unit, n)
		}
	}
	if got := kittest.Outcomes(rep); got["ex.org/m/both::TestIn"] == schema.Pass ||
		got["ex.org/m/inside::TestI"] != schema.Pass {
		t.Errorf("outcomes %v", got)
	}
	if !slices.ContainsFunc(rep.Problems, func(x testreport.Problem) bool {
		return x.Unit == "ex.org/m/broken" && x.Kind == testreport.BuildFailed
	}) {
		t.Errorf("problems %v", rep.Problems)
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(kittest.Outcomes(rep))),
		func(id string) bool { return strings.HasPrefix(id, "ex.org/m/broken") }) {
		t.Error("a package that does not build has results")
	}
}

func TestGoCanaryIsSecretAndLeavesPlansAlone(t *testing.T) {
	sel, err := Toolchain{}.Select(canaryTree, schema.Recipe{}, []string{"inside/i_test.go"})
	if err != nil {
		t.Fatal(err)
	}
	at := func(secret string, env map[string]string) kit.Plan {
		return kittest.Plan(t, Toolchain{}, kit.Job{Recipe: schema.Recipe{Toolchain: "go", Env: env}, Repository: "acme/m",
			Tree: canaryTree, Selection: sel, Canary: secret})
	}
	if p := at("", nil); len(p.Canaries) > 0 || strings.Contains(p.Test, "canary") {
		t.Error("a canary without a secret")
	}
	if p := at("a", map[string]string{kit.CanaryOff: "off"}); len(p.Canaries) > 0 {
		t.Error("a canary that the recipe turned off")
	}
	different := map[string]bool{}
	for _, secret := range strings.Fields("a b c d e f g h") {
		p := at(secret, nil)
		n := map[schema.TestOutcome]int{}
		word := ""
		for _, name := range slices.Sorted(maps.Keys(p.Canaries[0].Want)) {
			o := p.Canaries[0].Want[name]
			n[o]++
			word += string(o)
		}
		if len(p.Canaries[0].Want) != kit.CanarySize || n[schema.Pass] == 0 || n[schema.Skip] == 0 {
			t.Errorf("canary %v", p.Canaries[0].Want)
		}
		different[word] = true
	}
	if len(different) < 4 {
		t.Errorf("eight secrets gave %d ways to end", len(different))
	}
}
