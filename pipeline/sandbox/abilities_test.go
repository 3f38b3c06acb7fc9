package sandbox_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A wrapper that forgets an ability would silently skip what hangs on it: the search of
// image layers for the answer. It must not compile.
func TestAWrapperThatDropsAnAbilityDoesNotCompile(t *testing.T) {
	for folder, want := range map[string]string{
		"kept":           "",
		"dropped_layers": "*counted does not implement sandbox.Layers (missing method Layers)",
		"undeclared":     "*counted does not implement sandbox.Backend (missing method Abilities)",
		"one_fewer":      "not enough arguments in call to sandbox.NewAbilities",
	} {
		t.Run(folder, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), "go", "build", "./testdata/"+folder).CombinedOutput()
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(string(out), want)) {
				t.Errorf("got %v, %s\nwant %q", err, out, want)
			}
		})
	}
}
