package crawl

import (
	"math"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// watched is a progress line whose text says how the requests go.
type watched struct {
	pipeline.Progress
	stats func() github.Stats
	stop  chan struct{}
	once  sync.Once
	done  sync.WaitGroup

	mu  sync.Mutex
	out outlook
}

// watch keeps the text of a progress line up to date until it is closed.
func watch(p pipeline.Progress, total int, stats func() github.Stats) pipeline.Progress {
	w := &watched{Progress: p, stats: stats, stop: make(chan struct{}), out: outlook{total: total, before: stats(),
		began: time.Now()}}
	w.say()
	w.done.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.say()
			case <-w.stop:
				w.say()
				return
			}
		}
	})
	return w
}

// Add implements [pipeline.Progress].
func (w *watched) Add(n int) {
	w.mu.Lock()
	w.out.items += n
	w.mu.Unlock()
	w.Progress.Add(n)
}

func (w *watched) say() {
	now, st := time.Now(), w.stats()
	w.mu.Lock()
	left, known := w.out.left(now, st)
	w.mu.Unlock()
	text := st.String()
	if known {
		text += ", about " + rounded(left) + " to go"
	}
	w.Progress.Describe(text)
}

// Close implements [pipeline.Progress].
func (w *watched) Close() {
	w.once.Do(func() { close(w.stop) })
	w.done.Wait()
	w.Progress.Close()
}

// outlook foresees the end of a phase from its beginning.
type outlook struct {
	total, items int // to do in all, and done
	before       github.Stats
	began        time.Time
	window       time.Duration // the longest time to a reset that was seen: about the limit's window
}

// left is how long it takes until all items are done: at the pace so far, and no
// faster than the quota allows. It is not known before the first one is.
func (o *outlook) left(now time.Time, st github.Stats) (time.Duration, bool) {
	quota := github.Together(st.Quotas)
	if s := github.Together(st.Searches); s != github.Together(o.before.Searches) {
		quota = s // an audit searches
	}
	o.window = max(o.window, quota.Reset.Sub(now))
	requests := st.Requests - o.before.Requests
	if o.items == 0 || o.items >= o.total || requests <= 0 {
		return 0, false
	}
	more := float64(requests) / float64(o.items) * float64(o.total-o.items)
	pace := max(now.Sub(o.began)-(st.Waited-o.before.Waited), 0).Seconds() / float64(requests)
	left := more * pace
	if over := more - float64(quota.Remaining); quota.Limit > 0 && over > 0 {
		windows := (int(math.Ceil(over)) - 1) / quota.Limit // after the one that begins at the reset
		rest := over - float64(windows*quota.Limit)
		left = max(left, quota.Reset.Sub(now).Seconds()+float64(windows)*o.window.Seconds()+rest*pace)
	}
	return time.Duration(left * float64(time.Second)), true
}

// rounded writes a time as exactly as it can be foreseen.
func rounded(d time.Duration) string {
	to := time.Second
	switch {
	case d >= time.Hour:
		to = 5 * time.Minute
	case d >= 10*time.Minute:
		to = time.Minute
	case d >= time.Minute:
		to = 10 * time.Second
	}
	text := max(d.Round(to), to).String()
	for _, end := range []string{"m0s", "h0m"} {
		if n := len(text) - len(end) + 1; n > 0 && text[n-1:] == end {
			text = text[:n]
		}
	}
	return text
}
