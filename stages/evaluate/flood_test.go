package evaluate

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/schema"
)

// TestAFloodIsOnePredictionsState: a patch over the bounds fails by itself and keeps no
// other prediction from being judged.
func TestAFloodIsOnePredictionsState(t *testing.T) {
	flood := diff("lib.go", libGo, strings.Repeat(strings.Repeat("x", 1<<20)+"\n", patch.MaxBytes>>20))
	r, _ := fakeRig(t, makeRelease(t), allPass, schema.Prediction{Patches: patches("o/lib", flood)},
		schema.Prediction{Task: "t2", Patches: patches("o/lib", goldLib)})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	rep := r.report(t)
	if a, b := rep.Tasks["t1"], rep.Tasks["t2"]; a.Status != schema.StatusPatchFailed ||
		!strings.Contains(a.Reason, "allowed") || b.Status != schema.StatusResolved {
		t.Errorf("%s (%s), %s", a.Status, a.Reason, b.Status)
	}
}
