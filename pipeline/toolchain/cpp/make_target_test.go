package cpp

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

func TestIsMakeTarget(t *testing.T) {
	tree := kit.Map{"Makefile": "BIN = $(DIR)/unit\nDIR := out\nA = $(B)\nB = $(A)\nall check: $(BIN)\n" +
		"$(BIN): t.c\n\tcc -o $@ t.c\n$(A): x\nrunner.c: t.c\n\tgen >$@\n", "sub/GNUmakefile": "prog: p.c\n\tcc p.c\n",
		"auto/Makefile.am": "check_PROGRAMS = a/first \\\n  second\n"}
	for file, want := range map[string]bool{"out/unit": true, "runner.c": true, "sub/prog": true, "auto/a/first": true, "auto/second": true, "check": true,
		"prog": false, "t.c": false, "unit": false, "sub/unit": false} {
		if got := isMakeTarget(tree, file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
	if isMakeTarget(kit.Map{}, "x") {
		t.Error("a target of no makefile")
	}
}
