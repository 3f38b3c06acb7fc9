package docker

import (
	"archive/tar"
	"context"
	"errors"
	"io"

	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// Layers walks the files of an image's layers, those of the image base left out,
// as everyone who gets the image can unpack them. The order is the engine's.
func (d *Sandbox) Layers(ctx context.Context, id, base string, visit func(layer string, h *tar.Header, r io.Reader) error) error {
	under := map[string]bool{}
	if base != "" {
		b, err := d.api.ImageInspect(ctx, base)
		if err != nil {
			return d.trouble("inspecting an image", err)
		}
		for _, id := range b.RootFS.Layers {
			under[id] = true
		}
	}
	saved, err := d.api.ImageSave(ctx, []string{id})
	if err != nil {
		return d.trouble("saving an image", err)
	}
	defer saved.Close()
	layers := image.NewLayerReader(saved)
	for {
		layer, err := layers.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return d.trouble("saving an image", err)
		}
		if err := image.WalkLayer(layer, under, visit); err != nil {
			return err
		}
	}
}
