package sandbox

import (
	"context"
	"maps"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	engine "github.com/docker/docker/api/types/image"
)

// Prepared is where sources lie ready for many runs: what a [Spec] gives as its
// Image and its In.
type Prepared struct {
	Image string
	In    []Source
}

// Preparer is a backend that can lay sources once for many runs.
type Preparer interface {
	// Prepare lays sources over an image. What it makes belongs to this process; it
	// is removed by remove or, where the process was killed, by the next one's sweep.
	Prepare(ctx context.Context, on string, in []Source, labels map[string]string) (p Prepared, remove func(), err error)
}

// Prepare implements [Preparer]: the sources become a layer over the image, so that
// a run begins without copying them.
func (d *Docker) Prepare(ctx context.Context, on string, in []Source, labels map[string]string) (Prepared, func(), error) {
	// It lives as long as its process does.
	own := d.owner.labels(labels, 365*24*time.Hour)
	id, err := d.make(ctx, &container.Config{Image: on, Labels: own, Cmd: []string{"true"}},
		&container.HostConfig{NetworkMode: "none"}, nil, "wideswe-lay-"+random())
	if cerrdefs.IsNotFound(err) {
		return Prepared{}, nil, &MissingImageError{Name: on}
	}
	if err != nil {
		return Prepared{}, nil, d.trouble("creating a container", err)
	}
	defer d.remove(ctx, id)
	if err := d.copyIn(ctx, id, in); err != nil {
		return Prepared{}, nil, err
	}
	blank := maps.Clone(own)
	// It is no image that a key finds.
	blank[labelKey], blank[labelOn], blank[labelStage] = "", on, stageWorkspace
	asked, done := waited(ctx)
	defer done()
	img, err := d.api.ContainerCommit(asked, id, container.CommitOptions{Reference: "wideswe/workspace:" + random(),
		Config: &container.Config{User: User, WorkingDir: "/", Labels: blank, Cmd: []string{"/bin/sh"}, Entrypoint: []string{}}})
	if err != nil {
		return Prepared{}, nil, d.trouble("storing a workspace", err)
	}
	if over := ctx.Err(); over != nil {
		d.removeWorkspace(ctx, img.ID)
		return Prepared{}, nil, over
	}
	return Prepared{Image: img.ID}, func() { d.removeWorkspace(ctx, img.ID) }, nil
}

// removeWorkspace removes a workspace's layer even after an interrupt.
func (d *Docker) removeWorkspace(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*patience)
	defer cancel()
	// What fails here is removed by the next process's sweep.
	_, _ = d.api.ImageRemove(ctx, id, engine.RemoveOptions{Force: true})
}

// sweepImages removes the workspaces' layers that dead processes of ours left behind.
func (d *Docker) sweepImages(ctx context.Context) error {
	list, err := d.api.ImageList(ctx, engine.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelStage+"="+stageWorkspace))})
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
