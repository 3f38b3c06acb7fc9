package docker

import (
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// watcher looks after one running container.
type watcher struct {
	disk, pids atomic.Bool // the limit was met
	stop       context.CancelFunc
	done       chan struct{}
}

// watch begins; end stops it and waits.
func (d *Sandbox) watch(ctx context.Context, id string, l sandbox.Limits) *watcher {
	ctx, cancel := context.WithCancel(ctx)
	w := &watcher{stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.run(ctx, d, id, l)
	}()
	return w
}

func (w *watcher) end() {
	w.stop()
	<-w.done
}

func (w *watcher) run(ctx context.Context, d *Sandbox, id string, l sandbox.Limits) {
	tick := time.NewTicker(sandbox.WatchEvery)
	defer tick.Stop()
	measured, cost, deep := time.Now(), time.Duration(0), 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n, ok := d.processes(ctx, id); ok && n >= l.Pids {
			w.pids.Store(true)
		}
		// The engine walks the layer to know its size: not too often where that is slow.
		if time.Since(measured) < 20*cost {
			continue
		}
		begun := time.Now()
		size, ok := d.written(ctx, id)
		measured, cost = time.Now(), time.Since(begun)
		if ok && size < 0 && d.measures.Load() {
			deep++
		} else {
			deep = 0
		}
		if ok && size > l.Disk || deep == 2 {
			w.disk.Store(true)
			_ = d.api.ContainerKill(ctx, id, "KILL") // one that ended by itself is as good
			return
		}
	}
}

// processes is how many processes and threads a container has.
func (d *Sandbox) processes(ctx context.Context, id string) (int64, bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := d.api.ContainerStatsOneShot(ctx, id)
	if err != nil {
		return 0, false
	}
	defer r.Body.Close()
	var s container.StatsResponse
	if json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&s) != nil {
		return 0, false
	}
	return int64(s.PidsStats.Current), true
}

// written is the size of the container's own layer. It is negative where the engine
// could not walk it: on one that can at all, a run has made folders so deep that nobody
// can name them. Such ones cost no bytes and are removed a level at a time, so that a
// run which goes on with them is ended at the second look that finds them.
func (d *Sandbox) written(ctx context.Context, id string) (int64, bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, _, err := d.api.ContainerInspectWithRaw(ctx, id, true)
	if err != nil || c.SizeRw == nil {
		return 0, false
	}
	if *c.SizeRw >= 0 {
		d.measures.Store(true)
	}
	return *c.SizeRw, true
}
