package docker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"strconv"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
)

// Labels of our containers. Nothing without labelRun is ever touched.
const (
	labelRun      = "wideswe.run"
	labelHost     = "wideswe.host"
	labelPID      = "wideswe.pid"
	labelStart    = "wideswe.start" // when that process started: numbers come back
	labelDeadline = "wideswe.deadline"
)

// labelled chooses what has a label.
func labelled(label string) filters.Args { return filters.NewArgs(filters.Arg("label", label)) }

// owner is the process a container belongs to. Its host is where the number of a process
// means anything: machines and containers may share a name, and an engine.
type owner struct{ run, host, pid, start string }

func thisProcess() owner {
	host, _ := os.Hostname()
	// An engine may keep a build container's labels in the image, and images are
	// given away: the machine's name stays out of them.
	sum := sha256.Sum256([]byte("wideswe " + host + machine()))
	pid := os.Getpid()
	return owner{random(), hex.EncodeToString(sum[:8]), strconv.Itoa(pid), processStart(pid)}
}

func (o owner) labels(more map[string]string, limit time.Duration) map[string]string {
	// Past its limit and the time for copies a container serves nobody.
	deadline := time.Now().Add(limit + time.Hour).Unix()
	l := map[string]string{labelRun: o.run, labelHost: o.host, labelPID: o.pid, labelStart: o.start,
		labelDeadline: strconv.FormatInt(deadline, 10)}
	maps.Copy(l, more)
	return l
}

// abandoned says whether a container's process is gone.
func (o owner) abandoned(labels map[string]string, now time.Time) bool {
	if labels[labelRun] == o.run {
		return false
	}
	pid, err := strconv.Atoi(labels[labelPID])
	if labels[labelHost] != o.host || err != nil {
		// Another machine's process can't be asked; the deadline is what there is.
		deadline, err := strconv.ParseInt(labels[labelDeadline], 10, 64)
		return err == nil && now.Unix() > deadline
	}
	// No deadline here: a clock that was moved would take a living process's runs.
	return !alive(pid) || processStart(pid) != labels[labelStart]
}

// sweepPatience bounds the removal of one container that a dead process left.
var sweepPatience = 20 * time.Second

// Sweep removes containers and workspaces that dead processes of ours left behind. What
// the engine can't get rid of, or not in time, is left to the next process's sweep: it holds
// nobody up.
func (d *Sandbox) Sweep(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := d.api.ContainerList(limited, container.ListOptions{All: true, Filters: labelled(labelRun)})
	if err != nil {
		return d.trouble("listing containers", err)
	}
	stuck := false
	for _, c := range list {
		if !d.owner.abandoned(c.Labels, time.Now()) {
			continue
		}
		if c.State == container.StateRemoving || limited.Err() != nil {
			stuck = true
			continue
		}
		kept, err := d.removeLeft(limited, c.ID)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return d.trouble("removing an abandoned container", err)
		}
		stuck = stuck || kept
	}
	rest, done := context.WithTimeout(ctx, patience)
	defer done()
	// A network goes when its containers have gone.
	if err := d.sweepNetworks(rest); err != nil && !stuck {
		return err
	}
	return d.sweepImages(rest)
}

// removeLeft removes a container; stuck says that the engine could not, or took longer
// than one waits. An error is an engine that does not answer at all.
func (d *Sandbox) removeLeft(ctx context.Context, id string) (stuck bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, sweepPatience)
	defer cancel()
	err = d.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	switch {
	case err == nil, cerrdefs.IsNotFound(err), cerrdefs.IsConflict(err):
		return false, nil
	case client.IsErrConnectionFailed(err) && ctx.Err() == nil:
		return false, err
	}
	return true, nil
}
