package docker

import (
	"context"
	"maps"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	engine "github.com/docker/docker/api/types/image"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// Prepare implements [sandbox.Preparer]: the sources become a layer over the image, so that
// a run begins without copying them.
func (d *Sandbox) Prepare(ctx context.Context, on string, in []sandbox.Source,
	labels map[string]string) (sandbox.Prepared, func(), error) {
	// It lives as long as its process does.
	own := d.owner.labels(labels, 365*24*time.Hour)
	id, err := d.make(ctx, &container.Config{Image: on, Labels: own, Cmd: []string{"true"}},
		&container.HostConfig{NetworkMode: "none"}, nil, "wideswe-lay-"+random())
	if cerrdefs.IsNotFound(err) {
		return sandbox.Prepared{}, nil, &sandbox.MissingImageError{Name: on}
	}
	if err != nil {
		return sandbox.Prepared{}, nil, d.trouble("creating a container", err)
	}
	defer d.remove(ctx, id)
	if err := d.copyIn(ctx, id, in); err != nil {
		return sandbox.Prepared{}, nil, err
	}
	blank := maps.Clone(own)
	// It is no image that a key finds.
	blank[image.LabelKey], blank[image.LabelOn], blank[image.LabelStage] = "", on, image.StageWorkspace
	asked, done := waited(ctx)
	defer done()
	img, err := d.api.ContainerCommit(asked, id, container.CommitOptions{Reference: "wideswe/workspace:" + random(),
		Config: &container.Config{User: sandbox.User, WorkingDir: "/", Labels: blank, Cmd: []string{"/bin/sh"},
			Entrypoint: []string{}}})
	if err != nil {
		return sandbox.Prepared{}, nil, d.trouble("storing a workspace", err)
	}
	if over := ctx.Err(); over != nil {
		d.removeWorkspace(ctx, img.ID)
		return sandbox.Prepared{}, nil, over
	}
	return sandbox.Prepared{Image: img.ID}, func() { d.removeWorkspace(ctx, img.ID) }, nil
}

// removeWorkspace removes a workspace's layer even after an interrupt.
func (d *Sandbox) removeWorkspace(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*patience)
	defer cancel()
	// What fails here is removed by the next process's sweep.
	_, _ = d.api.ImageRemove(ctx, id, engine.RemoveOptions{Force: true})
}

// sweepImages removes the workspaces' layers that dead processes of ours left behind.
func (d *Sandbox) sweepImages(ctx context.Context) error {
	workspaces := labelled(image.LabelStage + "=" + image.StageWorkspace)
	list, err := d.api.ImageList(ctx, engine.ListOptions{Filters: workspaces})
	if err != nil {
		return d.trouble("listing images", err)
	}
	for _, i := range list {
		if i.Labels[labelRun] != "" && d.owner.abandoned(i.Labels, time.Now()) {
			d.removeWorkspace(ctx, i.ID)
		}
	}
	return nil
}
