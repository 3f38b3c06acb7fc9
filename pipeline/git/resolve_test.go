package git_test

import (
	"errors"
	"testing"

	"github.com/wideswe/wideswe/pipeline/git"
)

func TestResolveFindsWhatAPersonNames(t *testing.T) {
	h := newHost(t)
	h.write("a", "1")
	first := h.commit("first")
	h.write("a", "2")
	second := h.commit("second")
	r := h.mirror()
	for name, want := range map[string]string{"HEAD": second, "trunk": second, first: first, first[:9]: first} {
		if got, err := r.Resolve(t.Context(), name); got != want || err != nil {
			t.Errorf("%s is %s, %v; not %s", name, got, err, want)
		}
	}
	for _, name := range []string{"nothing", "--all", "", "HEAD:a", "0123456789012345678901234567890123456789"} {
		var missing *git.MissingError
		if got, err := r.Resolve(t.Context(), name); !errors.As(err, &missing) {
			t.Errorf("%q is %s, %v", name, got, err)
		}
	}
}
