package crawl

import (
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// watched is a progress line whose text says how the requests go.
type watched struct {
	pipeline.Progress
	stop chan struct{}
	once sync.Once
	done sync.WaitGroup
}

// watch keeps the text of a progress line up to date until it is closed.
func watch(p pipeline.Progress, stats func() github.Stats) pipeline.Progress {
	w := &watched{Progress: p, stop: make(chan struct{})}
	p.Describe(stats().String())
	w.done.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.Describe(stats().String())
			case <-w.stop:
				p.Describe(stats().String())
				return
			}
		}
	})
	return w
}

// Close implements [pipeline.Progress].
func (w *watched) Close() {
	w.once.Do(func() { close(w.stop) })
	w.done.Wait()
	w.Progress.Close()
}
