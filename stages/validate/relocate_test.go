package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

// TestRelocatedTestsAreWhatRuns: a person's relocation decides where hidden files lie.
func TestRelocatedTestsAreWhatRuns(t *testing.T) {
	moves := []schema.Relocation{{From: "t/a", To: "h/a"}, {From: "t/other", To: "h/other"}}
	x := target{Hidden: []string{"t/a", "t/b"}, Over: []schema.RecipePart{{}, {Recipe: schema.Recipe{Relocate: moves}}}}
	if d := cmp.Diff([]string{"h/a", "h/other", "t/b"}, x.placed()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(moves, x.relocations()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(x.Hidden, target{Hidden: x.Hidden}.placed()); d != "" {
		t.Error(d)
	}
}
