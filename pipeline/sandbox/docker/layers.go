package docker

import (
	"context"
	"errors"
	"io"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// Layers implements [sandbox.Layers]: it shows the layers as everyone who gets the image can unpack them. The order
// is the engine's.
func (d *Sandbox) Layers(ctx context.Context, id, base string, visit sandbox.VisitLayer) error {
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
