package sandbox

import (
	"context"
	"time"

	"github.com/docker/docker/api/types/container"
)

// emptying removes what a run may have written, from within: rm goes down folders of
// any depth with a handful of open files, and it is the image's, which no run may
// write to.
const emptying = "/bin/rm -rf --one-file-system /workspace /tmp /home /var/tmp /run/lock 2>/dev/null; exit 0\n"

// emptyingTime bounds it.
const emptyingTime = 2 * time.Minute

// flatten takes folders without end out of an ended container. The engine removes a
// container's files with an open file a level: past its limit of those it can't, tries
// again whenever it is asked to, and answers nobody else as well meanwhile. Containers
// that it can walk, all but those of a patch that means harm, are left alone.
func (d *Docker) flatten(ctx context.Context, id string) {
	ctx = context.WithoutCancel(ctx)
	if size, ok := d.written(ctx, id); !ok || size >= 0 || !d.measures.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, emptyingTime)
	defer cancel()
	// The script lies where the run's own lay: the container's command can't be changed.
	if d.copyIn(ctx, id, []Source{{Path: "/tmp/wideswe", Files: map[string][]byte{".script": []byte(emptying)}}}) != nil {
		return
	}
	ended, failed := d.api.ContainerWait(ctx, id, container.WaitConditionNextExit)
	if d.api.ContainerStart(ctx, id, container.StartOptions{}) != nil {
		return
	}
	select {
	case <-ended:
	case <-failed:
	}
}
