package env

import (
	"regexp"
	"strings"
)

var shellPlain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord writes s so that a shell reads it as one word.
func shellWord(s string) string {
	if shellPlain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// self begins a command that a message proposes: it names the folder where the
// person named it.
func (a *Env) Command() string {
	if a.Dir == "" {
		return "wideswe"
	}
	return "wideswe -C " + shellWord(a.Dir)
}
