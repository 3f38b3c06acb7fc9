package docker

import (
	"context"
)

// ImageBytes is what an image takes with all its layers.
func (d *Sandbox) ImageBytes(ctx context.Context, id string) (int64, error) {
	info, err := d.api.ImageInspect(ctx, id)
	return info.Size, d.trouble("inspecting an image", err)
}
