package env

import (
	"testing"
)

func TestSelfCanBePastedIntoAShell(t *testing.T) {
	for dir, want := range map[string]string{
		"":         "wideswe",
		"ipfs":     "wideswe -C ipfs",
		"my space": "wideswe -C 'my space'",
		"it's":     `wideswe -C 'it'\''s'`,
	} {
		if got := (&Env{Dir: dir}).Command(); got != want {
			t.Errorf("%q: got %s", dir, got)
		}
	}
}
