package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

func TestShellRun(t *testing.T) {
	tree := kit.Map{
		"tests/tap.sh": "ok() { n=$((n+1)); echo \"ok $n - $1\"; }\n",
		"tests/a.sh": ". ./tests/tap.sh\nok first\n[ -z \"$WIDESWE_OUT\" ] && ok hidden\n[ -f " +
			"\"$WIDESWE_WORKSPACE/acme/lib/x\" ] && ok sibling\necho 1..$n\n",
		"tests/b'c.sh": "echo 1..2\necho ok 1 - one\nexit 3\n",
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/tool": tree, "acme/lib": {"x": ""}})
	r, _ := Toolchain{}.Detect(tree)
	j := kit.Job{Recipe: r, Repository: "acme/tool", Tree: tree, Selection: kit.Selection{Files: []string{"tests/a.sh",
		"tests/b'c.sh"}}}
	got, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j))
	want := map[string]schema.TestOutcome{"tests/a.sh::first": schema.Pass, "tests/a.sh::hidden": schema.Pass,
		"tests/a.sh::sibling": schema.Pass, "tests/b'c.sh::one": schema.Pass}
	if diff := cmp.Diff(want, kittest.Outcomes(got)); diff != "" || exit != 3 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	if len(got.Problems) != 1 || got.Problems[0].Kind != testreport.PlanMismatch {
		t.Errorf("problems: %+v", got.Problems)
	}
}
