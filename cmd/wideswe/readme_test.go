package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
)

// shown finds command lines of ours in prose: in lines set in by four spaces, and in
// backquotes.
var (
	shown  = regexp.MustCompile("(?m)^    (wideswe .*)$|`(wideswe [a-z][^`]*)`")
	quoted = regexp.MustCompile(`"[^"]*"|'[^']*'`)
)

// TestTextsShowCommandsThatThereAre: the texts that people copy from, the README, the
// card of a release and every example of the help itself, name commands and flags
// that the program has.
func TestTextsShowCommandsThatThereAre(t *testing.T) {
	root := newRoot(&env.Env{})
	lines := 0
	for _, file := range []string{"../../README.md", "../../stages/export/card.md.tmpl"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			lines++
			checkLine(t, root, file, m[1]+m[2])
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for l := range strings.Lines(strings.ReplaceAll(c.Example, "\\\n", " ")) {
			if l = strings.TrimSpace(l); strings.HasPrefix(l, "wideswe ") {
				lines++
				checkLine(t, root, c.CommandPath()+" --help", l)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if lines < 80 {
		t.Errorf("%d lines were found; where are the others?", lines)
	}
}

// checkLine looks for a line's command and for its flags.
func checkLine(t *testing.T, root *cobra.Command, where, line string) {
	t.Helper()
	line, _, _ = strings.Cut(quoted.ReplaceAllString(line, "X"), " #")
	words := strings.Fields(line)[1:]
	for len(words) > 1 && (words[0] == "-C" || words[0] == "-q") {
		words = words[map[string]int{"-C": 2, "-q": 1}[words[0]]:]
	}
	c, rest, err := root.Find(words)
	if err != nil || c == root || c.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") &&
		c.RunE == nil {
		t.Errorf("%s: %s: there is no such command", where, line)
		return
	}
	for _, w := range rest {
		name, _, _ := strings.Cut(strings.TrimRight(w, ",.;:)"), "=")
		var f *pflag.Flag
		switch {
		case strings.HasPrefix(name, "--"):
			f = c.Flag(strings.TrimPrefix(name, "--"))
		case len(name) == 2 && name[0] == '-' && name != "--":
			f = c.Flags().ShorthandLookup(name[1:])
		default:
			continue
		}
		if f == nil && name != "--help" { // which cobra adds as it runs
			t.Errorf("%s: %s: %s has no flag %s", where, line, c.CommandPath(), name)
		}
	}
}
