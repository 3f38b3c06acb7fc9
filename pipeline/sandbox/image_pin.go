package sandbox

import (
	"context"
	"errors"
	"strings"
)

// Pin implements [Backend]: the digest that a registry gave for the image
// (debian@sha256:…), which names the same content on every machine, or the image's
// id where none did.
func (d *Docker) Pin(ctx context.Context, name string, renew bool) (string, error) {
	if renew {
		// What only this machine has stays what it is.
		var missing *MissingImageError
		if err := d.pull(ctx, name); err != nil && !errors.As(err, &missing) {
			return "", err
		}
	}
	info, err := d.api.ImageInspect(ctx, name)
	if err != nil {
		return "", d.trouble("inspecting an image", err)
	}
	for _, digest := range info.RepoDigests {
		if strings.HasPrefix(digest, repositoryOf(name)+"@") {
			return digest, nil
		}
	}
	return info.ID, nil
}

// repositoryOf is an image's name without its tag or digest.
func repositoryOf(name string) string {
	name, _, _ = strings.Cut(name, "@")
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		return name[:i]
	}
	return name
}

// Machine implements [Backend].
func (d *Docker) Machine(ctx context.Context) (float64, int64, error) {
	info, err := d.api.Info(ctx)
	if err != nil {
		return 0, 0, d.trouble("asking Docker", err)
	}
	return float64(info.NCPU), info.MemTotal, nil
}
