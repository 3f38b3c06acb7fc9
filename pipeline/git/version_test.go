package git_test

import (
	"testing"
	"time"
)

func TestVersionTimeFollowsTagsAndPseudoVersions(t *testing.T) {
	h := newHost(t)
	h.write("a", "1")
	first := h.commit("first")
	h.git(h.dir, "tag", "v1.0.0")
	h.write("a", "2")
	second := h.commit("second")
	h.git(h.dir, "tag", "-a", "-m", "two", "core-2.1.0")
	r := h.mirror()
	at := func(sha string) time.Time {
		c, err := r.Commit(t.Context(), sha)
		if err != nil {
			t.Fatal(err)
		}
		return c.CommitterTime
	}
	for version, want := range map[string]string{"v1.0.0": first, "1.0.0": first, "2.1.0": second,
		"v0.0.0-20240101000000-" + second[:12]: second, "v1.0.1-0.20240101000000-" + first[:12]: first} {
		if got, known, err := r.VersionTime(t.Context(), version); !known || err != nil || !got.Equal(at(want)) {
			t.Errorf("%s: %v %v %v, want %v", version, got, known, err, at(want))
		}
	}
	for _, version := range []string{"3.0.0", "", "v0.0.0-20240101000000-0123456789ab"} {
		if got, known, err := r.VersionTime(t.Context(), version); known || err != nil {
			t.Errorf("%q: %v %v %v", version, got, known, err)
		}
	}
}
