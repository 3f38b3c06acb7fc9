package docker

import (
	"context"
	"errors"
	"strings"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// Pin implements [Backend]: the digest that a registry gave for the image
// (debian@sha256:…), which names the same content on every machine, or the image's
// id where none did.
func (d *Sandbox) Pin(ctx context.Context, name string, renew bool) (string, error) {
	if renew {
		// What only this machine has stays what it is.
		var missing *sandbox.MissingImageError
		if err := d.pull(ctx, name); err != nil && !errors.As(err, &missing) {
			return "", err
		}
	}
	info, err := d.api.ImageInspect(ctx, name)
	if err != nil {
		return "", d.trouble("inspecting an image", err)
	}
	for _, digest := range info.RepoDigests {
		if strings.HasPrefix(digest, image.RepositoryOf(name)+"@") {
			return digest, nil
		}
	}
	return info.ID, nil
}

// Machine implements [Backend].
func (d *Sandbox) Machine(ctx context.Context) (float64, int64, error) {
	info, err := d.api.Info(ctx)
	if err != nil {
		return 0, 0, d.trouble("asking Docker", err)
	}
	return float64(info.NCPU), info.MemTotal, nil
}
