package github

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// fakeTime is a clock that only sleeping moves.
type fakeTime struct {
	mu    sync.Mutex
	at    time.Time
	slept []time.Duration
}

func newFakeTime() *fakeTime {
	return &fakeTime{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func (f *fakeTime) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

func (f *fakeTime) sleep(ctx context.Context, d time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = f.at.Add(d)
	f.slept = append(f.slept, d)
	return ctx.Err()
}

// step is one answer of a scripted host.
type step func(w http.ResponseWriter, r *http.Request, now time.Time)

func say(status int, body string, headers ...string) step {
	return func(w http.ResponseWriter, _ *http.Request, _ time.Time) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// spent answers that the quota is used up until a time after now.
func spent(status int, d time.Duration) step {
	return func(w http.ResponseWriter, r *http.Request, now time.Time) {
		say(status, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "0",
			"X-RateLimit-Reset", fmt.Sprint(now.Add(d).Unix()))(w, r, now)
	}
}

func cut(w http.ResponseWriter, _ *http.Request, _ time.Time) {
	w.Header().Set("Content-Length", "1000")
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `[{"number": 1`)
}

func reset(w http.ResponseWriter, _ *http.Request, _ time.Time) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		c.Close()
	}
}

// host serves the steps one after the other, and the last one for ever.
func host(t *testing.T, o Options, steps ...step) (*Pool, *fakeTime, func() []*http.Request) {
	t.Helper()
	clock := newFakeTime()
	var mu sync.Mutex
	var seen []*http.Request
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n := min(len(seen), len(steps)-1)
		seen = append(seen, r)
		mu.Unlock()
		steps[n](w, r, clock.now())
	}))
	t.Cleanup(srv.Close)
	o.BaseURL, o.Now, o.Sleep, o.Jitter = srv.URL+o.BaseURL, clock.now, clock.sleep, func() float64 { return 0 }
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p, clock, func() []*http.Request { mu.Lock(); defer mu.Unlock(); return seen }
}
