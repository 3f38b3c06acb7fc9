package testrun

import (
	"context"
	"errors"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// engine has the images it is told of.
type engine struct {
	sandbox.Backend
	images map[string]string
}

func (e engine) ImageID(_ context.Context, name string) (string, error) {
	if id, ok := e.images[name]; ok {
		return id, nil
	}
	return "", &sandbox.MissingImageError{Name: name}
}

func TestBaseImageOfAMachineWithoutARegistry(t *testing.T) {
	for _, c := range []struct {
		name          string
		images, local map[string]string
		recipe        string
		base          string // '' missing
	}{
		{"the image itself", map[string]string{"debian:trixie": "1", "wideswe/base:trixie": "2"}, nil, "debian:trixie",
			"debian:trixie"},
		{"the one made here", map[string]string{"wideswe/base:trixie": "2"}, nil, "debian:trixie", "wideswe/base:trixie"},
		{"another suite", map[string]string{"wideswe/base:trixie": "2"}, nil, "debian:bookworm", ""},
		{"no Debian", map[string]string{"wideswe/base:1.25": "2"}, nil, "golang:1.25", ""},
		{"what the person says", map[string]string{"mine": "3", "debian:trixie": "1"},
			map[string]string{"debian:trixie": "mine"}, "debian:trixie", "mine"},
		{"what the person says is not there", map[string]string{"wideswe/base:trixie": "2"},
			map[string]string{"debian:trixie": "mine"}, "debian:trixie", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Runner{Backend: engine{images: c.images}, Images: c.local}
			found, err := r.Base(t.Context(), c.recipe)
			base, id := found.Serves, found.ID
			var missing *sandbox.MissingImageError
			if c.base == "" {
				if !errors.As(err, &missing) {
					t.Errorf("got %s %s %v, want a missing image", base, id, err)
				}
				return
			}
			if err != nil || base != c.base || id != c.images[c.base] {
				t.Errorf("got %s %s %v, want %s", base, id, err, c.base)
			}
		})
	}
}
