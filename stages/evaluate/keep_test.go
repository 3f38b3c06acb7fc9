package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

// An evaluation keeps the bytes that it judged, one file a prediction and repository.
func TestPatchesAreKept(t *testing.T) {
	joint := patches("o/lib", goldLib, "o/tool", goldTool)
	single := map[string]string{"o/lib": joint["o/lib"]}
	r, _ := fakeRig(t, makeRelease(t), allPass,
		schema.Prediction{Task: "t1", Model: "../m", Mode: schema.Joint, Attempt: 1, Patches: joint},
		schema.Prediction{Task: "t1", Model: "../m", Mode: schema.Independent, Target: "o/lib", Attempt: 1,
			Patches: single},
		schema.Prediction{Task: "t1", Model: "none", Mode: schema.Joint, Attempt: 1,
			Patches: map[string]string{"o/lib": " \n"}})
	for range 2 { // the second call judges nothing and keeps the same
		if _, err := r.run(t); err != nil {
			t.Fatal(err)
		}
		files := map[string]bool{}
		for _, run := range r.report(t).Runs {
			for _, k := range run.Tasks["t1"].Patches {
				b, err := os.ReadFile(filepath.Join(r.Out, filepath.FromSlash(k.File)))
				if err != nil || string(b) != joint[k.Repository] || len(b) != k.Bytes ||
					(k.Target != "") != (run.Mode == schema.Independent) {
					t.Errorf("%+v: %v\n%s", k, err, b)
				}
				files[k.File] = true
			}
			if n := len(run.Tasks["t1"].Patches); run.Model == "none" && n > 0 {
				t.Errorf("%d patches of an empty prediction", n)
			}
		}
		if len(files) != len(joint)+1 {
			t.Errorf("files %v", files)
		}
	}
}
