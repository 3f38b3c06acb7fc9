package docker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
)

// waited is for a question that makes something. The engine ends what it began also
// where nobody waits any more, and then nobody knows of it: an interrupt, or a time
// that is over, leaves it patience to answer.
func waited(ctx context.Context) (context.Context, context.CancelFunc) {
	asked, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(patience, cancel) })
	return asked, func() { stop(); cancel() }
}

// make makes a container; interrupted meanwhile, it is removed.
func (d *Sandbox) make(ctx context.Context, config *container.Config, host *container.HostConfig,
	nets *network.NetworkingConfig, name string) (id string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	asked, done := waited(ctx)
	defer done()
	made, err := d.api.ContainerCreate(asked, config, host, nets, nil, name)
	if over := ctx.Err(); over != nil {
		d.remove(ctx, name)
		return "", over
	}
	return made.ID, err
}

// remove removes a container even after an interrupt.
func (d *Sandbox) remove(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	// What fails here is removed by the next process's sweep.
	_ = d.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
}

// makeNetwork is make for a network.
func (d *Sandbox) makeNetwork(ctx context.Context, name string, o network.CreateOptions) (id string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	asked, done := waited(ctx)
	defer done()
	made, err := d.api.NetworkCreate(asked, name, o)
	if over := ctx.Err(); over != nil {
		d.removeNetwork(ctx, name)
		return "", over
	}
	return made.ID, err
}

// removeNetwork removes a network even after an interrupt.
func (d *Sandbox) removeNetwork(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	// What fails here is removed by the next process's sweep.
	_ = d.api.NetworkRemove(ctx, id)
}

func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}
