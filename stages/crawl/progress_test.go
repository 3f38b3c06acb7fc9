package crawl

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/github"
)

func TestOutlook(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	quota := func(left int, reset time.Duration) []github.Quota {
		return []github.Quota{{Limit: 1000, Remaining: left, Reset: at.Add(reset)}, {}}
	}
	for name, c := range map[string]struct {
		o    outlook
		st   github.Stats
		want string
	}{
		"nothing done yet": {outlook{total: 10}, github.Stats{Requests: 5}, ""},
		"all done":         {outlook{total: 10, items: 10}, github.Stats{Requests: 5}, ""},
		"nothing asked":    {outlook{total: 10, items: 3}, github.Stats{}, ""},
		// 60 s, 20 requests for 10 items: 90 items more take 180 requests of 3 s.
		"by the pace":       {outlook{total: 100, items: 10}, github.Stats{Requests: 20}, "9m"},
		"waits are no pace": {outlook{total: 100, items: 10}, github.Stats{Requests: 20, Waited: 40 * time.Second}, "3m"},
		"earlier is no pace": {outlook{total: 100, items: 10, before: github.Stats{Requests: 100}},
			github.Stats{Requests: 120}, "9m"},
		"enough quota": {outlook{total: 100, items: 10}, github.Stats{Requests: 20, Quotas: quota(180, time.Hour)},
			"9m"},
		"the rest after": {outlook{total: 100, items: 10}, github.Stats{Requests: 20, Quotas: quota(80, time.Hour)},
			"1h5m"},
		"two windows and one": {outlook{total: 1010, items: 10}, github.Stats{Requests: 20, Quotas: quota(0, time.Hour)},
			"2h50m"},
		"searches": {outlook{total: 100, items: 10}, github.Stats{Requests: 20, Waited: 59 * time.Second, Quotas: quota(999,
			time.Hour),
			Searches: []github.Quota{{Limit: 30, Remaining: 0, Reset: at.Add(time.Minute)}}}, "6m"},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.began = at.Add(-time.Minute)
			got := ""
			if left, known := c.o.left(at, c.st); known {
				got = rounded(left)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRounded(t *testing.T) {
	for want, d := range map[string]time.Duration{"1s": 0, "59s": 59 * time.Second, "1m10s": 68 * time.Second,
		"9m":  541 * time.Second,
		"11m": 10*time.Minute + 40*time.Second, "2h": 2*time.Hour + time.Minute, "26h35m": 26*time.Hour + 34*time.Minute} {
		if got := rounded(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

// line is a progress line that keeps what it says.
type line struct {
	mu    sync.Mutex
	text  string
	items int
}

func (l *line) Add(n int)            { l.mu.Lock(); defer l.mu.Unlock(); l.items += n }
func (l *line) Describe(text string) { l.mu.Lock(); defer l.mu.Unlock(); l.text = text }
func (l *line) Close()               {}

func TestProgressLineSaysEverything(t *testing.T) {
	reset := time.Now().Add(time.Hour).Truncate(time.Second)
	st := github.Stats{}
	l := &line{}
	w := watch(l, 4, func() github.Stats { return st })
	st = github.Stats{Requests: 30, Elapsed: 10 * time.Second, Quotas: []github.Quota{{Limit: 5000, Remaining: 4970,
		Reset: reset}}}
	w.Add(2)
	w.Close()
	for _, part := range []string{"30 requests, 3.0/s", "4970 of 5000 left until " + reset.Local().Format("15:04:05"),
		" to go"} {
		if !strings.Contains(l.text, part) {
			t.Errorf("%q does not say %q", l.text, part)
		}
	}
	if l.items != 2 {
		t.Errorf("%d items", l.items)
	}
}
