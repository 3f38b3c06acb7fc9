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

// The quotas that questions are charged to, as the host names them.
const (
	core   = "core"
	search = "search"
)

// gate lets one request of a token through at a time, and none before the time
// that the host's limits allow. Each quota is a lane of its own: a spent search
// holds up searches only. Asking too fast holds up everything.
type gate struct {
	clock clock
	turn  chan struct{}

	mu        sync.Mutex
	notBefore time.Time // for all lanes
	streak    int       // answers in a row that a limit stopped
	lanes     map[string]*lane
	charged   map[string]string // what a kind of question is charged to, where the host said so
}

// lane is one quota of a token.
type lane struct {
	notBefore time.Time
	quota     Quota
}

func newGate(c clock) *gate {
	return &gate{clock: c, turn: make(chan struct{}, 1), lanes: map[string]*lane{}, charged: map[string]string{}}
}

// lane gives the quota that a kind of question is charged to.
func (g *gate) lane(kind string) *lane {
	name, told := g.charged[kind]
	if !told {
		name = kind
	}
	l := g.lanes[name]
	if l == nil {
		l = &lane{}
		g.lanes[name] = l
	}
	return l
}

// errShut says that a token's limits are reached: another one may be free.
var errShut = errors.New("the token's limit is reached")

// enter waits for the turn of a kind of question; behind a limit there is none.
// Who entered must leave.
func (g *gate) enter(ctx context.Context, kind string) error {
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if g.opens(kind).After(g.clock.now()) {
		g.leave()
		return errShut
	}
	return nil
}

func (g *gate) leave() { <-g.turn }

func (g *gate) opens(kind string) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if own := g.lane(kind).notBefore; own.After(g.notBefore) {
		return own
	}
	return g.notBefore
}

// quotas are those of everything and of searches; the latter is zero where the
// host has none for them alone.
func (g *gate) quotas() (all, searches Quota) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, s := g.lane(core), g.lane(search)
	if a != s {
		searches = s.quota
	}
	return a.quota, searches
}

// learn reads the quota of an answer. A token whose quota is spent stays shut
// until the reset, for the questions that are charged to it. Some hosts charge a
// search to the same quota as everything.
func (g *gate) learn(kind string, h http.Header) {
	limit, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	left, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	reset, err3 := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if name := h.Get("X-RateLimit-Resource"); name != "" {
		g.charged[kind] = name
	}
	l := g.lane(kind)
	l.quota = Quota{Limit: limit, Remaining: left, Reset: time.Unix(reset, 0).UTC()}
	if left <= 0 {
		g.shut(&l.notBefore, l.quota.Reset.Add(time.Second).Sub(g.clock.now()))
	}
}

// limited shuts the gate after an answer that names a limit, and returns for how long.
func (g *gate) limited(kind string, h http.Header, primary bool) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.streak++
	wait, known := retryAfter(h, g.clock.now())
	l, until := g.lane(kind), &g.notBefore
	if primary {
		until = &l.notBefore
	}
	switch {
	case known:
		// A limit met again right after the time it named is further away than it says.
		wait = max(wait, grow(time.Second, g.streak, time.Minute))
	case primary && !l.quota.Reset.IsZero():
		wait = max(l.quota.Reset.Add(time.Second).Sub(g.clock.now()), grow(time.Second, g.streak, time.Minute))
	default:
		wait = grow(secondaryFloor, g.streak, secondaryCeil)
	}
	g.shut(until, wait)
	return wait
}

// passed notes an answer that no limit stopped.
func (g *gate) passed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.streak = 0
}

func (g *gate) shut(what *time.Time, d time.Duration) {
	if until := g.clock.now().Add(min(d, longestWait)); until.After(*what) {
		*what = until
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
