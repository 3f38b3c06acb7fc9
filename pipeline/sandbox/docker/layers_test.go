package docker

import (
	"archive/tar"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// What an image's own layers hold is seen, removed files too, and the base's not.
func TestLayersShowsWhatWasAddedToBase(t *testing.T) {
	d, img := dockerAndImage(t)
	build := func(base, script string) string {
		key := "test-" + random()
		made, err := d.BuildImage(t.Context(), sandbox.ImageSpec{Base: base, Name: "wideswe/test:" + key, Key: key,
			Steps: []sandbox.Step{{Name: "planting", User: "0:0", Script: script}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.RemoveImage(context.WithoutCancel(t.Context()), made.ID) })
		return made.ID
	}
	lower := build(img, "mkdir -p /opt; echo secret > /opt/planted")
	upper := build(lower, "rm /opt/planted; echo other > /opt/other")
	for _, c := range []struct {
		base string
		want map[string]string
	}{
		{img, map[string]string{"opt/planted": "secret\n", "opt/other": "other\n"}},
		{lower, map[string]string{"opt/other": "other\n"}},
	} {
		got := map[string]string{}
		err := d.Layers(t.Context(), upper, c.base, func(_ string, h *tar.Header, r io.Reader) error {
			if name := strings.TrimPrefix(h.Name, "./"); strings.HasPrefix(name, "opt/") && h.Typeflag == tar.TypeReg &&
				!strings.Contains(name, ".wh.") {
				b, err := io.ReadAll(r)
				got[name] = string(b)
				return err
			}
			if h.Name == "etc/debian_version" {
				t.Errorf("a file of the base is shown")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(c.want) || got["opt/other"] != c.want["opt/other"] || got["opt/planted"] != c.want["opt/planted"] {
			t.Errorf("beside %.20s: %v, want %v", c.base, got, c.want)
		}
	}
}
