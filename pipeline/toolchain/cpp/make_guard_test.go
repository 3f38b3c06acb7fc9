package cpp

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

const makeBefore = `CFLAGS = -O1
all: libsum.a
unit: tests/unit.c libsum.a
	$(CC) $(CFLAGS) -o unit tests/unit.c libsum.a

libsum.a: sum.o
	$(AR) rc libsum.a sum.o

check: unit
	./unit
`

func TestGuardMake(t *testing.T) {
	for name, c := range map[string]struct {
		change func(string) string
		want   bool
	}{
		"a source of the library": {replaced("libsum.a: sum.o\n\t$(AR) rc libsum.a sum.o",
			"libsum.a: sum.o plus.o\n\t$(AR) rc libsum.a sum.o plus.o"), false},
		"a target of its own": {more("docs: README.md\n\tpandoc README.md"), false},
		"warnings":            {replaced("-O1", "-O2 -Wall"), false},
		"another source of tests": {replaced("tests/unit.c libsum.a\n\t$(CC) $(CFLAGS) -o unit tests/unit.c",
			"fine.c\n\t$(CC) $(CFLAGS) -o unit fine.c"), true},
		"another command":            {replaced("\t./unit", "\ttrue"), true},
		"another rule of a need":     {replaced("$(AR) rc libsum.a sum.o", "sh fake"), true},
		"a rule of a pattern":        {more("%.o: fine.c\n\t$(CC) -c -o $@ fine.c"), true},
		"another program that makes": {more("CC = ./cc"), true},
		"an include":                 {more("include more.mk"), true},
	} {
		g := guardMake(kit.Change{Path: "Makefile", Before: []byte(makeBefore), After: []byte(c.change(makeBefore))})
		if g.Touched != c.want {
			t.Errorf("%s: %v", name, g.Touched)
		}
	}
}
