package github

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	// secondaryFloor is the least wait after a secondary limit that names no time.
	secondaryFloor = time.Minute
	secondaryCeil  = 15 * time.Minute
	// longestWait bounds what a header may ask for: the primary window is an hour.
	longestWait = 2 * time.Hour
)

// gate lets one request of a token through at a time, and none before the time
// that the host's limits allow.
type gate struct {
	clock clock
	turn  chan struct{}

	mu        sync.Mutex
	notBefore time.Time
	streak    int // limited answers in a row
	quota     Quota
}

func newGate(c clock) *gate {
	return &gate{clock: c, turn: make(chan struct{}, 1)}
}

// errShut says that a token's limits are reached: another one may be free.
var errShut = errors.New("the token's limit is reached")

// enter waits for the turn; behind a limit there is none. Who entered must leave.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if g.opens().After(g.clock.now()) {
		g.leave()
		return errShut
	}
	return nil
}

func (g *gate) leave() { <-g.turn }

func (g *gate) opens() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.notBefore
}

// learn reads the quota of an answer. A token whose quota is spent stays shut
// until the reset.
func (g *gate) learn(h http.Header) {
	limit, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	left, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	reset, err3 := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.quota = Quota{Limit: limit, Remaining: left, Reset: time.Unix(reset, 0).UTC()}
	if left <= 0 {
		g.shut(g.quota.Reset.Add(time.Second).Sub(g.clock.now()))
	}
}

// limited shuts the gate after an answer that names a limit, and returns for how long.
func (g *gate) limited(h http.Header, primary bool) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.streak++
	wait, known := retryAfter(h, g.clock.now())
	switch {
	case known:
		// A limit met again right after the time it named is further away than it says.
		wait = max(wait, grow(time.Second, g.streak, time.Minute))
	case primary && !g.quota.Reset.IsZero():
		wait = max(g.quota.Reset.Add(time.Second).Sub(g.clock.now()), grow(time.Second, g.streak, time.Minute))
	default:
		wait = grow(secondaryFloor, g.streak, secondaryCeil)
	}
	g.shut(wait)
	return wait
}

// passed notes an answer that no limit stopped.
func (g *gate) passed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.streak = 0
}

func (g *gate) shut(d time.Duration) {
	if until := g.clock.now().Add(min(d, longestWait)); until.After(g.notBefore) {
		g.notBefore = until
	}
}

// grow is first, doubled for every further time, at most ceiling.
func grow(first time.Duration, times int, ceiling time.Duration) time.Duration {
	d := first
	for ; times > 1 && d < ceiling; times-- {
		d *= 2
	}
	return min(d, ceiling)
}

// retryAfter reads the header in both of its forms: seconds, or a date.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	v := h.Get("Retry-After")
	if n, err := strconv.Atoi(v); err == nil && n >= 0 {
		return time.Duration(min(n, int(longestWait/time.Second))) * time.Second, true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
