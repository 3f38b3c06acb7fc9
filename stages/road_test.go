package stages_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/stages"
)

func TestTheRoadNamesEveryStage(t *testing.T) {
	var names []string
	for _, s := range stages.All(stages.Deps{}) {
		names = append(names, s.Name())
	}
	names = append(names, "evaluate", "report")
	if d := cmp.Diff(stages.Names(), names); d != "" {
		t.Error(d)
	}
}
