package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	engine "github.com/docker/docker/api/types/image"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// FindImage implements [sandbox.Backend]. Whoever finds an image means to use it: that is
// noted, see [Sandbox.Images].
func (d *Sandbox) FindImage(ctx context.Context, key string) (sandbox.Image, error) {
	if key == "" {
		return sandbox.Image{}, nil
	}
	list, err := d.api.ImageList(ctx, engine.ListOptions{Filters: labelled(image.LabelKey + "=" + key)})
	if err != nil {
		return sandbox.Image{}, d.trouble("looking for an image", err)
	}
	if len(list) == 0 {
		return sandbox.Image{}, nil
	}
	// Of two equal ones the one that has the name, then the older: what ran before runs again.
	slices.SortFunc(list, func(a, b engine.Summary) int {
		if named := len(b.RepoTags) - len(a.RepoTags); named != 0 {
			return named
		}
		return int(a.Created - b.Created)
	})
	img := sandbox.Image{ID: list[0].ID, Key: key}
	if len(list[0].RepoTags) > 0 {
		img.Name = list[0].RepoTags[0]
		d.noteUse(ctx, img)
	}
	return img, nil
}

// noteUse notes that an image is about to be used. Labels can't change once an image
// is made; when it was last tagged can, by giving it its own name again. So the
// engine itself keeps the note, beside the image, for every process, folder and
// person that shares it.
func (d *Sandbox) noteUse(ctx context.Context, img sandbox.Image) {
	// A note that fails costs at most a rebuild one day.
	_ = d.api.ImageTag(ctx, img.ID, img.Name)
}

// HasImage says whether the engine has an image, by id, without fetching it.
func (d *Sandbox) HasImage(ctx context.Context, id string) bool {
	_, err := d.api.ImageInspect(ctx, id)
	return err == nil
}

// ImageID implements [sandbox.Backend]. A public image that is not there yet is pulled.
func (d *Sandbox) ImageID(ctx context.Context, name string) (string, error) {
	info, err := d.api.ImageInspect(ctx, name)
	if cerrdefs.IsNotFound(err) {
		if err := d.pull(ctx, name); err != nil {
			return "", err
		}
		info, err = d.api.ImageInspect(ctx, name)
	}
	return info.ID, d.trouble("inspecting an image", err)
}

// Pin implements [sandbox.Backend]: the digest that a registry gave for the image
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

// pull fetches an image. Names and ids that only this machine gives are never
// asked for: a stranger could have registered the name.
func (d *Sandbox) pull(ctx context.Context, name string) error {
	if strings.HasPrefix(name, "wideswe/") || strings.HasPrefix(name, "sha256:") || name == "" {
		return &sandbox.MissingImageError{Name: name}
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	progress, err := d.api.ImagePull(ctx, name, engine.PullOptions{})
	if err == nil {
		_, err = io.Copy(io.Discard, progress) // the pull ends with its progress
		err = errors.Join(err, progress.Close())
	}
	if err == nil {
		return nil
	}
	// That the engine is down, its disk full or the person in a hurry is not the image's.
	var need *pipeline.NeedError
	if err := d.trouble("pulling an image", err); errors.As(err, &need) || errors.Is(err, context.Canceled) {
		return err
	}
	why, _, _ := strings.Cut(strings.ToValidUTF8(err.Error(), ""), "\n")
	return &sandbox.MissingImageError{Name: name, Why: why}
}

// ImageBytes is what an image takes with all its layers.
func (d *Sandbox) ImageBytes(ctx context.Context, id string) (int64, error) {
	info, err := d.api.ImageInspect(ctx, id)
	return info.Size, d.trouble("inspecting an image", err)
}

// RemoveImage removes an image of ours by id; layers that others share stay. Images
// that wideswe did not make are refused.
func (d *Sandbox) RemoveImage(ctx context.Context, id string) error {
	info, err := d.api.ImageInspect(ctx, id)
	if cerrdefs.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return d.trouble("inspecting an image", err)
	}
	if info.Config == nil || info.Config.Labels[image.LabelKey] == "" {
		return fmt.Errorf("image %s was not made by wideswe; it stays", id)
	}
	_, err = d.api.ImageRemove(ctx, id, engine.RemoveOptions{Force: true, PruneChildren: true})
	return d.trouble("removing an image", err)
}
