package docker

import (
	"cmp"
	"context"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	engine "github.com/docker/docker/api/types/image"

	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// Images lists the images that wideswe made, the least recently used first; an
// image counts as used when one that stands on it is.
func (d *Sandbox) Images(ctx context.Context) ([]image.DiskImage, error) {
	summaries, err := d.api.ImageList(ctx, engine.ListOptions{Filters: labelled(image.LabelKey)})
	if err != nil {
		return nil, d.trouble("listing images", err)
	}
	var list []image.DiskImage
	for _, s := range summaries {
		if s.Labels[image.LabelKey] == "" && s.Labels[image.LabelStage] != image.StageWorkspace {
			continue
		}
		i, err := d.diskImage(ctx, s)
		if cerrdefs.IsNotFound(err) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	used, err := d.usedImages(ctx)
	if err != nil {
		return nil, err
	}
	image.RelateUse(list, used)
	return list, nil
}

// parent is the image that an engine committed this one on, where it still tells.
func parent(info engine.InspectResponse) string {
	//lint:ignore SA1019 engines that don't tell leave it empty, and the label speaks
	return info.Parent
}

func (d *Sandbox) diskImage(ctx context.Context, s engine.Summary) (image.DiskImage, error) {
	info, err := d.api.ImageInspect(ctx, s.ID)
	if err != nil {
		return image.DiskImage{}, err
	}
	l := s.Labels
	i := image.DiskImage{ID: s.ID, Key: l[image.LabelKey], Stage: cmp.Or(l[image.LabelStage], "image"),
		Repository: l[image.LabelRepository], Task: l[image.LabelTask], Version: l[image.LabelVersion],
		Own: info.Size, Created: time.Unix(s.Created, 0).UTC(), LastUsed: info.Metadata.LastTagTime.UTC(),
		On: cmp.Or(parent(info), l[image.LabelOn])}
	if len(s.RepoTags) > 0 && s.RepoTags[0] != "<none>:<none>" {
		i.Name = s.RepoTags[0]
	}
	if i.LastUsed.Before(i.Created) {
		i.LastUsed = i.Created
	}
	if below, err := d.api.ImageInspect(ctx, i.On); i.On != "" && err == nil {
		i.Own, i.Shared = info.Size-below.Size, below.Size
	}
	return i, nil
}

// usedImages are those that containers were made from, running or not.
func (d *Sandbox) usedImages(ctx context.Context) (map[string]bool, error) {
	list, err := d.api.ContainerList(ctx, container.ListOptions{All: true})
	if err != nil {
		return nil, d.trouble("listing containers", err)
	}
	used := map[string]bool{}
	for _, c := range list {
		used[c.ImageID] = true
	}
	return used, nil
}

// RemoveUnused removes an image of ours, unless somebody began to use it meanwhile.
func (d *Sandbox) RemoveUnused(ctx context.Context, i image.DiskImage) (bool, error) {
	info, err := d.api.ImageInspect(ctx, i.ID)
	if cerrdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, d.trouble("inspecting an image", err)
	}
	if info.Config == nil || info.Config.Labels[image.LabelKey] != i.Key ||
		info.Metadata.LastTagTime.After(i.LastUsed.Add(time.Second)) {
		return false, nil
	}
	// By its name where it has one; without force, so that the engine refuses what is in use.
	_, err = d.api.ImageRemove(ctx, cmp.Or(i.Name, i.ID), engine.RemoveOptions{PruneChildren: false})
	if cerrdefs.IsConflict(err) || cerrdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil, d.trouble("removing an image", err)
}
