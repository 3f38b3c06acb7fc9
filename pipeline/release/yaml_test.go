package release

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

// A release may come from anyone.
func TestHostileYAMLIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"a tag of nothing": "packages: !0000… ",
		"an alias":         "packages: &a [x]\nsetup: *a\n",
		"brackets":         "packages: " + strings.Repeat("[", 1<<16),
		"an unknown field": "odd: 1\n",
	} {
		if err := decodeYAML([]byte(text), &schema.Recipe{}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
