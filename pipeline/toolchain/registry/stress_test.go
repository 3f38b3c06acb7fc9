package registry

import (
	"slices"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/golang"
	"github.com/wideswe/wideswe/pipeline/toolchain/java"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/node"
	"github.com/wideswe/wideswe/pipeline/toolchain/python"
	"github.com/wideswe/wideswe/pipeline/toolchain/rust"
	"github.com/wideswe/wideswe/pipeline/toolchain/shell"
)

func TestWhatToolchainsCanBeStressedBy(t *testing.T) {
	for _, tc := range []kit.Toolchain{golang.Toolchain{}, python.Toolchain{}, node.Toolchain{}, rust.Toolchain{}, java.Toolchain{}, shell.Toolchain{}} {
		if _, clock := kit.Clock(tc); (tc.Name() == "go") != (clock != "") {
			t.Errorf("%s: clock %q", tc.Name(), clock)
		}
		if order := kit.CanShuffle(tc, false); slices.Contains([]string{"go", "python", "shell"}, tc.Name()) != (order == "") {
			t.Errorf("%s: order %q", tc.Name(), order)
		}
		if kit.CanShuffle(tc, true) == "" {
			t.Errorf("%s: a test command of one's own is shuffled", tc.Name())
		}
	}
}
