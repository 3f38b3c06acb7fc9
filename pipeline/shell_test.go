package pipeline_test

import (
	"os/exec"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
)

func TestShellWordsAreReadAsTheyAre(t *testing.T) {
	words := []string{"", "plain", "a b", "it's", `back\slash`, "$HOME", "`date`", "*", "~", "line\nbreak", `"`, "ä", "-n",
		"A=b", "#x", "!y", "a;b"}
	out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", `printf '<%s>' `+pipeline.ShellWords(words)).Output()
	want := ""
	for _, w := range words {
		want += "<" + w + ">"
	}
	if err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	if got := pipeline.ShellWords([]string{"a/b.c:1", "x y"}); got != "a/b.c:1 'x y'" {
		t.Errorf("got %s", got)
	}
}
