package docker

import (
	"context"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// emptying removes what lies deep, from within: folders that were closed are opened,
// and what lies twelve levels down, the last of which every name still has a path, goes
// with all below it. The commands go down folders of any depth with a handful of open
// files; they are the image's, which a run that is not root's can't write to. What find may not enter, of which its
// exit code tells, is not the run's.
const emptying = `mine=$(/usr/bin/id -u)
/usr/bin/find / -xdev -maxdepth 12 -user "$mine" -type d ! -perm -700 -exec /bin/chmod u+rwx {} \; || :
/usr/bin/find / -xdev -mindepth 12 -maxdepth 12 -user "$mine" -exec /bin/chmod -R u+rwx {} \; -exec /bin/rm -rf {} \; || :
`

// emptyingTime bounds it.
const emptyingTime = 2 * time.Minute

// flatten takes folders without end out of an ended container. The engine removes a
// container's files with an open file a level: past its limit of those it can't, tries
// again whenever it is asked to, and answers nobody else as well meanwhile. Containers
// that it can walk, all but those of a patch that means harm, are left alone.
func (d *Sandbox) flatten(ctx context.Context, id string) {
	ctx = context.WithoutCancel(ctx)
	if size, ok := d.written(ctx, id); !ok || size >= 0 || !d.measures.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, emptyingTime)
	defer cancel()
	// The script lies where the run's own lay: the container's command can't be changed.
	if d.copyIn(ctx, id, []sandbox.Source{{Path: "/tmp/wideswe",
		Files: map[string][]byte{".script": []byte(emptying)}}}) != nil {
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
