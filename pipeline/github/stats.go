package github

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Quota is what the host last said of one token's primary limit.
type Quota struct {
	Limit, Remaining int
	Reset            time.Time
}

// Stats counts what a pool did.
type Stats struct {
	Requests    int           // sent, repeated ones included
	Answers     int           // that came whole, refusals too
	NotModified int           // answered 304
	Retries     int           // sent again after a broken answer
	Limited     int           // answers that named a limit
	Waited      time.Duration // for limits, while no token was free
	Busy        time.Duration // waiting for answers, over all tokens
	Elapsed     time.Duration // since the first request
	WaitUntil   time.Time     // the end of the wait begun last, zero when it is over
	Quotas      []Quota       // one a token, zero before its first answer
	Searches    []Quota       // the same for searches, which have a quota of their own
}

// Rate is requests a second since the first one.
func (s Stats) Rate() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Requests) / s.Elapsed.Seconds()
}

// Together is what several tokens have in all, and when the first of them is full again.
func Together(list []Quota) (all Quota) {
	for _, q := range list {
		all.Remaining, all.Limit = all.Remaining+q.Remaining, all.Limit+q.Limit
		if !q.Reset.IsZero() && (all.Reset.IsZero() || q.Reset.Before(all.Reset)) {
			all.Reset = q.Reset
		}
	}
	return all
}

// String is the text of a progress line.
func (s Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d requests, %.1f/s", s.Requests, s.Rate())
	if q := Together(s.Quotas); q.Limit > 0 {
		fmt.Fprintf(&b, ", %d of %d left until %s", q.Remaining, q.Limit, q.Reset.Local().Format("15:04:05"))
	}
	if q := Together(s.Searches); q.Limit > 0 {
		fmt.Fprintf(&b, ", %d of %d searches left until %s", q.Remaining, q.Limit, q.Reset.Local().Format("15:04:05"))
	}
	if !s.WaitUntil.IsZero() {
		fmt.Fprintf(&b, ", waiting for the limit until %s", s.WaitUntil.Local().Format("15:04:05"))
	}
	return b.String()
}

// counter is the live side of [Stats].
type counter struct {
	clock clock
	mu    sync.Mutex
	first time.Time
	s     Stats
}

func (c *counter) change(f func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.s)
}

func (c *counter) sent() {
	c.change(func(s *Stats) {
		s.Requests++
		if c.first.IsZero() {
			c.first = c.clock.now()
		}
	})
}

// reached says whether the host ever answered.
func (c *counter) reached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.Answers > 0
}

func (c *counter) waiting(d time.Duration) {
	c.change(func(s *Stats) {
		from := c.clock.now()
		until := from.Add(d)
		if s.WaitUntil.After(from) {
			from = s.WaitUntil // somebody waits until then already
		}
		if until.After(from) {
			s.Waited, s.WaitUntil = s.Waited+until.Sub(from), until
		}
	})
}

func (c *counter) snapshot() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, now := c.s, c.clock.now()
	if !c.first.IsZero() {
		s.Elapsed = now.Sub(c.first)
	}
	if !s.WaitUntil.After(now) {
		s.WaitUntil = time.Time{}
	}
	return s
}
