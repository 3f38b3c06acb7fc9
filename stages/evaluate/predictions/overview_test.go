package predictions

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

func TestOverview(t *testing.T) {
	rel := &release.Release{Release: schema.Release{Tasks: []schema.ReleaseTask{{ID: "t1",
		Targets: []string{"o/a", "o/b"}}, {ID: "t2", Targets: []string{"o/a", "o/b"}}, {ID: "t3"}}}}
	one := func(task, target string, p map[string]string) schema.Prediction {
		mode := schema.Joint
		if target != "" {
			mode = schema.Independent
		}
		return schema.Prediction{Task: task, Model: "m", Mode: mode, Target: target, Attempt: 1, Patches: p}
	}
	got := Overview(rel, []schema.Prediction{one("t1", "", patches("o/a", "1234", "o/c", "12", "o/b", " \n")),
		one("t2", "", patches()),
		one("t1", "o/a", patches("o/a", "1")), one("t2", "o/a", patches()), one("t2", "o/b", patches())})
	want := []RunOverview{
		{Run: "m joint", Model: "m", Mode: "joint", Attempt: 1, Tasks: 2, Partly: []string{}, Missing: []string{"t3"},
			Empty: []string{"t2"}, Targets: 1, Context: 1, Bytes: 8},
		{Run: "m independent", Model: "m", Mode: "independent", Attempt: 1, Tasks: 1, Partly: []string{"t1"},
			Missing: []string{"t3"}, Empty: []string{"t2"}, Targets: 1, Bytes: 1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
