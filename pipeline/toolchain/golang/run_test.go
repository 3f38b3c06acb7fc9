package golang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// TestGoRun wires a service to a sibling that was never published, and repeats a
// run whose one subtest brings the others down.
func TestGoRun(t *testing.T) {
	testscope.Programs(t, "go")
	service := kit.Map{
		"go.mod": "module ex.org/service\n\ngo 1.21\n\nrequire ex.org/lib v0.0.0-20990101000000-abcdefabcdef\n",
		"s/s_test.go": `package s
import ("testing"; "ex.org/lib")
func TestName(t *testing.T) { if lib.Name() != "lib" { t.Fatal(lib.Name()) } }
func TestMany(t *testing.T) {
	for _, n := range []string{"good one", "bad", "other"} {
		n := n
		t.Run(n, func(t *testing.T) { t.Parallel(); if n == "bad" { panic("boom") } })
	}
}
func TestLater(t *testing.T) {}
`,
		"unbuilt/u_test.go": testFile + "func TestU(t *testing.T) { undefined() }\n",
	}
	lib := kit.Map{"go.mod": "module ex.org/lib\n\ngo 1.21\n",
		"lib.go": "package lib\n\nfunc Name() string { return \"lib\" }\n"}
	w := kittest.Layout(t, map[string]kit.Map{"acme/service": service, "acme/lib": lib})
	r, _ := (Toolchain{}).Detect(service)
	sel, err := Toolchain{}.Select(service, r, []string{"s/s_test.go", "unbuilt/u_test.go"})
	if err != nil {
		t.Fatal(err)
	}
	j := kit.Job{Recipe: r, Repository: "acme/service", Tree: service, Selection: sel,
		Siblings: []kit.Sibling{{Repository: "acme/lib", Tree: lib}}}
	first, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "GOFLAGS=-buildvcs=false")
	if exit == 0 || kittest.Outcomes(first)["ex.org/service/s::TestName"] != schema.Pass {
		t.Errorf("exit %d, %v, %v", exit, kittest.Outcomes(first), first.Problems)
	}
	if diff := cmp.Diff([]string{"ex.org/service/s::TestMany/bad"}, first.Crashed); diff != "" {
		t.Errorf("crashed: -want +got\n%s", diff)
	}
	j.Skip = first.Crashed
	again, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j))
	want := map[string]schema.TestOutcome{
		"ex.org/service/s::TestName": schema.Pass, "ex.org/service/s::TestMany": schema.Pass,
		"ex.org/service/s::TestLater":         schema.Pass,
		"ex.org/service/s::TestMany/good_one": schema.Pass, "ex.org/service/s::TestMany/other": schema.Pass,
	}
	if diff := cmp.Diff(want, kittest.Outcomes(again)); diff != "" {
		t.Errorf("without the crashed test: -want +got\n%s", diff)
	}
	if len(again.Problems) != 1 || again.Problems[0].Kind != testreport.BuildFailed ||
		!strings.Contains(again.Problems[0].Message, "undefined") {
		t.Errorf("problems: %+v", again.Problems)
	}
	if _, err := os.Stat(filepath.Join(w.Root, "acme/service/go.sum")); err == nil {
		t.Error("the wiring wrote into the tree")
	}
}
