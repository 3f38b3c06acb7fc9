package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/distribution/reference"
	engine "github.com/docker/docker/api/types/image"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// PushImage gives an image, by id, to a registry under a name (host/path:tag) and
// returns the reference by digest under which anybody gets the same one there.
func (d *Sandbox) PushImage(ctx context.Context, id, name string) (string, error) {
	ref, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return "", pipeline.Usage("%q is no name for an image: %v", name, err)
	}
	auth, err := image.RegistryAuth(ref)
	if err != nil {
		return "", err
	}
	if err := d.api.ImageTag(ctx, id, name); err != nil {
		return "", d.trouble("naming an image", err)
	}
	defer d.untag(ctx, id, name) // what the engine keeps by digest goes with it
	progress, err := d.api.ImagePush(ctx, name, engine.PushOptions{RegistryAuth: auth})
	if err != nil {
		return "", d.registryTrouble("pushing", ref, err)
	}
	defer progress.Close()
	digest, err := image.ReadProgress(progress)
	if err != nil {
		return "", d.registryTrouble("pushing", ref, err)
	}
	pinned, err := reference.ParseNormalizedNamed(ref.Name() + "@" + digest)
	if err != nil {
		return "", fmt.Errorf("pushing %s: the registry gave no digest", name)
	}
	return pinned.String(), nil
}

// PullImage fetches the image that a reference by digest stands for, holds it against
// the id it has to have, and gives it its name here. One that is here is not asked for.
func (d *Sandbox) PullImage(ctx context.Context, by, id, name string) error {
	ref, err := reference.ParseNormalizedNamed(by)
	if _, pinned := ref.(reference.Digested); err != nil || !pinned {
		return pipeline.Usage("%q is no image by digest", by)
	}
	if !d.HasImage(ctx, id) {
		if err := d.pullPinned(ctx, ref, id); err != nil {
			return err
		}
	}
	if err := d.nameImages(ctx, map[string]string{id: name}); err != nil {
		return err
	}
	d.untag(ctx, id, by)
	return nil
}

func (d *Sandbox) pullPinned(ctx context.Context, ref reference.Named, id string) error {
	auth, err := image.RegistryAuth(ref)
	if err != nil {
		return err
	}
	had := d.HasImage(ctx, ref.String())
	progress, err := d.api.ImagePull(ctx, ref.String(), engine.PullOptions{RegistryAuth: auth})
	if err != nil {
		return d.registryTrouble("pulling", ref, err)
	}
	defer progress.Close()
	if _, err := image.ReadProgress(progress); err != nil {
		return d.registryTrouble("pulling", ref, err)
	}
	got, err := d.api.ImageInspect(ctx, ref.String())
	if err != nil {
		return d.trouble("inspecting an image", err)
	}
	if got.ID != id {
		if !had {
			_, _ = d.api.ImageRemove(context.WithoutCancel(ctx), ref.String(), engine.RemoveOptions{})
		}
		return pipeline.Usage("%s is the image %s, the release was validated in %s: ask who made the release to "+
			"push its images again", ref, got.ID, id)
	}
	return nil
}

// untag takes a registry's name from an image that has another one; the last name
// stays, since with it the image would go. One that stayed beside an image's own would
// keep the image on the disk when its own name goes.
func (d *Sandbox) untag(ctx context.Context, id, name string) {
	info, err := d.api.ImageInspect(ctx, id)
	if err != nil || len(info.RepoTags)+len(info.RepoDigests) < 2 {
		return
	}
	_, _ = d.api.ImageRemove(context.WithoutCancel(ctx), name, engine.RemoveOptions{})
}

// registryTrouble tells what a person can do: the registry's answer is mostly one
// about the right to ask.
func (d *Sandbox) registryTrouble(doing string, ref reference.Named, err error) error {
	var need *pipeline.NeedError
	if t := d.trouble(doing+" an image", err); errors.As(t, &need) || errors.Is(err, context.Canceled) {
		return t
	}
	why, _, _ := strings.Cut(strings.ToValidUTF8(err.Error(), ""), "\n")
	host := reference.Domain(ref)
	text := strings.ToLower(why)
	switch {
	case cerrdefs.IsUnauthorized(err), cerrdefs.IsPermissionDenied(err),
		strings.Contains(text, "denied"), strings.Contains(text, "authenticat"),
		strings.Contains(text, "unauthorized"), strings.Contains(text, "no basic auth"):
		return pipeline.Need("%s %s: %s lets nobody in without a login that may: docker login %s (%s)", doing, ref,
			host, host, why)
	case cerrdefs.IsNotFound(err), strings.Contains(text, "manifest unknown"), strings.Contains(text, "not found"):
		return pipeline.Need("%s %s: it is not in the registry %s (%s); --from names another registry that has it",
			doing, ref, host, why)
	}
	return pipeline.Need("%s %s: %s; what came stays, run the same command again", doing, ref, why)
}
