package reference_test

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/reference"
)

func TestMirrorImport(t *testing.T) {
	for _, c := range []struct {
		title, body string
		want        bool
	}{
		{"Sync from acme/api", "", true},
		{"[bot] Import latest changes from upstream", "", true},
		{"Copybara import of the project", "", true},
		{"Add x", "Text\n\nPiperOrigin-RevId: 12345", true},
		{"Add x", "PR #7: y\n\nImported from GitHub PR https://github.com/acme/api/pull/7", true},
		{"Sync the clock before reading", "", false},
		{"Fix import of modules", "the fbshipit-source-id: line is explained", false},
		{"Import errors from the parser are wrapped", "", false},
	} {
		if got := reference.MirrorImport(c.title, c.body); got != c.want {
			t.Errorf("%q: got %v", c.title, got)
		}
	}
}
