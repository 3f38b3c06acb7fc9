package registry

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

func TestWhatToolchainsCanBeStressedBy(t *testing.T) {
	for name, want := range map[string]struct{ order, clock bool }{
		"go": {true, false}, "python": {true, true}, "rust": {false, true}, "node": {false, true}, "java": {false, true},
		"cpp": {false, false}, "php": {true, true}, "ruby": {true, true}, "dotnet": {false, true}, "shell": {true, true},
	} {
		tc, ok := ByName(name)
		if !ok {
			t.Fatalf("no toolchain %s", name)
		}
		if _, noClock := kit.Clock(tc); (noClock == "") != want.clock {
			t.Errorf("%s: clock %q", name, noClock)
		}
		if noOrder := kit.CanShuffle(tc, false); (noOrder == "") != want.order {
			t.Errorf("%s: order %q", name, noOrder)
		}
		if kit.CanShuffle(tc, true) == "" {
			t.Errorf("%s: a test command of one's own is shuffled", name)
		}
	}
}
