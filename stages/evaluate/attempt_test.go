package evaluate

import (
	"fmt"
	"testing"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/evaluatetest"
	"github.com/wideswe/wideswe/stages/evaluate/guard"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// TestAVerdictNamesNotEveryFile: a patch of thousands of files makes no report of as many lines.
func TestAVerdictNamesNotEveryFile(t *testing.T) {
	trees := &taskTrees{folders: folders{t.TempDir()}, task: &release.Task{}}
	a := newAttempt(settings{}, trees, results.Key{}, schema.Prediction{}, nil)
	var files []string
	written := map[string]string{}
	for n := range 3 * maxFindingNotes {
		files = append(files, fmt.Sprintf("node_modules/%03d.js", n))
		written[files[n]] = ""
	}
	a.dir = evaluatetest.WriteTree(t, written)
	a.plan.Add("o/r", guard.Inspect(guard.Repository{Base: t.TempDir(), Changed: a.dir}, files))
	a.noteFindings("o/r")
	flags, deviations := a.notes.Flags, a.notes.Deviations
	if len(a.plan["o/r"]) != len(files) || len(flags) != maxFindingNotes+1 || len(deviations) != maxFindingNotes+1 {
		t.Errorf("%d files, %d flags, %d deviations; the last is %s", len(a.plan["o/r"]), len(flags), len(deviations),
			flags[len(flags)-1])
	}
}
