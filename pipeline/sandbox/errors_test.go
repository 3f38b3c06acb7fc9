package sandbox

import "testing"

func TestLastLinesIsOneLine(t *testing.T) {
	e := &BuildError{Step: "setup at base", ExitCode: 1, Tail: "a\nb\n\n  c\nd \n"}
	if got := e.Error(); got != "setup at base: exit 1: b | c | d" {
		t.Errorf("got %q", got)
	}
}
